#!/usr/bin/env python3
"""Holds counted bytes and FLOPs to Nsight Compute on the same launches, and compares the cost.

usage: ncu_agreement.py ATTNROOF --out FOLDER --figures FIGURES.json

ncu runs twice over a sweep without counters. A cold case is launched as: displacing read, wait,
the kernel's launches; so each group starts at a wait, and the displacing read that follows it
drives the kernel's output out of L2. Bytes: DRAM reads and writes in one pass, caches and clocks
left alone, summed over a group's launches and that following read, less what the read alone
moves: what the report calls settled. FLOPs: the other metrics, summed over a group's launches. ncu
runs these whole; what the report counted on a case's first heads, as its metric says, may differ
by a little.
"""
import argparse
import csv
import io
import json
import os
import re
import subprocess
import sys
import time

from figures import add_figures

CONFIG = {
    "kernels": ["naive", "fused"],
    "axes": {"seq_len": [1024, 2048, 4096], "head_dim": 128},
    "tokens": 16384,
    "hidden": 2048,
    "timing": {"max_seconds": 10, "min_samples": 2, "max_samples": 2, "warmup": 1},
}
# Relative, of a count on some heads: what a block does once for all its tiles is counted too often.
MOST_FROM_A_PART = 1e-3
BYTES = ["dram__bytes_read.sum", "dram__bytes_write.sum"]
OPERATIONS = {
    "tensor_bf16_flops": "sm__ops_path_tensor_src_bf16_dst_fp32.sum",
    "ffma": "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
    "fadd": "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum",
    "fmul": "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum",
}


def run(command):
    start = time.monotonic()
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {result.returncode}\n{result.stderr}{result.stdout[-2000:]}")
    return result.stdout, time.monotonic() - start


def launches(text):
    """One dict a launch, in order, from ncu's raw CSV: what stands before the header is not ncu's."""
    lines = text.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith('"ID"'))
    rows = list(csv.DictReader(io.StringIO("\n".join(lines[first:]))))
    return rows[1:]  # the row under the header holds the units


def kind(row):
    name = row["Kernel Name"].replace("<unnamed>::", "").replace("(anonymous namespace)::", "")
    name = re.sub(r"[<(].*", "", name).split("::")[-1].split()[-1]
    return name if name in ("read", "wait") else "kernel"


def groups(rows):
    """(launches, displacing read behind them) for each wait; the read is None after the last."""
    found = []
    for i, row in enumerate(rows):
        if kind(row) != "wait":
            continue
        end = i + 1
        while end < len(rows) and kind(rows[end]) == "kernel":
            end += 1
        behind = rows[end] if end < len(rows) and kind(rows[end]) == "read" else None
        found.append((rows[i + 1:end], behind))
    return found


def total(rows, metric):
    return sum(float(row[metric].replace(",", "")) for row in rows)


def second_groups(found, cases):
    """The second timed group of each case. Kernels of two cases that follow each other differ in name."""
    chosen, at = [], 0
    for case in cases:
        steps = len(case.get("steps", [])) or 1
        if at + 1 >= len(found) or len(found[at + 1][0]) != steps or found[at + 1][1] is None:
            sys.exit(f"{case['id']}: {steps} launches and a displacing read behind them are expected in group {at + 1}")
        chosen.append(found[at + 1])
        names = {row["Kernel Name"] for row in found[at + 1][0]}
        while at < len(found) and found[at][0] and found[at][0][0]["Kernel Name"] in names:
            at += 1
    return chosen


def compare_bytes(case, group, alone):
    """Relative difference of settled reads plus writes; a displacing read alone moves `alone` bytes."""
    rows, behind = group
    counted = sum(case["counters"]["settled_" + key]["value"] for key in ("hbm_read_bytes", "hbm_write_bytes"))
    seen = sum(total(rows + [behind], metric) for metric in BYTES) - alone
    print(f"{case['id']}: {counted:.6g} B counted, {seen:.6g} B by ncu, {(counted - seen) / seen:+.3%}")
    return abs(counted - seen) / seen


def compare_operations(case, group, faults):
    """Worst relative difference of a counter that was counted on a part of the case."""
    worst = 0.0
    for key, metric in OPERATIONS.items():
        counter, seen = case["counters"][key], total(group[0], metric)
        counted = counter["value"]
        if counted is None:
            faults.append(f"{case['id']}: {key}: {counter['reason']}")
            continue
        difference = abs(counted - seen) / max(seen, 1)
        part = counter["metric"].endswith(" heads")
        if part:
            worst = max(worst, difference)
        if difference > (MOST_FROM_A_PART if part else 0):
            faults.append(f"{case['id']}: {key}: {counted} counted ({counter['metric']}), {seen:.0f} by ncu")
    return worst


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("attnroof")
    parser.add_argument("--out", required=True)
    parser.add_argument("--figures", required=True)
    args = parser.parse_args()
    config, report = os.path.join(args.out, "ncu.json"), os.path.join(args.out, "ncu_report.json")
    with open(config, "w") as file:
        json.dump(CONFIG, file)
    sweep = [args.attnroof, "sweep", "--config", config, "--device", "cuda", "--no-ceilings", "-q"]
    ncu = ["ncu", "--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none", "--cache-control", "none"]

    _, off_s = run(sweep + ["--counters", "off"])
    _, on_s = run(sweep + ["--counters", "on", "-o", report])
    by_bytes, _ = run(ncu + ["--metrics", ",".join(BYTES)] + sweep + ["--counters", "off"])
    metrics = BYTES + list(OPERATIONS.values()) + ["lts__t_sectors_srcunit_tex.sum"]
    by_all, ncu_s = run(ncu + ["--metrics", ",".join(metrics)] + sweep + ["--counters", "off"])

    with open(report) as file:
        cases = json.load(file)["cases"]
    faults = [f"{case['id']}: {case['status']}" for case in cases if case["status"] != "ok"]
    byte_groups, operation_groups = (second_groups(groups(launches(text)), cases) for text in (by_bytes, by_all))
    alone = min(total([row], BYTES[0]) for row in launches(by_bytes) if kind(row) == "read")
    worst = worst_part = 0.0
    for i, case in enumerate(cases):
        worst = max(worst, compare_bytes(case, byte_groups[i], alone))
        worst_part = max(worst_part, compare_operations(case, operation_groups[i], faults))
    if worst > 0.01:
        faults.append(f"bytes differ by up to {worst:.2%}, 1 % is allowed")
    add_figures(args.figures, {
        "ncu_bytes_diff_worst": round(worst, 5),
        "ncu_counted_on_a_part_diff_worst": round(worst_part, 7),
        "ncu_cost_over_ours": round((ncu_s - off_s) / max(on_s - off_s, 1e-9), 2),
    })
    for fault in faults:
        print("fault:", fault)
    print(f"{len(cases)} cases held to ncu, bytes within {worst:.2%}, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
