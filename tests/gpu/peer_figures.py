#!/usr/bin/env python3
"""Ratios of the fused kernels to cuDNN and FlashAttention-2, timed in turns: ours, theirs, ours.

usage: peer_figures.py BEFORE.json AFTER.json PEERS.json --dtypes DTYPES.json --figures FIGURES.json --json TIMES.json

BEFORE and AFTER are reports of one config from before and behind sdpa_peer.py, which wrote PEERS. They
hold fused:sm90 and fused:sm80 (on a device before Hopper sm80 alone); our time of a case is their
geometric mean, so that a device that grows slower or faster meanwhile favours neither side. DTYPES has
the same problems in bf16 and fp16. TIMES gets every time. Exits 1 when a case failed or a figure misses
what is asked of it.
"""
import argparse
import json
import sys

from figures import FLOORS, add_figures, exit_status, geometric_mean, problem_of

PEERS = {"cudnn": "cudnn", "flash": "fa2"}


def load(path):
    with open(path) as file:
        return json.load(file)


def failures(report):
    return [f"{c['id']}: {c['status']}: {c['reason']}" for c in report["cases"] if c["status"] not in ("ok", "unsupported")]


def rate(case):
    return case["model"]["useful_flops"] / case["time"]["median_s"]


def solved(report):
    return {c["id"]: c for c in report["cases"] if c["status"] == "ok"}


def gather(before, after, peers):
    """Every time of the run, and where each comes from."""
    cases, again = solved(before), solved(after)
    rows = [{"id": case, "variant": cases[case]["kernel"]["variant"],
             "attnroof_s": [solved_by[case]["time"]["median_s"] for solved_by in (cases, again)],
             **peers["problems"].get(problem_of(case), {})}
            for case in cases if case in again]
    return {"attnroof": before["tool"], **{key: peers[key] for key in ("device", "torch", "cudnn")}, "cases": rows}


def peer_ratios(rows, variant):
    """Peer -> {case id: peer's time over ours}; above 1 attnroof is the faster."""
    ratios = {label: {} for label in PEERS.values()}
    for row in rows:
        for peer, label in PEERS.items():
            if row["variant"] == variant and peer + "_s" in row:
                ratios[label][row["id"]] = row[peer + "_s"] / geometric_mean(row["attnroof_s"])
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
    rates = {case: rate(c) for case, c in solved(report).items()}
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
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("peers")
    parser.add_argument("--dtypes", required=True)
    parser.add_argument("--figures", required=True)
    parser.add_argument("--json", required=True)
    args = parser.parse_args()
    before, after, dtypes = load(args.before), load(args.after), load(args.dtypes)
    times = gather(before, after, load(args.peers))
    with open(args.json, "w") as file:
        json.dump(times, file, indent=1)
        file.write("\n")
    rows = times["cases"]
    faults, misses = failures(before) + failures(after) + failures(dtypes), []
    faults += [f"{case}: timed once only" for case in solved(before).keys() ^ solved(after).keys()]

    figures = ratio_figures("sm80", "sm80", peer_ratios(rows, "sm80"), {"cudnn": (0, 0), "fa2": (1, 0)},
                            faults, misses)
    if any(row["variant"] == "sm90" for row in rows):
        figures |= ratio_figures("fused", "sm90", peer_ratios(rows, "sm90"),
                                 {"cudnn": (1, 0.93), "fa2": (1, 1)}, faults, misses)
        figures |= half_over_bfloat(dtypes, faults, misses)
    for row in rows:
        case = solved(before)[row["id"]]
        p = case["problem"]
        if (row["variant"], p["head_dim"], p["mask"]) == ("sm90", 128, "full") and p["q_len"] in (8192, 16384):
            name = f"fused_d128_full_{p['q_len'] // 1024}k_tflops"
            tflops = case["model"]["useful_flops"] / geometric_mean(row["attnroof_s"]) / 1e12
            figures[name] = round(tflops, 1)
            if tflops < 650:
                (misses if tflops >= FLOORS[name] else faults).append(f"{row['id']}: {tflops:.0f} TFLOP/s, asked 650")
    add_figures(args.figures, figures)
    status = exit_status(faults, misses)
    print(", ".join(f"{name} {value}" for name, value in figures.items())
          + f"; {len(misses)} known misses, {len(faults)} faults")
    return status


if __name__ == "__main__":
    sys.exit(main())
