#!/usr/bin/env bash
# Which outputs `./dev sweep` asks for, with stand-ins for what builds and for the program.
#   tests/dev_test.sh DEV
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/bin" "$work/build/release"
cp "$1" "$work/dev"
printf '#!/bin/sh\n' >"$work/bin/cmake"
printf '#!/bin/sh\necho "install ok installed"\n' >"$work/bin/dpkg-query"
printf '#!/bin/sh\necho "$*"\n' >"$work/build/release/attnroof"
chmod +x "$work"/bin/* "$work/build/release/attnroof"

expect() {  # what the program is called with, for the arguments after it
    local called
    called=$(PATH="$work/bin:$PATH" "$work/dev" sweep "${@:2}")
    [ "$called" = "$1" ] || { echo "./dev sweep ${*:2}: called with: $called" >&2; exit 1; }
}
all="-o report.json -o report.csv -o report.svg -o report.html"
expect "sweep $all"
expect "sweep -N 256 $all" -N 256
for own in "-o a.json" "-oa.json" "--output a.json" "--output=a.json" --dry-run --list-kernels --help; do
    expect "sweep -N 256 $own" -N 256 $own
done
