// What --help says below the options of each command.
#pragma once

namespace attnroof {

inline constexpr const char* examples = R"(Examples:
  attnroof sweep                                  the shipped sweep for this machine
  attnroof sweep -N 4096 -d 128                   naive against fused at one size
  attnroof sweep -N '512:65536:*2' -d 64,128 -o report.json -o report.svg
  attnroof sweep --config lesson -o lesson.html   why fused attention is faster, measured here
  attnroof sweep --config lesson --dry-run        what would run, and what it needs
  attnroof compare base.json new.json             a verdict for every case
  attnroof export report.json -o report.html      a saved report as a page
  attnroof predict --device-spec h100             the same sweep on a device that is not here

Exit codes: 0 pass; 1 a case failed or is wrong, a regression, or the device is not there; 2 usage,
config or file at fault; 3 not comparable, or no case could run; 4 a required case is missing or
failed; 130 interrupted.)";

inline constexpr const char* sweep_help =
    R"(Lists are separated by commas; sizes may be ranges: '512:65536:*2' or 512:4096:+512.
(Some shells want a * quoted.)

What an option gives replaces that setting of the config (--config, or the shipped default of
the device). Settings that exclude each other go with it:
  -N                               takes q_len and kv_len away
  --batch, --heads, --kv-heads     take tokens and hidden away
  --tokens, --hidden               take batch, heads and kv_heads away

A case is ok, unsupported (no such kernel does it), skipped (does not fit in memory, or was not
reached before the sweep ended), failed (an error) or wrong (its result failed the check).

Examples:
  attnroof sweep -N 4096 -d 128 --kernels naive,fused
  attnroof sweep -N 1024 -d 64 --batch 8 --heads 16 --kv-heads 4 --mask causal
  attnroof sweep --config my_sweep.json --device cuda:1 -o report.json -o report.csv
  attnroof sweep --resume -o report.json          go on after an interruption)";

inline constexpr const char* compare_help =
    R"(Every case of either side gets one verdict: same, faster, slower, ambiguous, new, missing, failed
or incomparable. Slower is beyond both limits, with the 95 % interval of the ratio of medians, and
in cycles too where clocks were read. Bytes and FLOPs are counted and judged first; what the base
counted or timed and the new report lost is incomparable. Predictions are not compared. Without
--require and without "gate": {"required": [...]} in the config, every case is required.
In patterns * stands for any text and ? for one character.

Several reports a side count as several processes, whose spread is then part of the interval:
  attnroof compare --base a1.json a2.json a3.json --new b1.json b2.json b3.json

Exit codes: 0 pass; 1 a case is slower (with --strict: or ambiguous); 2 usage, config, file or
schema; 3 not comparable, no case in common, or every case ambiguous; 4 a required case is missing
or failed.

Examples:
  attnroof compare base.json new.json --config ci -o gate.md -o gate.xml
  attnroof compare base.json new.json --limit-percent 3 --limit-seconds 1e-6 --strict
  attnroof compare base.json new.json --annotations github --require 'forward/fused/*')";

inline constexpr const char* export_help =
    R"(Without -o the table is printed. Formats: .json, .csv, .svg, .html (one file, opens offline),
.md (for a pull request or an issue), .txt.

Examples:
  attnroof export report.json -o report.html -o report.md
  attnroof export report.json --levels hbm,l2 -o report.svg
  attnroof export report.json)";

inline constexpr const char* predict_help =
    R"(Nothing is run: useful FLOPs, bytes of the traffic model with what stays in the L2, and the time
that the roofs allow. A name stands for a datasheet (h200, h100, a100, l40s, b200, rtx4090); a file
gives one like it; a report of `attnroof sweep` gives its own device and measured ceilings.
Options of the sweep's axes are those of `attnroof sweep`.

Examples:
  attnroof predict --device-spec h200
  attnroof predict --device-spec a100 --config long_context -o a100.json -o a100.svg
  attnroof predict --device-spec report.json -N '512:65536:*2' -d 128 --mask causal)";

inline constexpr const char* schema_help = R"(Examples:
  attnroof schema > report.schema.json
  attnroof schema | jq '."$defs".case.properties | keys')";

inline constexpr const char* completion_help = R"(Examples:
  source <(attnroof completion bash)              for this shell
  attnroof completion zsh > ~/.zfunc/_attnroof
  attnroof completion fish > ~/.config/fish/completions/attnroof.fish)";

}  // namespace attnroof
