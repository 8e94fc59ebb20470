#!/bin/bash
# The table of time to first finding: every faulty RMSNorm kind and every kernel by hand, by type, from an empty corpus and without
# the profiles that were built with the faults in mind. Markdown on stdout; exit 1 where a fault that its type can show was not found.
#
#   first_findings.sh FOLDER-OF-ULPGATE [SECONDS [PATTERN]]
set -u
home=${1:?folder of ulpgate} seconds=${2:-60} pattern=${3:-.}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

subjects=$("$home/ulpgate" list faults | sed -nE 's,^  ([a-z]+\.[a-z0-9_]+).*,faulty/\1,p')
for so in "$home"/kernels/byhand/*.so; do subjects+=" byhand/$(basename "$so" .so)"; done

one() { # SUBJECT TYPE: a cell of the table, and the diagnosis in $folder/name
  local subject=$1
  # A fault of a contract that claims the invariance it breaks.
  [[ $1 != faulty/order.batch_variant ]] || subject+=",$2,cast_first,holds=rerun.batch"
  : >"$folder/name"
  "$home/ulpgate" fuzz "$subject" --type "$2" --no-probes --time "$seconds" --findings 1 --jobs 2 --progress none -o "$folder/run" >/dev/null 2>"$folder/said"
  local rc=$?
  case $rc in
  5) if [[ $1 == faulty/* ]]; then printf 'cannot show'; else printf 'no entry'; fi ;;
  0 | 1) python3 - "$folder" <<'P' ;;
import json, sys
state = json.load(open(sys.argv[1] + "/run/state.json"))
if not state["findings"]:
    print(f"nothing in {state['cases']:,} cases", end="")
else:
    f = state["findings"][0]
    name = f["diagnosis"].split(" ", 1)[1]
    open(sys.argv[1] + "/name", "w").write(name.split(",", 1)[1] if name.startswith(("bf16,", "fp16,", "f32,")) else name)
    print(f"{f['seconds']:.2f} s (case {f['at']}), +{f['named_after']:.2f} s", end="")
P
  *) printf 'exit %d: %s' $rc "$(head -c 80 "$folder/said")" ;;
  esac
  rm -rf "$folder/run"
}

printf '| subject | bf16 | fp16 | f32 | named |\n|---|---|---|---|---|\n'
missed=0
for subject in $subjects; do
  [[ $subject =~ $pattern ]] || continue
  row="| $subject |" names=
  for type in bf16 fp16 f32; do
    cell=$(one "$subject" "$type")
    row+=" $cell |"
    name=$(cat "$folder/name")
    if [[ -n $name && "; $names; " != *"; $name; "* ]]; then names+="${names:+; }$name"; fi
    # These keep what they claim.
    case "$subject $cell" in
    byhand/right\ * | byhand/f32_gain\ * | byhand/rsqrt_newton\ * | byhand/out_honest_*) ;;
    *"cannot show"* | *"no entry"*) ;;
    *" s ("*) ;;
    *) missed=$((missed + 1)) ;;
    esac
  done
  echo "$row $names |"
done
[ $missed = 0 ]
