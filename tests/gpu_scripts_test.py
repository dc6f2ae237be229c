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


def timed(kernel, dtype, seconds, status="ok"):
    """A case of a report, as far as the peers' script looks into it."""
    return {"id": f"forward/fused:{kernel}/{dtype}/full/b2/h16/kv16/q8192/k8192/d128/cold", "status": status,
            "reason": None, "kernel": {"name": "fused", "variant": kernel}, "model": {"useful_flops": 700e12},
            "problem": {"head_dim": 128, "mask": "full", "q_len": 8192}, "time": {"median_s": seconds}}


def judge_peers(before, after, problems):
    """Exit code and figures of peer_figures.py on cases timed before and after the peers' problems."""
    reports = {"before": {"tool": {"git_sha": "a"}, "cases": before}, "after": {"cases": after},
               "dtypes": {"cases": [timed("sm90", "bf16", 1.0), timed("sm90", "fp16", 1.0)]},
               "peers": {"device": "D", "torch": "T", "cudnn": 1, "problems": problems}}
    with tempfile.TemporaryDirectory() as folder:
        path = {name: os.path.join(folder, name) for name in (*reports, "figures", "times")}
        for name, content in reports.items():
            with open(path[name], "w") as file:
                json.dump(content, file)
        result = subprocess.run([sys.executable, str(CHECK.parent / "peer_figures.py"), path["before"], path["after"],
                               path["peers"], "--dtypes", path["dtypes"], "--figures", path["figures"],
                               "--json", path["times"]], capture_output=True, text=True)
        figures = json.load(open(path["figures"])) if os.path.exists(path["figures"]) else {}
    return result.stderr or result.returncode, figures


def peers_faults():
    """What peer_figures.py judges wrongly."""
    problem = "forward/bf16/full/b2/h16/kv16/q8192/k8192/d128/cold"
    ours = [timed("sm90", "bf16", 0.5), timed("sm80", "bf16", 1.0)]
    slower = [timed("sm90", "bf16", 2.0), timed("sm80", "bf16", 1.0)]  # the mean of 0.5 and 2 is 1
    theirs = {problem: {"cudnn_s": 1.1, "flash_s": 1.2}}
    bad = []
    code, figures = judge_peers(ours, slower, theirs)
    for name, expected in (("fused_vs_cudnn_worst", 1.1), ("fused_vs_fa2_geomean", 1.2), ("sm80_vs_fa2_worst", 1.2),
                           ("fused_d128_full_8k_tflops", 700), ("fp16_over_bf16_worst", 1)):
        if figures.get(name) != expected:
            bad.append(f"peers: {name} is {figures.get(name)}, not {expected}")
    for name, expected, judged in (
            ("as they are", 0, code),
            ("faster than ours", 1, judge_peers(ours, slower, {problem: {"cudnn_s": 0.8, "flash_s": 1.2}})[0]),
            ("refused by a peer", 1, judge_peers(ours, slower, {problem: {"cudnn_error": "no", "flash_s": 1.2}})[0]),
            ("not timed again", 1, judge_peers(ours, slower[1:], theirs)[0]),
            ("wrong", 1, judge_peers(ours, [timed("sm90", "bf16", 2.0, "wrong"), slower[1]], theirs)[0])):
        if judged != expected:
            bad.append(f"peers {name}: exit code {judged}, not {expected}")
    return bad


def shown_peers_faults(peers_json, readme):
    """Rows of the README's table of peers that are not those of the times beside it."""
    from figures import geometric_mean
    from peer_figures import load, peer_ratios
    rows, bad = load(peers_json)["cases"], []
    with open(readme) as file:
        lines = file.read().splitlines()
    for variant, label, peer in (("sm90", "cudnn", "cuDNN"), ("sm90", "fa2", "FlashAttention-2"),
                                 ("sm80", "fa2", "FlashAttention-2"), ("sm80", "cudnn", "cuDNN")):
        ratios = peer_ratios(rows, variant)[label].values()
        begins, mean, worst = f"| `fused:{variant}`", f"{geometric_mean(ratios):.2f}", f"{min(ratios):.2f}"
        if not any(line.startswith(begins) and f"against {peer} | {mean} | {worst}" in line
                   and line.endswith(f"| {len(ratios)} |") for line in lines):
            bad.append(f"README: no row of fused:{variant} against {peer} with {mean}, {worst} and {len(ratios)} cases")
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
