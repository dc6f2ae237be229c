#!/usr/bin/env python3
"""Holds the naive kernel to the memory roof, and the ceilings to what PyTorch reaches beside them.

usage: check_naive.py REPORT.json... --figures FIGURES.json --bench BENCH.txt [--torch TORCH.json]

Reports of configs/naive.json, counters on; the ceilings are the first one's. The kernel that plain
`naive` chose is held to all limits: each step against the probe that moves bytes as it does, the
whole against the copy ceiling. The scores read Q and K too, which costs HBM more than their bytes:
BENCH.txt, what attnroof_naive_bench printed, holds them to the best that moves the same bytes and
does nothing else. A variant asked for by name is held to its byte model and the roof.
"""
import argparse
import json
import re
import sys

from figures import FLOORS, above_roof, add_figures, exit_status

PROBES = {"scores": "hbm.write", "softmax": "hbm.copy", "output": "hbm.read"}
LEAST_FRACTION, LEAST_TFLOPS, MOST_BYTES_OFF, LEAST_CEILING = 0.85, 220, 0.03, 0.99
MOST_BYTES_OFF_CAUSAL = 0.10  # a kernel that skips has half the scores beside the same Q, K and V
LARGE_SCORES = 1e9  # bytes in 16 bits; below, part of the scores stays in L2


def score_bytes(problem):
    return 2 * problem["batch"] * problem["heads"] * problem["q_len"] * problem["kv_len"]


def step_fraction(step, ceilings):
    """Share of the step's probe that it reaches, from counted bytes; None when something is missing."""
    counted = [step["counters"].get(f"hbm_{way}_bytes", {}).get("value") for way in ("read", "write")]
    seconds = step["time"]["median_s"]
    if seconds is None or None in counted:
        return None
    return sum(counted) / seconds / ceilings[PROBES[step["name"]]]


class Check:
    def __init__(self, ceilings):
        self.ceilings, self.figures, self.faults, self.least = ceilings, {}, [], {}
        self.bytes_off, self.held, self.others, self.misses = [], 0, 0, []

    def fault(self, label, text):
        self.faults.append(f"{label}: {text}")

    def hold(self, name, value, limit, label):
        self.least[name] = min(value, self.least.get(name, value))
        if value < limit:
            known = value >= FLOORS.get(name, limit)
            text = f"{label}: {name} {value:.3f}, at least {limit} is asked for"
            (self.misses if known else self.faults).append(text)

    def case(self, case):
        label, problem = case["id"], case["problem"]
        if case["kernel"]["name"] != "naive":
            return
        if case["status"] != "ok":
            return self.fault(label, f"{case['status']}: {case['reason']}")
        roofline = case["roofline"]
        if roofline is None:
            return self.fault(label, "has no point")
        if roofline["bytes_source"] != "counted" or roofline["bytes_kind"] != "settled":
            return self.fault(label, f"bytes are {roofline['bytes_source']} {roofline['bytes_kind']}")
        if roofline["fraction_of_roof"] is None:
            self.fault(label, "has no roof")
        elif roofline["fraction_of_roof"] > 1.0:
            self.fault(label, above_roof(roofline))
        off = abs(roofline["hbm_bytes"] / case["model"]["hbm_bytes"] - 1)
        if score_bytes(problem) > LARGE_SCORES:
            if problem["mask"] == "full":
                self.bytes_off.append(off)
            if off > (MOST_BYTES_OFF if problem["mask"] == "full" else MOST_BYTES_OFF_CAUSAL):
                self.fault(label, f"bytes off the model by {off:.4f}")
        fractions = {step["name"]: step_fraction(step, self.ceilings) for step in case.get("steps", [])}
        if fractions.keys() != PROBES.keys():
            self.fault(label, f"steps are {', '.join(fractions) or 'missing'}")
        for name, fraction in fractions.items():
            if fraction is None:
                self.fault(label, f"{name}: bytes or time missing")
            elif fraction > 1.0:
                self.fault(label, f"{name}: {fraction:.4f} of {PROBES[name]}")
        whole = roofline["achieved_bytes_per_s"] / self.ceilings["hbm.copy"]
        tflops = roofline["achieved_flops_per_s"] / 1e12
        print(f"{label} ({case['kernel']['variant']}): {tflops:.1f} TFLOP/s, {whole:.3f} of copy, bytes off {off:.4f}; "
              + ", ".join(f"{name} {fraction:.3f}" for name, fraction in fractions.items() if fraction is not None))
        # What was asked for stands in the id: a plain name, or one with its variant.
        if "/naive/" not in label:
            self.others += 1
            return
        self.held += 1
        for name, fraction in fractions.items():
            if fraction is not None:
                probe = PROBES[name].split(".")[1]
                self.hold(f"naive_{name}_fraction_of_{probe}_min", fraction, LEAST_FRACTION, label)
        self.hold("naive_fraction_of_copy_min", whole, LEAST_FRACTION, label)
        if problem["head_dim"] == 128:
            if problem["q_len"] == 8192:
                self.figures["naive_d128_full_8k_tflops"] = round(tflops, 1)
            if tflops < LEAST_TFLOPS:
                self.fault(label, f"{tflops:.1f} TFLOP/s, at least {LEAST_TFLOPS} are asked for")

    def torch(self, torch):
        for name, ceiling, key in (("tensor_ceiling_vs_cublas", "tensor.bf16", "bf16_flops_per_s"),
                                   ("copy_ceiling_vs_torch", "hbm.copy", "copy_bytes_per_s")):
            self.hold(name, self.ceilings[ceiling] / torch[key], LEAST_CEILING, "ceilings")

    def bench(self, path):
        name, label = "naive_scores_fraction_of_bytes_alone_min", "attnroof_naive_bench"
        try:
            with open(path) as file:
                shares = re.findall(rf"^{name} (\d+\.\d+)$", file.read(), re.MULTILINE)
        except OSError as error:
            return self.fault(label, f"left nothing to read: {error.strerror}")
        if len(shares) != 1:
            return self.fault(label, f"printed {len(shares)} lines of {name}")
        self.hold(name, float(shares[0]), LEAST_FRACTION, label)

    def all_figures(self):
        worst = {"naive_bytes_vs_model_worst": round(max(self.bytes_off), 4)} if self.bytes_off else {}
        return {**self.figures, **worst, **{name: round(value, 4) for name, value in self.least.items()}}


def load(path):
    with open(path) as file:
        return json.load(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reports", nargs="+")
    parser.add_argument("--figures", required=True)
    parser.add_argument("--bench", required=True)
    parser.add_argument("--torch")
    args = parser.parse_args()
    reports = [load(path) for path in args.reports]
    check = Check({c["id"]: c["value"] for c in reports[0]["ceilings"] if c["mode"] == "burst"})
    missing = {"tensor.bf16", *PROBES.values()} - check.ceilings.keys()
    if missing:
        print("no ceilings:", ", ".join(sorted(missing)))
        return 1
    for report in reports:
        for case in report["cases"]:
            check.case(case)
    check.bench(args.bench)
    if args.torch:
        check.torch(load(args.torch))
    if not check.held:
        check.fault("reports", "no case of plain naive")
    figures = check.all_figures()
    add_figures(args.figures, figures)
    for name, value in sorted(figures.items()):
        print(f"{name} {value}")
    if not args.torch:
        print("not held: the ceilings against PyTorch, which is not installed")
    status = exit_status(check.faults, check.misses)
    print(f"{check.held} naive cases and {check.others} of variants, worst "
          f"{check.least.get('naive_fraction_of_copy_min', 0):.3f} of copy, {len(check.misses)} known misses, "
          f"{len(check.faults)} faults")
    return status


if __name__ == "__main__":
    sys.exit(main())
