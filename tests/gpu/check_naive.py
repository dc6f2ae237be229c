#!/usr/bin/env python3
"""Holds the naive kernel to the memory roof, and the ceilings to what PyTorch reaches beside them.

usage: check_naive.py REPORT.json --figures FIGURES.json [--torch TORCH.json]

The report is that of configs/naive.json, counters on. Each step is held against the probe that moves
bytes as it does, the whole kernel against the copy ceiling.
"""
import argparse
import json
import sys

from figures import add_figures

PROBES = {"scores": "hbm.write", "softmax": "hbm.copy", "output": "hbm.read"}
LEAST_FRACTION, LEAST_TFLOPS, MOST_BYTES_OFF, LEAST_CEILING = 0.85, 220, 0.03, 0.99


def counted_bytes(counters):
    return counters["hbm_read_bytes"]["value"] + counters["hbm_write_bytes"]["value"]


def step_fraction(step, ceilings):
    return counted_bytes(step["counters"]) / step["time"]["median_s"] / ceilings[PROBES[step["name"]]]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("report")
    parser.add_argument("--figures", required=True)
    parser.add_argument("--torch")
    args = parser.parse_args()
    with open(args.report) as file:
        report = json.load(file)
    ceilings = {c["id"]: c["value"] for c in report["ceilings"] if c["mode"] == "burst"}
    figures, faults, least = {}, [], {}

    def hold(name, value, limit, label):
        least[name] = min(value, least.get(name, value))
        if value < limit:
            faults.append(f"{label}: {name} {value:.3f}, at least {limit} is asked for")

    bytes_off = [0.0]
    for case in report["cases"]:
        label, problem = case["id"], case["problem"]
        if case["status"] != "ok":
            faults.append(f"{label}: {case['status']}: {case['reason']}")
            continue
        roofline, model = case["roofline"], case["model"]
        if roofline["bytes_source"] != "counted" or roofline["bytes_kind"] != "settled":
            faults.append(f"{label}: bytes are {roofline['bytes_source']} {roofline['bytes_kind']}")
            continue
        if roofline["fraction_of_roof"] > 1.0:
            faults.append(f"{label}: {roofline['fraction_of_roof']:.4f} of {roofline['ceiling']}")
        off = abs(roofline["hbm_bytes"] - model["hbm_bytes"]) / model["hbm_bytes"]
        bytes_off.append(off)
        if off > MOST_BYTES_OFF:
            faults.append(f"{label}: bytes off the model by {off:.4f}")
        fractions = {step["name"]: step_fraction(step, ceilings) for step in case["steps"]}
        for name, fraction in fractions.items():
            hold(f"naive_{name}_fraction_of_{PROBES[name].split('.')[1]}_min", fraction, LEAST_FRACTION, label)
        whole = roofline["achieved_bytes_per_s"] / ceilings["hbm.copy"]
        hold("naive_fraction_of_copy_min", whole, LEAST_FRACTION, label)
        tflops = roofline["achieved_flops_per_s"] / 1e12
        if problem["head_dim"] == 128:
            if problem["q_len"] == 8192:
                figures["naive_d128_full_8k_tflops"] = round(tflops, 1)
            if tflops < LEAST_TFLOPS:
                faults.append(f"{label}: {tflops:.1f} TFLOP/s, at least {LEAST_TFLOPS} are asked for")
        print(f"{label}: {tflops:.1f} TFLOP/s, {whole:.3f} of copy; "
              + ", ".join(f"{name} {fraction:.3f}" for name, fraction in fractions.items()))

    if args.torch:
        with open(args.torch) as file:
            torch = json.load(file)
        hold("tensor_ceiling_vs_cublas", ceilings["tensor.bf16"] / torch["bf16_flops_per_s"], LEAST_CEILING, "ceilings")
        hold("copy_ceiling_vs_torch", ceilings["hbm.copy"] / torch["copy_bytes_per_s"], LEAST_CEILING, "ceilings")

    figures.update({name: round(value, 4) for name, value in least.items()})
    figures["naive_bytes_vs_model_worst"] = round(max(bytes_off), 4)
    add_figures(args.figures, figures)
    for fault in faults:
        print("fault:", fault)
    print(f"{len(report['cases'])} naive cases, worst {least.get('naive_fraction_of_copy_min', 0):.3f} of copy, "
          f"{len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
