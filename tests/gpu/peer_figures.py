#!/usr/bin/env python3
"""Ratios of the fused kernels to cuDNN and FlashAttention-2, timed in turns: ours, theirs, ours.

usage: peer_figures.py BEFORE.json AFTER.json PEERS.json --dtypes DTYPES.json --figures FIGURES.json --json TIMES.json

BEFORE and AFTER are reports of one config from before and behind sdpa_peer.py, which wrote PEERS. They
hold fused:sm90 and fused:sm80 (on a device before Hopper sm80 alone); our time of a case is their
geometric mean, so that a device that grows slower or faster meanwhile favours neither side. DTYPES has
the same problems in bf16 and fp16. TIMES gets every time. Exits 1 when a case failed, has not been timed
by all or misses what is asked of it.
"""
import argparse
import json
import sys

from figures import FLOORS, add_figures, exit_status, geometric_mean, problem_of

PEERS = {"cudnn": "cudnn", "flash": "fa2"}
# Variant -> (its figures' name, peer -> the least geometric mean and the least single ratio).
ASKED = {"sm80": ("sm80", {"cudnn": (0, 0), "fa2": (1, 0)}), "sm90": ("fused", {"cudnn": (1, 0.93), "fa2": (1, 1)})}
MOST_APART = 1.05  # our two times of a case
LEAST_TFLOPS = 650  # head_dim 128, full mask
LEAST_OF_BF16 = 0.98


def load(path):
    with open(path) as file:
        return json.load(file)


def is_hopper(report):
    return report["device"]["compute_capability"].startswith("9.")


def failures(report):
    """Cases that did not run, but those of a variant that is not for the device."""
    return [f"{c['id']}: {c['status']}: {c['reason']}" for c in report["cases"]
            if c["status"] != "ok" and (c["status"] != "unsupported" or is_hopper(report))]


def solved(report):
    return {c["id"]: c for c in report["cases"] if c["status"] == "ok"}


def seconds(case):
    return case["time"]["median_s"]


def gather(before, after, peers, dtypes):
    """Every time of the run, and where each comes from."""
    cases, again = solved(before), solved(after)
    rows = [{"id": case, "variant": cases[case]["kernel"]["variant"],
             "attnroof_s": [seconds(cases[case]), seconds(again[case])], **peers["problems"].get(problem_of(case), {})}
            for case in cases if case in again]
    return {"attnroof": before["tool"], **{key: peers[key] for key in ("device", "torch", "cudnn")}, "cases": rows,
            "dtypes": [{"id": case, "attnroof_s": [seconds(c)]} for case, c in solved(dtypes).items()]}


def peer_ratios(rows, variant):
    """Peer -> {case id: peer's time over ours}; above 1 attnroof is the faster."""
    return {label: {row["id"]: row[peer + "_s"] / geometric_mean(row["attnroof_s"])
                    for row in rows if row["variant"] == variant and peer + "_s" in row}
            for peer, label in PEERS.items()}


class Judge:
    """What is asked of the times. A comparison with NaN is false, so each asks for what is good."""

    def __init__(self):
        self.figures, self.faults, self.misses = {}, [], []

    def ask(self, figure, what, value, least):
        if not value >= least:
            known = value >= FLOORS.get(figure, least)
            (self.misses if known else self.faults).append(f"{what}: {value:.4g}, asked {least}")

    def ratios(self, variant, rows):
        name, asked = ASKED[variant]
        for label, by_case in peer_ratios(rows, variant).items():
            if not by_case:
                self.faults.append(f"{name}: no case was timed with {label}")
                continue
            mean, worst = geometric_mean(by_case.values()), min(by_case, key=by_case.get)
            self.figures[f"{name}_vs_{label}_geomean"] = round(mean, 4)
            self.figures[f"{name}_vs_{label}_worst"] = round(by_case[worst], 4)
            print(f"fused:{variant} against {label}: geometric mean {mean:.3f}, worst {by_case[worst]:.3f} "
                  f"({worst}) over {len(by_case)} cases")
            least_mean, least = asked[label]
            self.ask(f"{name}_vs_{label}_geomean", f"{name} against {label}, geometric mean", mean, least_mean)
            for case, ratio in by_case.items():
                self.ask(f"{name}_vs_{label}_worst", f"{case} of {label}", ratio, least)

    def turns(self, before, after, rows):
        """Each case has both our times, not far apart, and a time of each peer."""
        self.faults += [f"{case}: timed once only" for case in solved(before).keys() ^ solved(after).keys()]
        for row in rows:
            first, second = row["attnroof_s"]
            if not max(first, second) <= MOST_APART * min(first, second):
                self.faults.append(f"{row['id']}: took {first:.4g} s before the peers and {second:.4g} s behind them")
            self.faults += [f"{row['id']}: no time of {label}: {row.get(peer + '_error', 'not run')}"
                            for peer, label in PEERS.items() if peer + "_s" not in row]

    def half_over_bfloat(self, report):
        """Least ratio of fp16 to bf16 in speed over the same problems."""
        cases, ratios = solved(report), {}
        for case in cases:
            other = case.replace("/fp16/", "/bf16/")
            if other != case and other in cases:
                ratios[case] = seconds(cases[other]) / seconds(cases[case])
                print(f"{case}: {ratios[case]:.3f} of bf16")
        if not ratios:
            return self.faults.append("no problem was timed in both fp16 and bf16")
        for case, ratio in ratios.items():
            self.ask("fp16_over_bf16_worst", f"{case} of bf16", ratio, LEAST_OF_BF16)
        self.figures["fp16_over_bf16_worst"] = round(min(ratios.values()), 4)

    def long_rows(self, before, rows):
        for length in (8, 16):
            name = f"fused_d128_full_{length}k_tflops"
            for row in rows:
                case = solved(before)[row["id"]]
                p = case["problem"]
                if (row["variant"], p["head_dim"], p["mask"], p["q_len"]) == ("sm90", 128, "full", 1024 * length):
                    tflops = case["model"]["useful_flops"] / geometric_mean(row["attnroof_s"]) / 1e12
                    self.figures[name] = round(tflops, 1)
                    self.ask(name, f"{row['id']} in TFLOP/s", tflops, LEAST_TFLOPS)
            if name not in self.figures:
                self.faults.append(f"{name}: no such case ran")


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
    times = gather(before, after, load(args.peers), dtypes)
    with open(args.json, "w") as file:
        json.dump(times, file, indent=1)
        file.write("\n")
    judge, rows = Judge(), times["cases"]
    judge.faults += failures(before) + failures(after) + failures(dtypes)
    judge.turns(before, after, rows)
    judge.ratios("sm80", rows)
    if is_hopper(before):
        judge.ratios("sm90", rows)
        judge.half_over_bfloat(dtypes)
        judge.long_rows(before, rows)
    add_figures(args.figures, judge.figures)
    status = exit_status(judge.faults, judge.misses)
    print(", ".join(f"{name} {value}" for name, value in judge.figures.items())
          + f"; {len(judge.misses)} known misses, {len(judge.faults)} faults")
    return status


if __name__ == "__main__":
    sys.exit(main())
