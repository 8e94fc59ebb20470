#!/usr/bin/env bash
# reports/bench/results.sh [FILTER]: builds `ulpgate bench` with g++ and with clang 19, runs it once each and writes RESULTS.md beside
# this file: both tables as printed, machine, versions and date in their heads. Why a floor is missed stands in MISSES.md.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=reports/bench/RESULTS.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
one() {  # NAME CC CXX
  CC=$2 CXX=$3 cmake --preset release -B "build/bench-$1" >/dev/null
  cmake --build "build/bench-$1" --target ulpgate-bench ulpgate_programs >/dev/null
  "build/bench-$1/bin/ulpgate" bench ${filter:+--filter "$filter"} >"$work/$1"
}
filter=${1-}
one gcc gcc g++
one clang clang-19 clang++-19
{
  echo "# ulpgate bench, both compilers"
  echo
  echo "Commit $(git rev-parse --short HEAD). Written by \`reports/bench/results.sh\`; each floor that is missed is explained in [MISSES.md](MISSES.md)."
  for name in gcc clang; do
    printf '\n## %s\n\n```\n' "$name"
    cat "$work/$name"
    echo '```'
  done
} >"$work/RESULTS.md"
mv "$work/RESULTS.md" "$out"
