#!/usr/bin/env bash
# Everything that needs a GPU, from a built tree: tests/gpu/acceptance.sh BUILD OUT [PART...]
#
# Parts: tests sanitizer default naive peers aa, which run by default; long_context, cost and ncu. Ends in a table and
# OUT/figures.json; exits 1 when a part failed. A part whose tool is missing is skipped by name, never passed; one that
# falls short of what is asked of it, but no more than figures.py knows of, is missed. OUT/PART.log has the rest.
set -uo pipefail

[ $# -ge 2 ] || { echo "usage: tests/gpu/acceptance.sh BUILD OUT [PART...]" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$(cd "$1" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
shift 2
parts=${*:-tests sanitizer default naive peers aa}
attnroof=$build/attnroof
export ATTNROOF_TEST_DATA=$root/tests/data ATTNROOF_BINARY=$attnroof
rows=()
failed=0

# record NAME STATUS DETAIL
record() {
    rows+=("$(printf '%-12s %-8s %s' "$1" "$2" "$3")")
    [ "$2" = failed ] && failed=1
    return 0
}

# run_part NAME COMMAND...: its output goes to OUT/NAME.log; the last line is the detail.
run_part() {
    local name=$1 start=$SECONDS
    shift
    local status=0 result=passed
    "$@" >"$out/$name.log" 2>&1 || status=$?
    case $status in 0) ;; 3) result=missed ;; *) result=failed ;; esac
    record "$name" $result "$((SECONDS - start)) s; $(tail -n 1 "$out/$name.log")"
}

gpu_tests() { "$build/tests/attnroof_gpu_tests"; }

# Small cases of every kind, and one whose heads are so many that a block of naive:sm90 takes many tiles in several
# rounds; the sanitizer slows each down a hundredfold.
sanitizer() {
    local sanitizer_tool
    local sweep=("$attnroof" sweep --config "$root/configs/smoke.json" --device cuda --counters off --no-ceilings)
    local rounds=(--kernels naive:sm90,naive:sm90-skip --q-len 640 --kv-len 64 -d 64 --dtype bf16 --batch 6
        --heads 44 --kv-heads 11)
    for sanitizer_tool in memcheck racecheck synccheck; do
        local under=(compute-sanitizer --tool $sanitizer_tool --error-exitcode 9 --kernel-regex kns=attnroof)
        "${under[@]}" "${sweep[@]}" || return 1
        "${under[@]}" "${sweep[@]}" "${rounds[@]}" || return 1
    done
    echo "memcheck, racecheck and synccheck clean on configs/smoke.json and on several rounds of many tiles"
}

default_sweep() {
    local start end status=0
    start=$(date +%s.%N)
    "$attnroof" sweep --config "$root/configs/default.json" --device cuda --counters on \
        -o "$out/report.json" -o "$out/report.csv" -o "$out/report.svg" || return 1
    end=$(date +%s.%N)
    python3 "$here/check_sweep.py" "$out/report.json" --wall-seconds "$(echo "$end $start" | awk '{print $1 - $2}')" \
        --figures "$out/figures.json" || status=1
    python3 "$here/model_table.py" "$out/report.json" --figures "$out/figures.json" && return $status
}

# Takes minutes and most of the memory: only when it is named.
long_context() {
    "$attnroof" sweep --config "$root/configs/long_context.json" --device cuda --counters on \
        -o "$out/long_context.json" || return 1
    python3 "$here/model_table.py" "$out/long_context.json" --figures "$out/figures.json" \
        --figure model_bytes_error_worst_long_context
}

# The memory roof and the ceilings themselves, held to PyTorch's copy_ and cuBLAS beside them; the scores, held to their
# bytes moved with nothing else done; then the byte models of the variants.
naive() {
    local status=0 torch=()
    local sweep=("$attnroof" sweep --config "$root/configs/naive.json" --device cuda --counters on)
    rm -f "$out/naive_report.json" "$out/naive_variants.json" "$out/torch_ceilings.json"
    "${sweep[@]}" -o "$out/naive_report.json" || status=1  # what there is of a report is checked
    if python3 -c 'import torch' 2>/dev/null; then
        python3 "$here/torch_ceilings.py" --json "$out/torch_ceilings.json" || status=1
        [ -f "$out/torch_ceilings.json" ] && torch=(--torch "$out/torch_ceilings.json")
    fi
    timeout 300 "$build/tests/attnroof_naive_bench" >"$out/naive_bench.txt" || status=1
    cat "$out/naive_bench.txt"
    "${sweep[@]}" --kernels naive:sm90-skip,naive:sm90-fp32s --mask causal -N 4096,8192 \
        -o "$out/naive_variants.json" || status=1
    python3 "$here/check_naive.py" "$out/naive_report.json" "$out/naive_variants.json" \
        --bench "$out/naive_bench.txt" --figures "$out/figures.json" ${torch[@]+"${torch[@]}"}
    local checked=$?
    return $((status ? status : checked))
}

# Ours, theirs, ours again: what the device's warmth does in between falls on both.
peers() {
    local sweep=("$attnroof" sweep --config "$root/configs/peers.json" --device cuda --counters off --no-ceilings)
    "${sweep[@]}" --kernels fused -N 4096,8192,16384 -d 128 --dtype bf16,fp16 -o "$out/dtypes_report.json" || return 1
    "${sweep[@]}" -o "$out/peers_before.json" || return 1
    python3 "$here/sdpa_peer.py" "$out/peers_before.json" --json "$out/peers_theirs.json" || return 1
    "${sweep[@]}" -o "$out/peers_after.json" || return 1
    python3 "$here/peer_figures.py" "$out/peers_before.json" "$out/peers_after.json" "$out/peers_theirs.json" \
        --dtypes "$out/dtypes_report.json" --figures "$out/figures.json" --json "$out/peers.json"
}

ncu_part() {
    python3 "$here/ncu_agreement.py" "$attnroof" --out "$out" --figures "$out/figures.json"
}

cost() {
    python3 "$here/count_cost.py" "$attnroof" --default "$root/configs/default.json" --out "$out" \
        --figures "$out/figures.json"
}

for part in $parts; do
    case $part in
        tests) run_part tests gpu_tests ;;
        sanitizer)
            if command -v compute-sanitizer >/dev/null; then run_part sanitizer sanitizer
            else record sanitizer skipped "compute-sanitizer is not on PATH"; fi ;;
        default) run_part default default_sweep ;;
        long_context) run_part long_context long_context ;;
        cost) run_part cost cost ;;
        naive) run_part naive naive ;;
        peers)
            if python3 -c 'import torch' 2>/dev/null; then run_part peers peers
            else record peers skipped "PyTorch is not installed"; fi ;;
        aa) run_part aa "$here/aa_study.sh" "$build" "$out" ;;
        ncu)
            if command -v ncu >/dev/null; then run_part ncu ncu_part
            else record ncu skipped "ncu is not on PATH"; fi ;;
        *) record "$part" failed "no such part" ;;
    esac
done

printf '\n%-12s %-8s %s\n' part result detail
printf '%s\n' "${rows[@]}"
[ -f "$out/figures.json" ] && cat "$out/figures.json"
exit $failed
