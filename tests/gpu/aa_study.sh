#!/usr/bin/env bash
# Does the gate cry wolf, does it sleep? tests/gpu/aa_study.sh BUILD OUT [SWEEPS]
#
# SWEEPS sweeps of configs/ci.json, every pair of them compared: no case may be `slower`. As many
# sweeps with every case delayed by 7 %, each compared with its neighbour: every case must be.
set -euo pipefail

[ $# -ge 2 ] || { echo "usage: tests/gpu/aa_study.sh BUILD OUT [SWEEPS]" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
config=$here/../../configs/ci.json
build=$1
out=$2/aa
sweeps=${3:-10}
rm -rf "$out"
mkdir -p "$out"

# Plain and slowed sweeps take turns, so that both meet the same state of the machine.
for ((i = 1; i <= sweeps; ++i)); do
    "$build/attnroof" sweep --config "$config" --device cuda --counters off -q -o "$out/plain-$i.json" >/dev/null
    "$build/tests/attnroof_slowed_sweep" "$config" 0.07 "$out/slowed-$i.json" >/dev/null
done

# compare_to NAME BASE NEW: the comparison's own exit code is what is studied, so it fails nothing.
compare_to() {
    "$build/attnroof" compare "$out/$2.json" "$out/$3.json" --config "$config" -o "$out/$1.json" >/dev/null || [ $? -eq 1 ]
}
for ((i = 1; i <= sweeps; ++i)); do
    for ((j = i + 1; j <= sweeps; ++j)); do compare_to "aa-$i-$j" "plain-$i" "plain-$j"; done
    compare_to "caught-$i" "plain-$i" "slowed-$i"
done
python3 "$here/aa_figures.py" "$out" --figures "$2/figures.json"
