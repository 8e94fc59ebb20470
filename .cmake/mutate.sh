#!/usr/bin/env bash
# Who tests the tests: breaks the harness on purpose, one small change at a time, and records the test that notices.
#
#   .cmake/mutate.sh                    every file of .cmake/mutations, in a clone under build/mutate (kept: later runs rebuild
#                                       only what a mutation touches)
#   .cmake/mutate.sh NAME...            these only
#   .cmake/mutate.sh --in DIR ...       in another clean checkout whose build/dev is built already; it is left as it was
#   .cmake/mutate.sh --out FILE ...     where the table goes (default: stdout)
#   .cmake/mutate.sh --record ...       each result into its row of .cmake/mutations.md, as soon as it is known
#   .cmake/mutate.sh --only ...         the named tests alone: a mutation that they miss is not tried on the room's others
#
# A mutation is a file:  file PATH / from TEXT / to TEXT / run ROOM FILTER  (\n is a new line in TEXT). TEXT must stand once in
# PATH. A mutation that no test of the room notices SURVIVED: a test is missing. Exit: 0 all caught, 1 not. Not part of CI:
# it builds and links once a mutation.
set -uo pipefail
cd "$(dirname "$0")/.."
top=$PWD dir= out= record= only= names=()
while (($#)); do
  case $1 in
    --in) dir=$(cd "$2" && pwd) || exit 2; shift 2 ;;
    --out) out=$2; shift 2 ;;
    --record) record=1; shift ;;
    --only) only=1; shift ;;
    -*) sed -n '2,15s/^# \{0,1\}//p' "$0"; exit 2 ;;
    *) names+=("$1"); shift ;;
  esac
done
((${#names[@]})) || mapfile -t names < <(cd .cmake/mutations && ls)
if [[ -z $dir ]]; then
  dir=$top/build/mutate
  [[ -d $dir ]] || git clone -q --shared "$top" "$dir" || exit 2
  git -C "$dir" fetch -q origin && git -C "$dir" checkout -q --detach "$(git rev-parse HEAD)" || exit 2
fi
[[ -z $(git -C "$dir" status --porcelain --untracked-files=no) ]] || { echo "$dir: has changes; commit them first" >&2; exit 2; }
[[ -e $dir/build/dev/build.ninja ]] || (cd "$dir" && cmake --preset dev >/dev/null) || exit 2
jobs=${MUTATE_JOBS:-2} table= survived=0 caught=0

field() { sed -n "s/^$2 //p" "$top/.cmake/mutations/$1"; }
build() {  # the reference's tests start no program
  local programs=ulpgate_programs; [[ $1 != reference ]] || programs=
  (cd "$dir" && cmake --build --preset dev -j"$jobs" --target "$1_tests" $programs 2>&1)
}
# The first test that fails, or the one that was running when the program ended; nothing where all pass.
failing() {
  local log; log=$(cd "$dir" && timeout 900 "build/dev/bin/$1_tests" --gtest_filter="$2" --gtest_fail_fast --gtest_brief=0 2>&1) && return
  sed -n 's/^\[  FAILED  \] \([^ ,]*\).*/\1/p' <<<"$log" | head -1 | grep . && return
  echo "$(sed -n 's/^\[ RUN      \] //p' <<<"$log" | tail -1) (ended by it)"
}
restore() { git -C "$dir" checkout -q -- "$1"; }
trap '[[ -n ${file-} ]] && restore "$file"' EXIT

for name in "${names[@]}"; do
  [[ -f .cmake/mutations/$name ]] || { echo "no mutation '$name'" >&2; exit 2; }
  file=$(field "$name" file) from=$(field "$name" from) to=$(field "$name" to)
  read -r room filter <<<"$(field "$name" run)"
  if ! FROM=$from TO=$to perl -0777 -i -pe '
      BEGIN { for (qw(FROM TO)) { $t{$_} = $ENV{$_}; $t{$_} =~ s/\\(n|\\)/$1 eq "n" ? "\n" : "\\"/ge } }
      $n = () = /\Q$t{FROM}\E/g; s/\Q$t{FROM}\E/$t{TO}/ if $n == 1; END { exit($n == 1 ? 0 : 1) }' "$dir/$file"; then
    by="STALE: its text does not stand once in $file"
  elif ! log=$(build "$room"); then
    by="NOT BUILT: $(grep -m1 -E 'error:' <<<"$log" | sed 's/.*error: //')"
  else
    by=$(failing "$room" "$filter")
    [[ -n $by || -n $only ]] || by=$(failing "$room" '*')
  fi
  restore "$file"
  case $by in
    '' | STALE* | NOT*) survived=$((survived + 1)); by=${by:-SURVIVED} ;;
    *) caught=$((caught + 1)) ;;
  esac
  line="| $name | $file | $by |"
  echo "$line" >&2
  [[ -z $record ]] || .cmake/mutations_test.sh --write "$name" "${by:-SURVIVED}" || exit 2
  table+=$line$'\n'
done
{
  echo "# Mutations of the harness"
  echo
  echo "$(date -u +%F), commit $(git -C "$dir" rev-parse --short HEAD), $(c++ --version | head -1): $caught of ${#names[@]} caught."
  echo "Written by .cmake/mutate.sh: each file of .cmake/mutations broke the harness once, and this test noticed first."
  echo
  echo "| mutation | file | caught by |"
  echo "|---|---|---|"
  printf '%s' "$table"
} >"${out:-/dev/stdout}"
exit $((survived > 0))
