#!/usr/bin/env bash
# deepseek_query_test.sh BIN SOURCE: a query path that nobody here wrote, through files. What transformers' DeepSeek-V3 attention
# splits into q_nope and q_pe must be what its contract allows: small random-weight configurations, and one token at the model's
# width. Uses a python3 with torch and transformers if there is one (TORCH_PYTHON names it), else PyPI's in the venv of
# deepseek_rmsnorm_test.sh. Exit 77: skipped, with the reason on the last line.
set -euo pipefail
bin=$1 source=$2
skip() { printf 'SKIPPED: %s\n' "$*"; exit 77; }
die() { printf 'FAILED: %s\n' "$*"; exit 1; }
works() { "$1" -c 'import numpy, safetensors.torch, transformers.models.deepseek_v3.modeling_deepseek_v3' 2>/dev/null; }

venv=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/ulpgate/torch
python=
for p in ${TORCH_PYTHON:-} python3 "$venv/bin/python"; do
  if works "$p"; then python=$p; break; fi
done
if [[ -z $python ]]; then
  [[ -z ${TORCH_PYTHON:-} ]] || skip "$TORCH_PYTHON cannot import torch, numpy, safetensors and transformers"
  "$venv/bin/python" -c 'import torch' 2>/dev/null || skip "no torch here: deepseek_rmsnorm_test.sh installs one"
  timeout 600 "$venv/bin/pip" install --quiet --disable-pip-version-check transformers >"$venv/pip.log" 2>&1 ||
    skip "PyPI's transformers could not be installed: $(tail -n 1 "$venv/pip.log")"
  works "$venv/bin/python" || skip "the transformers that was installed in $venv does not import"
  python=$venv/bin/python
fi

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
run() { # run NAME EXPORT_FLAGS...
  "$bin/ulpgate" export mla_query "$dir/$1" "${@:2}"
  "$python" "$source/impls/peers/deepseek_query.py" "$dir/$1"
  "$bin/ulpgate" gate "files:$dir/$1" --json "$dir/$1.json" || die "gate files:$1 exited $?"
  "$python" - "$dir/$1.json" <<'P'
import json, sys
results = json.load(open(sys.argv[1]))["results"]
print([(r["type"], r["claim"], r["verdict"]) for r in results])
if not results or any(r["verdict"] != "pass" or r["outside"] for r in results):
    sys.exit("FAILED: wanted every output allowed")
P
}
run small --type bf16,fp16,f32 --d 64
run model --type bf16 --d 7168 --rows 1 --profile integers,random
