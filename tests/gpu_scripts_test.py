"""The scripts that judge acceptance runs pass a whole report and no other.

usage: gpu_scripts_test.py REPORT.json
"""
import copy
import json
import os
import pathlib
import subprocess
import sys
import tempfile

CHECK = pathlib.Path(__file__).parent / "gpu" / "check_sweep.py"


def check(report):
    """Exit code and last line of the check, on `report`."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "report.json")
        with open(path, "w") as file:
            json.dump(report, file)
        result = subprocess.run([sys.executable, str(CHECK), path, "--wall-seconds", "1", "--figures",
                                 os.path.join(folder, "figures.json")], capture_output=True, text=True)
    return result.returncode, (result.stdout.splitlines() or [result.stderr])[-1]


def judge_bench(text):
    """Faults and misses that check_naive.py finds in what the bench printed, None for no file."""
    from check_naive import Check
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "bench.txt")
        if text is not None:
            with open(path, "w") as file:
                file.write(text)
        found = Check({})
        found.bench(path)
        return len(found.faults), len(found.misses)


def main():
    with open(sys.argv[1]) as file:
        whole = json.load(file)
    reports = {"as it is": (whole, "0 faults")}
    for kernel in ("naive", "fused"):
        without = copy.deepcopy(whole)
        without["cases"] = [c for c in whole["cases"] if c["kernel"]["name"] != kernel]
        reports[f"without {kernel}"] = (without, "1 faults")
    for name, path in (("roofline", ["roofline"]), ("fraction", ["roofline", "fraction_of_roof"])):
        without = copy.deepcopy(whole)
        place = without["cases"][0]
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = None
        reports[f"a case without {name}"] = (without, "1 faults")
    bad = []
    for name, (report, says) in reports.items():
        code, last = check(report)
        if code != (says != "0 faults") or not last.endswith(says):
            bad.append(f"{name}: exit code {code}, {last}")
    sys.path.insert(0, str(CHECK.parent))
    from figures import MISSED, above_roof, exit_status
    for faults, misses, status in ((["a"], ["b"], 1), ([], ["b"], MISSED), ([], [], 0)):
        if exit_status(faults, misses) != status:
            bad.append(f"{len(faults)} faults and {len(misses)} misses: exit status is not {status}")
    for mode, says in (("burst", "1.0312 of tensor.bf16"), ("sustained", "1.0312 of tensor.bf16 sustained")):
        if above_roof({"ceiling": "tensor.bf16", "ceiling_mode": mode, "fraction_of_roof": 1.0312}) != says:
            bad.append(f"above the {mode} roof: not {says}")
    line = "naive_scores_fraction_of_bytes_alone_min"
    for text, expected in ((f"a table\n{line} 0.8612\n", (0, 0)), (f"{line} 0.8312\n", (0, 1)),
                           (f"{line} 0.7012\n", (1, 0)), (None, (1, 0)), ("", (1, 0)), (f"{line}\n", (1, 0)),
                           (f"{line} nan\n", (1, 0)), (f"{line} 0.8612\n" * 2, (1, 0))):
        if judge_bench(text) != expected:
            bad.append(f"bench {text!r}: {judge_bench(text)} faults and misses, not {expected}")
    print("\n".join(bad) or f"{len(reports)} reports judged")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
