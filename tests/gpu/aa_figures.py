"""The comparisons of aa_study.sh in figures; fails on a false alarm or a slowdown not seen."""
import argparse
import collections
import glob
import json
import os
import sys

from figures import add_figures


def verdicts(folder, pattern):
    """Verdict -> number of cases, over all comparisons of that name; odd ones are printed."""
    counts = collections.Counter()
    usual = "same" if pattern.startswith("aa-") else "slower"
    for path in sorted(glob.glob(os.path.join(folder, pattern))):
        with open(path) as file:
            for case in json.load(file)["cases"]:
                counts[case["verdict"]] += 1
                if case["verdict"] != usual:
                    print(os.path.basename(path), case["id"], case["verdict"] + ":", case["reason"])
    return counts


def text(counts):
    return ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("folder")
parser.add_argument("--figures", required=True)
arguments = parser.parse_args()

same = verdicts(arguments.folder, "aa-*.json")
slowed = verdicts(arguments.folder, "caught-*.json")
total = sum(slowed.values())
add_figures(arguments.figures, {
    "aa_cases_compared": sum(same.values()),
    "aa_slower_verdicts": same["slower"],
    "aa_ambiguous_verdicts": same["ambiguous"],
    "slowed_7_percent_cases": total,
    "slowed_7_percent_slower_verdicts": slowed["slower"],
})
print(f"A/A: {text(same)}; slowed by 7 %: {text(slowed)}")
sys.exit(0 if same and total and same["slower"] == 0 and slowed["slower"] == total else 1)
