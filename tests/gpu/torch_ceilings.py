#!/usr/bin/env python3
"""Measures with PyTorch what the tool's ceilings must reach: a large copy_ and cuBLAS on 8192^3 in bf16.

usage: torch_ceilings.py --json OUT.json

Both are bursts: the best of a few samples after a rest, so that no power limit is at work.
"""
import argparse
import json
import time

import torch


def best_seconds(run, samples=12):
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    for _ in range(3):
        run()
    torch.cuda.synchronize()
    time.sleep(0.2)
    times = []
    for _ in range(samples):
        start.record()
        run()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end) / 1e3)
    return min(times)


def copy_bytes_per_s(size=2 << 30):
    source = torch.randint(0, 1 << 30, (size // 4,), device="cuda", dtype=torch.int32)
    target = torch.empty_like(source)
    return 2 * size / best_seconds(lambda: target.copy_(source))


def matmul_flops_per_s(n=8192):
    a, b = (torch.randn(n, n, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    c = torch.empty_like(a)
    return 2.0 * n ** 3 / best_seconds(lambda: torch.matmul(a, b, out=c))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", required=True)
    args = parser.parse_args()
    rates = {"copy_bytes_per_s": copy_bytes_per_s(), "bf16_flops_per_s": matmul_flops_per_s()}
    with open(args.json, "w") as file:
        json.dump(rates, file, indent=1)
    print(f"copy_ {rates['copy_bytes_per_s'] / 1e12:.3f} TB/s, "
          f"cuBLAS 8192^3 bf16 {rates['bf16_flops_per_s'] / 1e12:.0f} TFLOP/s")


if __name__ == "__main__":
    main()
