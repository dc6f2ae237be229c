#!/usr/bin/env python3
"""What counting costs: sweeps with counters on against the same with counters off.

usage: count_cost.py ATTNROOF --default CONFIG --out FOLDER --figures FIGURES.json [--device DEVICE]

Three sweeps tell where the time goes: one small case (opening the sessions), every kernel of the
config on small problems (what a kernel costs once, however short it runs), and the config itself
(that and the launches). Each is run once off and once on, without ceilings, but for the last, whose
ratio counts.
"""
import argparse
import json
import os
import subprocess
import sys
import time

from figures import add_figures

MOST_ON_OVER_OFF = 1.5
SMALL = ["-N", "512", "--tokens", "512", "--hidden", "128", "--no-ceilings"]
SWEEPS = {
    "first": SMALL + ["-d", "64", "--mask", "full", "--kernels", "fused"],
    "kernels": SMALL,
    "default": [],
}


def seconds(command):
    start = time.monotonic()
    result = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {result.returncode}\n{result.stderr}")
    return time.monotonic() - start


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("attnroof")
    parser.add_argument("--default", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--figures", required=True)
    parser.add_argument("--device", default="cuda")
    args = parser.parse_args()
    report = os.path.join(args.out, "count_cost.json")
    figures = {}
    for name, options in SWEEPS.items():
        sweep = [args.attnroof, "sweep", "--config", args.default, "--device", args.device, "-q", *options]
        off = seconds(sweep + ["--counters", "off"])
        on = seconds(sweep + ["--counters", "auto", "-o", report])
        with open(report) as file:
            measured = json.load(file)
        if measured["counters"]["closed_gate"]:
            sys.exit(f"nothing was counted: {measured['counters']['closed_gate']}")
        print(f"{name}: {len(measured['cases'])} cases, {off:.2f} s off, {on:.2f} s on")
        figures[f"counting_seconds_{name}"] = round(on - off, 2)
        figures["counters_on_over_off"] = round(on / off, 3)  # the last one's
    add_figures(args.figures, figures)
    ratio = figures["counters_on_over_off"]
    print(f"counters make the default sweep {ratio:.2f} times as long, {MOST_ON_OVER_OFF} is allowed")
    return 1 if ratio > MOST_ON_OVER_OFF else 0


if __name__ == "__main__":
    sys.exit(main())
