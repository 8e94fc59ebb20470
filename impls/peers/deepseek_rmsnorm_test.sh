#!/usr/bin/env bash
# deepseek_rmsnorm_test.sh BIN SOURCE: kernels that nobody here wrote, through files. PyTorch's eager DeepseekV3RMSNorm must be
# found to be cast_first and its fused rms_norm to be f32_gain, over the same exported cases.
# Then the wrong claim: rms_norm held to cast_first fails, with what it computes instead. Exit 77: skipped, with the reason on the
# last line.
set -euo pipefail
bin=$1 source=$2
skip() { printf 'SKIPPED: %s\n' "$*"; exit 77; }
die() { printf 'FAILED: %s\n' "$*"; exit 1; }
source "$source/impls/peers/torch_python.sh"
torch_python

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
run() { # run KERNEL EXPECTED_MAP
  "$bin/ulpgate" export q_a_layernorm "$dir/$1" --type bf16,fp16 --quick
  "$python" "$source/impls/peers/deepseek_rmsnorm.py" "$dir/$1" --kernel "$1"
  "$bin/ulpgate" gate "files:$dir/$1" --json "$dir/$1.json" || die "gate files:$1 exited $?"
  "$python" - "$dir/$1.json" "$2" <<'P'
import json, sys
run = json.load(open(sys.argv[1]))
found = {(r["type"], r["claim"].split(",assoc")[0]) for r in run["results"] if r["inferred"] and r["verdict"] == "pass"}
want = {(t, f"{t},{sys.argv[2]}") for t in ("bf16", "fp16")}
print("found", sorted(found))
if found != want or len(run["results"]) != len(want):
    sys.exit(f"FAILED: wanted {sorted(want)}, inferred and passing")
P
}
run spec cast_first
run rms_norm f32_gain

rc=0
"$bin/ulpgate" gate "files:$dir/rms_norm" --type bf16 --contract cast_first >"$dir/wrong.txt" 2>/dev/null || rc=$?
((rc == 1)) || die "gate --contract cast_first of rms_norm's files exited $rc"
grep -q 'it computes f32_gain' "$dir/wrong.txt" || { cat "$dir/wrong.txt"; die "rms_norm's files, held to cast_first, are not said to compute f32_gain"; }
grep -E 'is not|it computes' "$dir/wrong.txt" | head -n 2
