#!/usr/bin/env python3
"""Prints counted against modelled memory bytes of every case of a report, the worst error last.

usage: model_table.py REPORT.json [--limit 0.10] [--figures FIGURES.json [--figure NAME]] [--markdown]

With --markdown the errors once more as a table, a row for all N of a kernel. Counted are the settled
bytes (the kernel's own write-back included). Exits 1 when a case is off by more than the limit or has
no counted bytes.
"""
import argparse
import json
import sys

from figures import add_figures


def settled(case):
    """(read, write) in bytes, or None where either was not counted."""
    values = [(case["counters"].get(f"settled_hbm_{way}_bytes") or {}).get("value")
              for way in ("read", "write")]
    return None if None in values else values


def print_matrix(cases, errors):
    """Errors in per cent: a row for each kernel, mask and head_dim, a column for each N."""
    rows, lengths = {}, sorted({case["problem"]["q_len"] for case in cases})
    for case in cases:
        p = case["problem"]
        rows.setdefault((case["kernel"]["name"], p["mask"], p["head_dim"]), {})[p["q_len"]] = errors.get(case["id"])
    print("| kernel | mask | d | " + " | ".join(f"N {n}" for n in lengths) + " |")
    print("|" + "---|" * (3 + len(lengths)))
    for (kernel, mask, head_dim), by_length in sorted(rows.items(), key=lambda row: (row[0][0] == "fused", row[0])):
        cells = ["" if by_length.get(n) is None else f"{100 * by_length[n]:+.1f}" for n in lengths]
        print(f"| {kernel} | {mask} | {head_dim} | " + " | ".join(cells) + " |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("report")
    parser.add_argument("--limit", type=float, default=0.10)
    parser.add_argument("--figures")
    parser.add_argument("--figure", default="model_bytes_error_worst")
    parser.add_argument("--markdown", action="store_true")
    args = parser.parse_args()
    with open(args.report) as file:
        report = json.load(file)

    print(f"{report['device']['name']}, MB (10^6 byte)")
    print(f"{'case':<72} {'read':>9} {'model':>9} {'write':>9} {'model':>9} {'error':>7}")
    errors, uncounted = {}, 0
    for case in report["cases"]:
        if case["status"] != "ok":
            print(f"{case['id']:<72} {case['status']}: {case['reason']}")
            continue
        counted = settled(case)
        if counted is None:
            uncounted += 1
            print(f"{case['id']:<72} not counted")
            continue
        model = [case["model"][f"hbm_{way}_bytes"] for way in ("read", "write")]
        error = sum(model) / sum(counted) - 1
        errors[case["id"]] = error
        cells = [f"{value / 1e6:9.1f}" for pair in zip(counted, model) for value in pair]
        print(f"{case['id']:<72} {' '.join(cells)} {100 * error:+6.1f}%")
    if not errors:
        print("no case has counted bytes")
        return 1
    worst = max(errors, key=lambda case: abs(errors[case]))
    off = [case for case in errors if abs(errors[case]) > args.limit]
    if args.markdown:
        print()
        print_matrix(report["cases"], errors)
        print()
    if args.figures:
        add_figures(args.figures, {args.figure: round(abs(errors[worst]), 4)})
    print(f"{len(errors)} cases, worst {100 * errors[worst]:+.1f} % ({worst}), {len(off)} beyond "
          f"{100 * args.limit:.0f} %, {uncounted} not counted")
    return 1 if off or uncounted else 0


if __name__ == "__main__":
    sys.exit(main())
