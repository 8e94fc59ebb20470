#!/bin/bash
# A plug-in built with -fsanitize=fuzzer-no-link steers the fuzzer through the ABI: its branches are counted with the fuzzer's own, and
# libFuzzer keeps an input that adds a count. The kernel has one branch that shows in no output.
#
#   steered_test.sh FUZZ_RMS_NORM_SEARCH WITH.so WITHOUT.so
set -u
target=$1 with=$2 without=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Sixteen columns of 1 and -1 in turn, as a segment program: which is first is the kernel's branch.
program() { printf '\x01\x00\x00\x80\x3f%b\x00\x01\x07\x00\x00\x00\x80\xbf' "$1"; }
mkdir "$folder/one" "$folder/both"
program '\x00' | tee "$folder/one/below" >"$folder/both/below"
program '\x01' >"$folder/both/above"

counters() { # SUBJECT INPUTS: how many counters they reach
  ULPGATE_SUBJECT=$1 ULPGATE_D=16 "$target" -runs=0 -seed=1 -shuffle=0 -reduce_inputs=0 "$folder/$2" >"$folder/log" 2>&1 ||
    { echo "failed: $(tail -1 "$folder/log")" >&2; echo 0; return; }
  sed -nE 's,^#[0-9]+\s+INITED cov: ([0-9]+) .*,\1,p' "$folder/log"
}

with_one=$(counters "$with" one) with_both=$(counters "$with" both)
without_one=$(counters "$without" one) without_both=$(counters "$without" both)
echo "counters reached by one input and by both: $with_one, $with_both with the plug-in's, $without_one, $without_both without"
((without_one > 0 && with_one > without_one && with_both - with_one > without_both - without_one))
