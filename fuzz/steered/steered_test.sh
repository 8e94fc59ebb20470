#!/bin/bash
# A plug-in built with -fsanitize=fuzzer-no-link steers the fuzzer through the ABI: the same kernel, as many inputs from the same
# seeds, with its coverage and without.
#
#   steered_test.sh FUZZ_RMS_NORM_SEARCH WITH.so WITHOUT.so [RUNS]
set -u
target=$1 with=$2 without=$3 runs=${4:-100000}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

inputs_until_found() { # SUBJECT SEED: the number of inputs until the kernel's fault was met, or "no"
  rm -rf "$folder/corpus" && mkdir "$folder/corpus"
  ULPGATE_SUBJECT=$1 ULPGATE_D=16 "$target" -runs="$runs" -seed="$2" -max_len=64 -len_control=0 -reduce_inputs=0 \
    -artifact_prefix="$folder/" "$folder/corpus" >"$folder/log" 2>&1
  local rc=$?
  if grep -q '^broken: .*allowed' "$folder/log"; then
    grep -oE '^#[0-9]+' "$folder/log" | tail -1 | tr -d '#'
  elif [ $rc = 0 ]; then echo no
  else echo "failed with $rc: $(tail -1 "$folder/log")"
  fi
}

found=0 blind=0
for seed in 1 2 3; do
  a=$(inputs_until_found "$with" $seed)
  covered=$(grep -oE 'cov: [0-9]+' "$folder/log" | tail -1)
  b=$(inputs_until_found "$without" $seed)
  blindly=$(grep -oE 'cov: [0-9]+' "$folder/log" | tail -1)
  echo "seed $seed: with coverage: $a inputs ($covered), without: $b ($blindly)"
  case $a in [0-9]*) found=$((found + 1)) ;; esac
  case $b in no) ;; *) blind=$((blind + 1)) ;; esac
done
echo "found with coverage in $found of 3, without in $blind of 3"
[ "$found" = 3 ] && [ "$blind" = 0 ]
