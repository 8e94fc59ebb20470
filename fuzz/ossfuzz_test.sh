#!/bin/bash
# fuzz/ossfuzz.sh and the hosting files, with a cmake that only says what it was asked for: what can be checked without building
# every target with another compiler.
set -u
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0
fail() { echo "$*"; failed=1; }

# Without its variables it says which is missing.
for v in CC CXX OUT LIB_FUZZING_ENGINE; do
  said=$(env CC=a CXX=b OUT="$folder/none" LIB_FUZZING_ENGINE=-x "$v=" "$source/fuzz/ossfuzz.sh" 2>&1) && fail "ran without $v"
  [[ $said == *$v* ]] || fail "without $v it says: $said"
done

mkdir -p "$folder/bin" "$folder/src" "$folder/out"
cat >"$folder/bin/cmake" <<'S'
#!/bin/bash
printf '%s\n' "$@" >>"$ASKED"
if [[ $1 == --build ]]; then
  mkdir -p "$2/bin"
  for word in "$@"; do if [[ $word == fuzz_* ]]; then printf '#!/bin/sh\n' >"$2/bin/$word"; chmod +x "$2/bin/$word"; fi; done
fi
S
chmod +x "$folder/bin/cmake"
# By the way that ClusterFuzzLite takes, where it copies the tree to.
ln -s "$source" "$folder/src/ulpgate"
env -u WORK PATH="$folder/bin:$PATH" ASKED="$folder/asked" SRC="$folder/src" OUT="$folder/out" CC=the-cc CXX=the-cxx CFLAGS=-cflag \
  CXXFLAGS='-one -two' LIB_FUZZING_ENGINE=-engine "$source/.clusterfuzzlite/build.sh" >"$folder/log" 2>&1 || fail "ossfuzz.sh: $(cat "$folder/log")"
for flag in -DCMAKE_C_COMPILER=the-cc -DCMAKE_CXX_COMPILER=the-cxx -DCMAKE_C_FLAGS=-cflag '-DCMAKE_CXX_FLAGS=-one -two' \
  -DULPGATE_FUZZING_ENGINE=-engine -DULPGATE_STATIC=ON -DULPGATE_LIBFUZZER=ON; do
  grep -qxF -e "$flag" "$folder/asked" || fail "cmake is not given $flag"
done
grep -n -e '^[^#]*[-]march=native' "$source/CMakeLists.txt" "$source"/.cmake/*.cmake "$source/fuzz/ossfuzz.sh" && fail "-march=native"

targets=0
for file in "$source"/fuzz/targets/*.cpp; do
  name=$(basename "$file" .cpp) out=$folder/out/fuzz_$(basename "$file" .cpp)
  targets=$((targets + 1))
  [[ -x $out ]] || fail "$name is not in \$OUT"
  for kind in dict options; do cmp -s "$source/fuzz/targets/$name.$kind" "$out.$kind" || fail "$name has no $kind, or another one in \$OUT"; done
  seeds=$(python3 -m zipfile -l "${out}_seed_corpus.zip" 2>/dev/null | tail -n +2 | wc -l)
  files=$(find "$source/fuzz/corpus/$name" -type f | wc -l)
  ((seeds > 0 && seeds == files)) || fail "$name: $seeds seeds in \$OUT, $files in its corpus"
  # A dictionary as libFuzzer reads it: [name=]"..." with \xHH, \\ and \" alone; one bad line and it stops.
  bad=$(grep -vnE '^\s*(#.*)?$|^\s*([A-Za-z0-9_@]+\s*=\s*)?"([^"\\]|\\x[0-9a-fA-F]{2}|\\\\|\\")+"\s*$' "$source/fuzz/targets/$name.dict" | head -1)
  [[ -z $bad ]] || fail "$name.dict:$bad"
done
((targets >= 10)) || fail "only $targets targets"
echo "$targets targets with dictionary, options and seeds"
exit $failed
