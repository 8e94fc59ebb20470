#!/usr/bin/env bash
# torch_order_test.sh BIN SOURCE CC: in which order real libtorch's eager rms_norm (pow, mean, rsqrt, mul of ATen on the CPU) adds its
# squares, read from outside: the tree is recovered, and a model of that order gives random rows bit for bit. Exit 77: skipped, with
# the reason on the last line.
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
"$bin/ulpgate" explain "$dir/torch_rms_norm.so" --type f32,bf16 --d 1536 --no-behaviour --timeout 60 --json "$dir/explained.json" >"$dir/explained.txt" ||
  { cat "$dir/explained.txt"; die "explain exited $?"; }
"$python" - "$dir/explained.json" <<'P'
import json, sys
results = json.load(open(sys.argv[1]))["results"]
for r in results:
    o = r["order"]
    print(f"{r['type']}: {o['words']}; {(o['models'] or ['no model'])[0]} gives {o['equal']} of {o['replayed']} random rows, {o['telling']} of them show another order")
    if not o["models"] or o["equal"] != o["replayed"] or o["replayed"] < 50 or o["telling"] < 10:
        sys.exit("FAILED: wanted a model that gives every random row bit for bit")
if {r["type"] for r in results} != {"f32", "bf16"}:
    sys.exit("FAILED: wanted f32 and bf16")
P
