#!/usr/bin/env python3
"""Ratios of the fused kernels to cuDNN and FlashAttention-2 from one run of sdpa_peer.py.

usage: peer_figures.py REPORT.json PEERS.json --figures FIGURES.json
"""
import argparse
import json

from figures import add_figures, geometric_mean


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("report")
    parser.add_argument("peers")
    parser.add_argument("--figures", required=True)
    args = parser.parse_args()
    with open(args.report) as file:
        variants = {c["id"]: c["kernel"]["variant"] for c in json.load(file)["cases"]}
    with open(args.peers) as file:
        rows = json.load(file)

    figures = {}
    for variant in sorted(set(variants[row["id"]] for row in rows)):
        for peer, label in (("cudnn", "cudnn"), ("flash", "fa2")):
            ratios = [row[peer + "_s"] / row["attnroof_s"] for row in rows
                      if variants[row["id"]] == variant and peer + "_s" in row]
            if ratios:
                figures[f"{variant}_vs_{label}_geomean"] = round(geometric_mean(ratios), 4)
                figures[f"{variant}_vs_{label}_worst"] = round(min(ratios), 4)
                print(f"{variant} against {label}: geometric mean {geometric_mean(ratios):.3f}, "
                      f"worst {min(ratios):.3f} over {len(ratios)} cases")
    add_figures(args.figures, figures)


if __name__ == "__main__":
    main()
