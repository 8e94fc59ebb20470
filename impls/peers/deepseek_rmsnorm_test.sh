#!/usr/bin/env bash
# deepseek_rmsnorm_test.sh BIN SOURCE: kernels that nobody here wrote, through files. PyTorch's eager DeepseekV3RMSNorm must be
# found to be cast_first and its fused rms_norm to be f32_gain, over the same exported cases.
# Uses a python3 with torch if there is one (TORCH_PYTHON names it), else installs PyPI's into a venv kept in
# $XDG_CACHE_HOME/ulpgate (about 6 GB). Exit 77: skipped, with the reason on the last line.
set -euo pipefail
bin=$1 source=$2
skip() { printf 'SKIPPED: %s\n' "$*"; exit 77; }
die() { printf 'FAILED: %s\n' "$*"; exit 1; }
works() { "$1" -c 'import torch, numpy, safetensors.torch' 2>/dev/null; }

venv=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/ulpgate/torch
python=
for p in ${TORCH_PYTHON:-} python3 "$venv/bin/python"; do
  if works "$p"; then python=$p; break; fi
done
if [[ -z $python ]]; then
  [[ -z ${TORCH_PYTHON:-} ]] || skip "$TORCH_PYTHON cannot import torch, numpy and safetensors"
  python3 -c 'import venv, ensurepip' 2>/dev/null || skip "no python3 with venv (Debian: python3-venv)"
  mkdir -p "$venv"
  free=$(df -Pk "$venv" | awk 'NR == 2 {print int($4 / 1048576)}')
  ((free >= 12)) || skip "PyPI's torch needs 12 GB of disk while it installs, $free GB are free in $venv"
  python3 -m venv "$venv" && timeout 900 "$venv/bin/pip" install --quiet --disable-pip-version-check torch numpy safetensors >"$venv/pip.log" 2>&1 ||
    skip "PyPI's torch could not be installed: $(tail -n 1 "$venv/pip.log")"
  works "$venv/bin/python" || skip "the torch that was installed in $venv does not import"
  python=$venv/bin/python
fi

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
