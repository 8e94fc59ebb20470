#!/usr/bin/env bash
# torch_c_abi_test.sh BIN SOURCE CC: PyTorch's rms_norm as a shared library behind the C ABI: found to compute f32_gain, and refuted
# where it claims cast_first. Exit 77: skipped, with the reason on the last line.
set -euo pipefail
bin=$1 source=$2 cc=$3
skip() { printf 'SKIPPED: %s\n' "$*"; exit 77; }
die() { printf 'FAILED: %s\n' "$*"; exit 1; }
source "$source/impls/peers/torch_python.sh"
torch_python
lib=$("$python" -c 'import os, torch; print(os.path.join(os.path.dirname(torch.__file__), "lib"))')
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$cc" -std=c11 -O2 -Wall -Wextra -shared -fPIC -I"$source/impls" "$source/impls/peers/torch_rms_norm.c" -o "$dir/torch_rms_norm.so" \
  -L"$lib" -ltorch_cpu -lc10 -Wl,-rpath,"$lib" -Wl,--disable-new-dtags || skip "this torch has no C function of rms_norm to link"
gate() { "$bin/ulpgate" gate "$@" --op q_a_layernorm --type bf16 --quick --timeout 60 2>/dev/null; }
gate "$dir/torch_rms_norm.so" >"$dir/right.txt" || { cat "$dir/right.txt"; die "gate exited $?"; }
grep -q 'f32_gain.*(inferred).*pass' "$dir/right.txt" || { cat "$dir/right.txt"; die "not found to compute f32_gain"; }
rc=0
gate "$dir/torch_rms_norm.so@cast_first" >"$dir/wrong.txt" || rc=$?
((rc == 1)) || { cat "$dir/wrong.txt"; die "claiming cast_first, gate exited $rc"; }
grep -q 'it computes f32_gain' "$dir/wrong.txt" || { cat "$dir/wrong.txt"; die "claiming cast_first, it is not said to compute f32_gain"; }
grep -hE '^q_a_layernorm|it computes' "$dir/right.txt" "$dir/wrong.txt"
