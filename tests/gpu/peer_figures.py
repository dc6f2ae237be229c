#!/usr/bin/env python3
"""Ratios of the fused kernels to cuDNN and FlashAttention-2 from one run of sdpa_peer.py.

usage: peer_figures.py REPORT.json PEERS.json --dtypes DTYPES.json --figures FIGURES.json

REPORT holds fused:sm90 and fused:sm80 (on a device before Hopper sm80 alone), DTYPES the same
problems in bf16 and fp16. Exits 1 when a case failed or a figure misses what is asked of it.
"""
import argparse
import json
import sys

from figures import FLOORS, add_figures, exit_status, geometric_mean

PEERS = {"cudnn": "cudnn", "flash": "fa2"}


def load(path):
    with open(path) as file:
        return json.load(file)


def failures(report):
    return [f"{c['id']}: {c['status']}: {c['reason']}" for c in report["cases"] if c["status"] not in ("ok", "unsupported")]


def rate(case):
    return case["model"]["useful_flops"] / case["time"]["median_s"]


def peer_ratios(rows, cases, variant):
    """Peer -> {case id: peer's time over ours}; above 1 attnroof is the faster."""
    ratios = {label: {} for label in PEERS.values()}
    for row in rows:
        if cases[row["id"]]["kernel"]["variant"] != variant:
            continue
        for peer, label in PEERS.items():
            if peer + "_s" in row:
                ratios[label][row["id"]] = row[peer + "_s"] / row["attnroof_s"]
    return ratios


def ratio_figures(name, variant, ratios, limits, faults, misses):
    """limits: peer -> (least geometric mean, least single ratio)."""
    figures = {}
    for label, by_case in ratios.items():
        if not by_case:
            faults.append(f"{name}: no case was timed with {label}")
            continue
        mean, worst = geometric_mean(by_case.values()), min(by_case, key=by_case.get)
        figures[f"{name}_vs_{label}_geomean"] = round(mean, 4)
        figures[f"{name}_vs_{label}_worst"] = round(by_case[worst], 4)
        print(f"fused:{variant} against {label}: geometric mean {mean:.3f}, worst {by_case[worst]:.3f} "
              f"({worst}) over {len(by_case)} cases")
        least_mean, least = limits[label]
        if mean < least_mean:
            faults.append(f"{name}: geometric mean against {label} {mean:.3f}, asked {least_mean}")
        floor = FLOORS.get(f"{name}_vs_{label}_worst", least)
        for case, ratio in by_case.items():
            if ratio < least:
                (misses if ratio >= floor else faults).append(f"{case}: {ratio:.3f} of {label}, asked {least}")
    return figures


def half_over_bfloat(report, faults, misses):
    """Least ratio of fp16 to bf16 over the same problems."""
    rates = {c["id"]: rate(c) for c in report["cases"] if c["status"] == "ok"}
    ratios = {}
    for case, value in rates.items():
        other = rates.get(case.replace("/fp16/", "/bf16/"))
        if "/fp16/" in case and other:
            ratios[case] = value / other
            print(f"{case}: {value / 1e12:.0f} TFLOP/s, {ratios[case]:.3f} of bf16")
    if not ratios:
        faults.append("no problem was timed in both fp16 and bf16")
        return {}
    least = min(ratios.values())
    if least < 0.98:
        known = least >= FLOORS["fp16_over_bf16_worst"]
        (misses if known else faults).append(f"fp16 is at {least:.3f} of bf16, asked 0.98")
    return {"fp16_over_bf16_worst": round(min(ratios.values()), 4)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("report")
    parser.add_argument("peers")
    parser.add_argument("--dtypes", required=True)
    parser.add_argument("--figures", required=True)
    args = parser.parse_args()
    report, dtypes, rows = load(args.report), load(args.dtypes), load(args.peers)
    cases = {c["id"]: c for c in report["cases"]}
    faults, misses = failures(report) + failures(dtypes), []
    variants = {c["kernel"]["variant"] for c in report["cases"] if c["status"] == "ok"}

    figures = ratio_figures("sm80", "sm80", peer_ratios(rows, cases, "sm80"), {"cudnn": (0, 0), "fa2": (1, 0)},
                            faults, misses)
    if "sm90" in variants:
        figures |= ratio_figures("fused", "sm90", peer_ratios(rows, cases, "sm90"),
                                 {"cudnn": (1, 0.93), "fa2": (1, 1)}, faults, misses)
        figures |= half_over_bfloat(dtypes, faults, misses)
    for case in report["cases"]:
        p = case["problem"]
        if (case["status"], case["kernel"]["variant"], p["head_dim"], p["mask"]) != ("ok", "sm90", 128, "full"):
            continue
        if p["q_len"] in (8192, 16384):
            name, tflops = f"fused_d128_full_{p['q_len'] // 1024}k_tflops", rate(case) / 1e12
            figures[name] = round(tflops, 1)
            if tflops < 650:
                (misses if tflops >= FLOORS[name] else faults).append(f"{case['id']}: {tflops:.0f} TFLOP/s, asked 650")
    add_figures(args.figures, figures)
    status = exit_status(faults, misses)
    print(", ".join(f"{name} {value}" for name, value in figures.items())
          + f"; {len(misses)} known misses, {len(faults)} faults")
    return status


if __name__ == "__main__":
    sys.exit(main())
