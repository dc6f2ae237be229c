#!/usr/bin/env python3
"""The HTML report in a headless Chromium: page_test.py ATTNROOF REPORT.json [SCREENSHOT_FOLDER].

Exit code 77 (skipped) where there is no Chromium."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

from browser import Browser, find_chromium

HOSTILE = "</script><img src=x onerror=alert(1)><!-- \" ' & \u2028"


def exported(report):
    """The report as a page in a file of its own."""
    source = os.path.join(FOLDER, f"{len(os.listdir(FOLDER))}.json")
    page = source.replace(".json", ".html")
    with open(source, "w", encoding="utf-8") as file:
        json.dump(report, file)
    subprocess.run([BINARY, "export", source, "-o", page], check=True, timeout=60)
    return page


def pressed(label):
    """The chip with this text, as an expression."""
    return f'[...document.querySelectorAll(".chip")].find(c => c.textContent === "{label}")'


def roof_name(point):
    """The roof of a point as texts name it."""
    return point["ceiling"] + (" sustained" if point["ceiling_mode"] == "sustained" else "")


def rows():
    return BROWSER.run('document.querySelectorAll("#cases .row").length')


def marks():
    return BROWSER.run('document.querySelectorAll("#roofline-chart .mark").length')


def column(index):
    return BROWSER.run('[...document.querySelectorAll("#cases .row")].map('
                       f'r => r.cells[{index}] ? r.cells[{index}].textContent : "")')


class Page(unittest.TestCase):
    def setUp(self):
        self.page = exported(REPORT)
        BROWSER.open(self.page)
        self.points = [c for c in REPORT["cases"] if c["status"] == "ok"]

    def tearDown(self):
        self.assertEqual(BROWSER.errors, [])
        self.assertEqual([url for url in BROWSER.requests if not url.startswith(("file://", "data:"))], [])
        self.assertEqual(len([url for url in BROWSER.requests if url.startswith("file://")]), 1)

    def test_opens_with_every_case(self):
        self.assertEqual(rows(), len(REPORT["cases"]))
        self.assertEqual(marks(), len(self.points))
        self.assertIn(REPORT["device"]["name"], BROWSER.run("document.title"))

    def test_hover_shows_its_case(self):
        for index, case in enumerate(REPORT["cases"]):
            if case["status"] != "ok":
                continue
            BROWSER.hover(f'#roofline-chart [data-case="{index}"]')
            tip = BROWSER.run('document.getElementById("tip").innerText')
            self.assertIn(case["id"], tip)
            for part in ("FLOP/s", "FLOP/byte", case["roofline"]["bytes_source"],
                         f"% of {roof_name(case['roofline'])}\n", case["roofline"]["bound"]):
                self.assertIn(part, tip)
            lit = BROWSER.run('document.querySelector("#cases .row.lit").dataset.case')
            self.assertEqual(lit, str(index))
        BROWSER.mouse("mouseMoved", 2, 2)
        BROWSER.settle()
        self.assertTrue(BROWSER.run('document.getElementById("tip").hidden'))

    def test_level_switch_shows_the_points_of_the_level(self):
        report = json.loads(json.dumps(REPORT))
        report["config"]["levels"] = ["hbm", "l2", "l1"]
        report["ceilings"].append({**report["ceilings"][0], "id": "l1.read", "value": 33e12})
        counted = [i for i, c in enumerate(report["cases"]) if c["status"] == "ok"][1:]  # the first lacks both
        for index in counted:
            for level, intensity in (("l2", 50), ("l1", 20)):
                report["cases"][index]["counters"][level + "_bytes"] = {
                    "value": report["cases"][index]["model"]["useful_flops"] / intensity,
                    "unit": "byte", "source": "counted", "metric": level, "passes": 1}
        BROWSER.open(exported(report))
        for name, count in (("L2", len(counted)), ("L1", len(counted)), ("HBM", len(self.points))):
            BROWSER.run(pressed(name) + ".click()")
            BROWSER.settle()
            self.assertEqual(marks(), count)
            BROWSER.hover(f'#roofline-chart [data-case="{counted[0]}"]')
            self.assertIn(name + " bytes", BROWSER.run('document.getElementById("tip").innerText'))
            self.assertIn(f"FLOP per byte of {name}", BROWSER.run('document.body.innerText'))

    def test_arrow_keys_walk_the_points(self):
        BROWSER.run('document.querySelector("#roofline-chart svg").focus()')
        seen = set()
        for _ in self.points:
            BROWSER.key("ArrowRight")
            seen.add(BROWSER.run('document.getElementById("tip").dataset.case'))
        self.assertEqual(len(seen), len(self.points))
        BROWSER.key("Escape")
        self.assertTrue(BROWSER.run('document.getElementById("tip").hidden'))

    def test_text_filter(self):
        BROWSER.type("#filter", "fused wrong")
        wanted = [c for c in REPORT["cases"] if "fused" in c["id"] and c["status"] == "wrong"]
        self.assertGreater(len(wanted), 0)
        self.assertEqual(rows(), len(wanted))
        self.assertIn(f"{len(wanted)} of {len(REPORT['cases'])}",
                      BROWSER.run('document.getElementById("shown").textContent'))

    def test_kernel_switch_hides_rows_and_marks(self):
        BROWSER.run(pressed("naive") + ".click()")
        BROWSER.settle()
        self.assertEqual(rows(), sum("/naive/" not in c["id"] for c in REPORT["cases"]))
        self.assertEqual(marks(), sum("/naive/" not in c["id"] for c in self.points))
        BROWSER.run(pressed("naive") + ".click()")
        BROWSER.settle()
        self.assertEqual(rows(), len(REPORT["cases"]))

    def test_sorts_by_time_both_ways(self):
        heads = BROWSER.run('[...document.querySelectorAll("#cases th")].map(h => h.textContent)')
        speed = heads.index("FLOP/s")
        for _ in range(2):
            BROWSER.click('[data-sort="speed"]')
            values = [float(v.split()[0]) for v in column(speed) if v]
            down = BROWSER.run('document.querySelector("[aria-sort]").getAttribute("aria-sort")')
            self.assertEqual(values, sorted(values, reverse=down == "descending"))
            self.assertGreater(len(set(values)), 1)

    def test_table_names_each_roof_with_its_mode(self):
        heads = BROWSER.run('[...document.querySelectorAll("#cases th")].map(h => h.textContent)')
        roofs = [roof_name(c["roofline"]) for c in self.points]
        self.assertEqual([r for r in column(heads.index("roof")) if r], roofs)
        self.assertTrue(any(r.endswith(" sustained") for r in roofs))

    def test_row_opens_to_counters_and_their_source(self):
        index = next(i for i, c in enumerate(REPORT["cases"])
                     if c["status"] == "ok" and c["roofline"]["bytes_source"] == "counted")
        BROWSER.click(f'#cases .row[data-case="{index}"]')
        detail = BROWSER.run('document.querySelector(".detail").innerText')
        self.assertIn("dram__bytes_read.sum", detail)
        self.assertIn("not known", detail)

    def test_every_finding_ceiling_and_warning_is_there(self):
        text = BROWSER.run("document.body.innerText")
        for finding in REPORT["findings"]:
            self.assertIn(finding["text"].replace("^", ""), text)  # raised
        for ceiling in REPORT["ceilings"]:
            self.assertIn(ceiling["id"], text)
        for case in REPORT["cases"]:
            for warning in case["warnings"]:
                self.assertIn(warning, text)
            if case["reason"]:
                self.assertIn(case["reason"], text)

    def test_dark_and_light(self):
        paper = 'getComputedStyle(document.body).backgroundColor'
        light = BROWSER.run(paper)
        BROWSER.theme(True)
        BROWSER.settle()
        dark = BROWSER.run(paper)
        self.assertNotEqual(light, dark)
        BROWSER.click("#theme")
        self.assertEqual(BROWSER.run(paper), light)

    def test_fits_a_phone(self):
        BROWSER.open(self.page, width=360, height=740)
        self.assertLessEqual(BROWSER.run("document.documentElement.scrollWidth"), 360)
        BROWSER.click('#cases .row[data-case="0"]')
        self.assertLessEqual(BROWSER.run("document.documentElement.scrollWidth"), 360)

    def test_prints(self):
        self.assertTrue(BROWSER.pdf().startswith(b"%PDF"))

    def test_text_of_a_report_is_never_markup(self):
        report = json.loads(json.dumps(REPORT))
        report["device"]["name"] = report["cases"][0]["id"] = HOSTILE
        report["host"]["name"] = report["findings"][0]["text"] = HOSTILE
        report["cases"][0]["warnings"] = [HOSTILE]
        report["cases"][-1]["reason"] = HOSTILE
        BROWSER.open(exported(report))
        self.assertEqual(BROWSER.run('document.querySelectorAll("img").length'), 0)
        self.assertIn(HOSTILE.split("\u2028")[0].strip(), BROWSER.run("document.body.textContent"))
        self.assertEqual(rows(), len(report["cases"]))

    def test_prediction_is_drawn_and_says_what_it_is(self):
        page = os.path.join(FOLDER, "prediction.html")
        subprocess.run([BINARY, "predict", "--device-spec", "h200", "-N", "1024,4096", "-d", "64", "-o", page],
                       check=True, stdout=subprocess.DEVNULL, timeout=60)
        BROWSER.open(page)
        self.assertIn("Predicted", BROWSER.run("document.title"))
        self.assertEqual(marks(), rows())
        BROWSER.hover('#roofline-chart [data-case="0"]')
        tip = BROWSER.run('document.getElementById("tip").innerText')
        self.assertIn("attainable", tip)
        self.assertNotIn("NaN", BROWSER.run("document.body.textContent"))

    def test_report_without_ceilings(self):
        report = json.loads(json.dumps(dict(REPORT, ceilings=[])))
        roofless = ("ceiling", "ceiling_mode", "attainable_flops_per_s", "attainable_s", "fraction_of_roof", "bound")
        for case in report["cases"]:
            if case["roofline"]:
                case["roofline"].update(dict.fromkeys(roofless))
        BROWSER.open(exported(report))
        self.assertEqual(marks(), len(self.points))
        BROWSER.hover("#roofline-chart .mark")
        tip = BROWSER.run('document.getElementById("tip").innerText')
        self.assertIn("FLOP/byte", tip)
        self.assertNotIn("roof", tip)

    def test_any_finite_number_is_drawn(self):
        for place in ("intensity_flop_per_byte", "achieved_flops_per_s"):
            for value in (1e308, 1e-320):
                report = json.loads(json.dumps(REPORT))
                report["cases"][0]["roofline"][place] = value
                report["ceilings"][0]["value"] = value
                BROWSER.open(exported(report))
                self.assertEqual(marks(), len(self.points))

    def test_report_without_cases(self):
        report = dict(REPORT, cases=[], findings=[], ceilings=[])
        BROWSER.open(exported(report))
        self.assertIn("No case gave a point", BROWSER.run("document.body.textContent"))


def shoot(report, folder):
    page = exported(report)
    for name, width, dark in (("light", 1280, False), ("dark", 1280, True), ("phone", 360, False)):
        BROWSER.open(page, width=width, height=900, dark=dark)
        BROWSER.screenshot(os.path.join(folder, name + ".png"))
    BROWSER.open(page)
    BROWSER.hover("#roofline-chart .mark")
    BROWSER.screenshot(os.path.join(folder, "hover.png"), whole=False)
    BROWSER.pdf(os.path.join(folder, "print.pdf"))
    BROWSER.size(720, 1000)
    BROWSER.call("Emulation.setEmulatedMedia", media="print")
    BROWSER.screenshot(os.path.join(folder, "print.png"))


if __name__ == "__main__":
    if find_chromium() is None:
        print("skipped: no chromium on PATH (Debian: apt-get install chromium)")
        sys.exit(77)
    BINARY = os.path.abspath(sys.argv[1])
    with open(sys.argv[2], encoding="utf-8") as file:
        REPORT = json.load(file)
    with tempfile.TemporaryDirectory() as FOLDER, Browser(find_chromium(), seconds=240) as BROWSER:
        if len(sys.argv) > 3:
            shoot(REPORT, sys.argv[3])
        else:
            result = unittest.main(argv=sys.argv[:1], exit=False, verbosity=2).result
            sys.exit(not result.wasSuccessful())
