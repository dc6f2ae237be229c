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


LENGTHS = (8192, 16384)


def timed(kernel, length, seconds, status="ok", dtype="bf16"):
    """A case of a report, as far as the peers' script looks into it."""
    return {"id": f"forward/fused:{kernel}/{dtype}/full/b2/h16/kv16/q{length}/k{length}/d128/cold", "status": status,
            "reason": None, "kernel": {"name": "fused", "variant": kernel}, "model": {"useful_flops": 700e12},
            "problem": {"head_dim": 128, "mask": "full", "q_len": length}, "time": {"median_s": seconds}}


def ours(sm90=1.0, sm80=1.0, **of_sm90):
    """Cases of two problems with each kernel."""
    return [case for length in LENGTHS
            for case in (timed("sm90", length, sm90, **of_sm90), timed("sm80", length, sm80))]


def theirs(**times):
    """Both problems' times of the peers; those of the first overridden by `times`."""
    return {f"forward/bf16/full/b2/h16/kv16/q{length}/k{length}/d128/cold":
            {"cudnn_s": 1.1, "flash_s": 1.2} | (times if length == LENGTHS[0] else {}) for length in LENGTHS}


def judge_peers(before, after, problems, capability="9.0"):
    """Exit code, figures and errors of peer_figures.py on cases timed before and after the peers' problems."""
    device = {"device": {"compute_capability": capability}}
    reports = {"before": {"tool": {"git_sha": "a"}, "cases": before, **device}, "after": {"cases": after, **device},
               "dtypes": {"cases": [timed("sm90", 8192, 1.0, dtype=dtype) for dtype in ("bf16", "fp16")], **device},
               "peers": {"device": "D", "torch": "T", "cudnn": 1, "problems": problems}}
    with tempfile.TemporaryDirectory() as folder:
        path = {name: os.path.join(folder, name) for name in (*reports, "figures", "times")}
        for name, content in reports.items():
            with open(path[name], "w") as file:
                json.dump(content, file)
        result = subprocess.run([sys.executable, str(CHECK.parent / "peer_figures.py"), path["before"], path["after"],
                                 path["peers"], "--dtypes", path["dtypes"], "--figures", path["figures"],
                                 "--json", path["times"]], capture_output=True, text=True)
        figures = {}
        if os.path.exists(path["figures"]):
            with open(path["figures"]) as file:
                figures = json.load(file)
    return result.returncode, figures, result.stderr


def peers_faults():
    """What peer_figures.py judges wrongly."""
    nan, bad = float("nan"), []
    _, figures, _ = judge_peers(ours(0.98), ours(1 / 0.98), theirs())  # the geometric mean is 1
    for name, expected in (("fused_vs_cudnn_worst", 1.1), ("fused_vs_fa2_geomean", 1.2), ("sm80_vs_fa2_worst", 1.2),
                           ("fused_d128_full_8k_tflops", 700), ("fp16_over_bf16_worst", 1)):
        if figures.get(name) != expected:
            bad.append(f"peers: {name} is {figures.get(name)}, not {expected}")
    for name, expected, args in (
            ("as they are", 0, (ours(), ours(), theirs())),
            ("before Hopper", 0, (ours(status="unsupported"), ours(status="unsupported"), theirs(), "8.0")),
            ("unsupported on Hopper", 1, (ours(status="unsupported"), ours(status="unsupported"), theirs())),
            ("without sm90", 1, (ours()[1::2], ours()[1::2], theirs())),
            ("faster than ours", 1, (ours(), ours(), theirs(cudnn_s=0.8))),
            ("refused by a peer", 1, (ours(), ours(), {
                problem: {"flash_s": 1.2, "cudnn_error": "no"} if "q8192" in problem else times
                for problem, times in theirs().items()})),
            ("not run by the peers", 1, (ours(), ours(), dict(list(theirs().items())[1:]))),
            ("NaN with a peer", 1, (ours(), ours(), theirs(cudnn_s=nan))),
            ("NaN with us", 1, (ours(nan), ours(), theirs())),
            ("far apart", 1, (ours(1.1), ours(1 / 1.1), theirs())),
            ("not timed again", 1, (ours(), ours()[1:], theirs())),
            ("wrong", 1, (ours(), ours(status="wrong"), theirs()))):
        code, _, errors = judge_peers(*args)
        if code != expected or errors:
            bad.append(f"peers {name}: exit code {code}, not {expected}; {errors}")
    return bad


def place(case):
    """A case as the README's table of peers names it."""
    _, _, _, mask, *sizes = case.split("/")
    size = {part[0]: int(part[1:]) for part in sizes if part[1:].isdigit()}
    return f"d {size['d']}, {mask}, N {size['q'] // 1024}k"


def shown_peers_faults(peers_json, readme):
    """What the README's table of peers has that is not in the times beside it."""
    from figures import geometric_mean
    from peer_figures import load, peer_ratios
    rows, bad = load(peers_json)["cases"], []
    with open(readme) as file:
        lines = [line for line in file.read().splitlines() if line.startswith("| `fused:")]
    for line in lines:
        kernel, against = line.split("|")[1].split(" against ")
        ratios = peer_ratios(rows, kernel.split("`")[1].split(":")[1])[{"cuDNN": "cudnn"}.get(against.strip(), "fa2")]
        worst = min(ratios, key=ratios.get)
        cells = [cell.strip() for cell in line.split("|")[2:5]]
        shown = [f"{geometric_mean(ratios.values()):.2f}", f"{ratios[worst]:.2f}", f"{len(ratios)}"]
        if [cells[0], cells[1].split(" ")[0], cells[2]] != shown:
            bad.append(f"README: {line} is not {' '.join(shown)}")
        if "(" in cells[1] and f"({place(worst)})" not in cells[1]:
            bad.append(f"README: {line}: the worst is {place(worst)}")
    if len(lines) != 4:
        bad.append(f"README: {len(lines)} rows of peers")
    return bad


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
    bad += peers_faults()
    data = pathlib.Path(sys.argv[1]).parent
    bad += shown_peers_faults(data / "peers.json", CHECK.parents[2] / "README.md")
    print("\n".join(bad) or f"{len(reports)} reports judged")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
