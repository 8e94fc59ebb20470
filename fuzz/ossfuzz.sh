#!/bin/bash
# Builds every fuzz target as OSS-Fuzz and ClusterFuzzLite ask for it: with $CC $CXX $CFLAGS $CXXFLAGS, linked with
# $LIB_FUZZING_ENGINE, into $OUT beside its seed corpus, dictionary and options. The results need no library but the system's
# and no file of the source tree.
#
#   SRC=DIR-ABOVE  OUT=DIR  CC=clang CXX=clang++ CFLAGS= CXXFLAGS=-fsanitize=address LIB_FUZZING_ENGINE=-fsanitize=fuzzer  fuzz/ossfuzz.sh
set -euo pipefail
: "${CC:?}" "${CXX:?}" "${OUT:?}" "${LIB_FUZZING_ENGINE:?}"
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=${WORK:-${SRC:-/tmp}}/ulpgate-build
mkdir -p "$OUT" "$work"
OUT=$(cd "$OUT" && pwd)

# Their compiler is newer than the one whose warnings are errors here.
cmake -S "$source" -B "$work" -G Ninja -DCMAKE_BUILD_TYPE=None -DULPGATE_WERROR=OFF \
  -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_C_FLAGS="${CFLAGS:-}" -DCMAKE_CXX_FLAGS="${CXXFLAGS:-}" \
  -DULPGATE_TESTS=OFF -DULPGATE_STATIC=ON -DULPGATE_LIBFUZZER=ON -DULPGATE_FUZZING_ENGINE="$LIB_FUZZING_ENGINE" -DULPGATE_CUDA=OFF

targets=()
for file in "$source"/fuzz/targets/*.cpp; do targets+=("fuzz_$(basename "$file" .cpp)"); done
cmake --build "$work" -j "${JOBS:-$(nproc)}" --target "${targets[@]}"

for target in "${targets[@]}"; do
  name=${target#fuzz_}
  if foreign=$(ldd "$work/bin/$target" | grep -E 'fmt|toml|boost|CLI11'); then
    echo "$target needs a library that the fuzzing machines do not have: $foreign" >&2
    exit 1
  fi
  cp "$work/bin/$target" "$OUT/"
  for kind in dict options; do
    if [[ -e $source/fuzz/targets/$name.$kind ]]; then cp "$source/fuzz/targets/$name.$kind" "$OUT/$target.$kind"; fi
  done
  rm -f "$OUT/${target}_seed_corpus.zip"
  (cd "$source/fuzz/corpus/$name" && python3 -m zipfile -c "$OUT/${target}_seed_corpus.zip" ./*)
done
