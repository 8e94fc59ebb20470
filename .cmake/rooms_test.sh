#!/usr/bin/env bash
# No room reaches back: every include of a project header is allowed by rooms.txt, and no folder cycle exists.
# Tests may include more of their own room: a kernel's test may use the judge's rooms below it.
set -euo pipefail
cd "$(dirname "$0")/.."
bad=0
edges=$(mktemp)
trap 'rm -f "$edges"' EXIT
while IFS=: read -r file line; do
  inc=$(sed 's/.*"\(.*\)".*/\1/' <<<"$line")
  if [[ ! -f $inc ]]; then
    if [[ -f impls/$inc ]]; then inc=impls/$inc
    else echo "$file: includes \"$inc\", which is not a path from the top"; bad=1; continue; fi
  fi
  while read -r from to; do
    [[ -z $from || $from == \#* || $file != "$from"/* ]] && continue
    [[ $file == *_test.cpp && $from == */* ]] && continue # a test answers to its room's line, not to its folder's
    ok=0
    for t in $to; do [[ $inc == "$t" || $inc == "$t"/* || $inc == "$t".* ]] && ok=1; done
    [[ $ok == 1 ]] || { echo "$file may not include $inc (allowed: $to)"; bad=1; }
    break
  done < .cmake/rooms.txt
  a=$(dirname "$file") b=$(dirname "$inc")
  [[ $a != "$b" && $file != *_test.cpp ]] && echo "$a $b" >> "$edges"
done < <(grep -rnoE --include=*.cpp --include=*.hpp --include=*.c --include=*.h '^ *# *include "[^"]+"' \
           reference impls properties fuzz reports | sed 's/:[0-9]*:/:/')
if ! sort -u "$edges" | tsort >/dev/null 2>"$edges.cycle"; then
  echo "folder cycle:"; cat "$edges.cycle"; bad=1
fi
rm -f "$edges.cycle"
[[ $bad == 0 ]] && echo "rooms: $(sort -u "$edges" | wc -l) folder edges, none backwards, no cycle"
exit $bad
