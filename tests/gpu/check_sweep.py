#!/usr/bin/env python3
"""Holds the report of the default sweep to what the tool promises, and gathers its figures.

usage: check_sweep.py REPORT.json --wall-seconds S --figures FIGURES.json
"""
import argparse
import json
import sys

from figures import above_roof, add_figures


def relative(counted, model):
    return abs(counted - model) / model


def counted(case, name, group="counters"):
    entry = case[group].get(name) or {}
    return entry.get("value")


def check_fused_bytes(case, reads, faults):
    """Settled bytes: Q, K, V once in, O and LSE once out; to 2 % at 4096 keys, reads to 5 % elsewhere."""
    limits = {"read": 0.05, "write": None}
    if case["problem"]["kv_len"] == 4096:
        limits = {"read": 0.02, "write": 0.02}
    for way, limit in limits.items():
        value, model = counted(case, f"settled_hbm_{way}_bytes"), case["model"][f"hbm_{way}_bytes"]
        if value is None:
            faults.append(f"{case['id']}: settled {way} bytes were not counted")
            continue
        if way == "read":
            reads.append(relative(value, model))
        if limit is not None and relative(value, model) > limit:
            faults.append(f"{case['id']}: {way} {value:.5g} B, modelled {model:.5g} B, asked {limit:.0%}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("report")
    parser.add_argument("--wall-seconds", type=float, required=True)
    parser.add_argument("--figures", required=True)
    args = parser.parse_args()
    with open(args.report) as file:
        report = json.load(file)

    faults, kernels = [], set()
    naive_bytes, fused_reads, executed_ratio, above, waste = [0.0], [0.0], [], [], {}
    for case in report["cases"]:
        label = case["id"]
        if case["status"] != "ok":
            faults.append(f"{label}: {case['status']}: {case['reason']}")
            continue
        problem, roofline, model = case["problem"], case["roofline"], case["model"]
        if roofline is None or roofline["fraction_of_roof"] is None:
            faults.append(f"{label}: has no point under a roof")
            continue
        kernels.add(case["kernel"]["name"])
        if roofline["fraction_of_roof"] > 1.0:
            above.append(f"{label}: {above_roof(roofline)}")
        if roofline["bytes_source"] != "counted":
            faults.append(f"{label}: bytes are {roofline['bytes_source']}, not counted")
            continue
        executed = case["executed"]["flops"]
        if executed is None or executed < model["useful_flops"]:
            faults.append(f"{label}: executed {executed} FLOPs, useful are {model['useful_flops']}")
        else:
            executed_ratio.append(executed / model["useful_flops"])
        scores = problem["batch"] * problem["heads"] * problem["q_len"] * problem["kv_len"] * 2
        if case["kernel"]["name"] == "naive" and scores > 1e9:
            naive_bytes.append(relative(roofline["hbm_bytes"], model["hbm_bytes"]))
            if naive_bytes[-1] > 0.05:
                faults.append(f"{label}: counted {roofline['hbm_bytes']:.4g} B, modelled {model['hbm_bytes']:.4g} B")
        if case["kernel"]["name"] == "fused":
            check_fused_bytes(case, fused_reads, faults)
            if executed is not None and problem["mask"] == "full" and executed > 1.02 * model["useful_flops"]:
                faults.append(f"{label}: executed {executed / model['useful_flops']:.4f} of the useful FLOPs")
            if executed is not None and problem["mask"] == "causal":
                waste[label] = executed / model["useful_flops"]
    faults += [f"no case of {kernel} has a point" for kernel in ("naive", "fused") if kernel not in kernels]
    faults += [f"above its roof: {line}" for line in above]
    if args.wall_seconds >= 20:
        faults.append(f"the sweep took {args.wall_seconds:.1f} s, 20 s are allowed")
    for label, ratio in waste.items():
        print(f"{label}: executed {ratio:.3f} of the useful FLOPs (tiles on the diagonal)")

    add_figures(args.figures, {
        "device": report["device"]["name"],
        "default_sweep_cases": len(report["cases"]),
        "default_sweep_seconds": round(args.wall_seconds, 2),
        "default_naive_bytes_vs_model_worst": round(max(naive_bytes), 4),
        "fused_reads_vs_model_worst": round(max(fused_reads), 4),
        "executed_over_useful_max": round(max(executed_ratio, default=0), 4),
        "points_above_roof": len(above),
        "ceilings": {c["id"]: c["value"] for c in report["ceilings"] if c.get("mode") == "burst"},
    })
    for fault in faults:
        print("fault:", fault)
    print(f"{len(report['cases'])} cases in {args.wall_seconds:.1f} s, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
