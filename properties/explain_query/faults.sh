#!/usr/bin/env bash
# Every fault of the query path as a subject, on a small shape and on the model's: found, and named. Writes faults.md.
#   properties/explain_query/faults.sh BUILD/bin/ulpgate [KIND...]  > properties/explain_query/faults.md
# Exit 1 where a kind is not named at a shape, 2 where a run gave no answer.
set -uo pipefail
ulpgate=$1; shift
here=$(cd "$(dirname "$0")/../.." && pwd)
kinds=("$@")
((${#kinds[@]})) || mapfile -t kinds < <(grep -ho '\.kind = "[^"]*"' "$here"/reference/query_faults/*.cpp | cut -d'"' -f2 | sort)
missing=0 said=$(mktemp)
trap 'rm -f "$said"' EXIT
echo "# Faults of the query path, found and named"
echo
echo "Written by faults.sh: each kind as a subject (\`ulpgate gate faulty/KIND\`), judged on one profile at a time until it fails. Stage:"
echo "the first that is not what the claim allows. Named: every kind that gives all its outputs; those that these rows do not tell apart stand together."
echo
echo "| kind | d | claim | profile | stage | named |"
echo "|---|---|---|---|---|---|"
row() { # row KIND D OP CLAIM
  local out stage names status
  for profile in onehot integers pairs random massive; do
    out=$("$ulpgate" gate "faulty/$1,$4" --op "$3" --d "$2" --profile "$profile" --timeout 120 --color never 2>"$said")
    status=$?
    # 0: passed on this profile; 1: failed; 5, 6: not judged. Anything else is no answer about the kind.
    case $status in 0 | 5 | 6) continue ;; 1) ;; *) echo "faulty/$1,$4 --op $3 --d $2 --profile $profile: exit $status" >&2; cat "$said" >&2; exit 2 ;; esac
    names=$(sed -n 's/^  it computes \([a-z0-9_.]*\).*/\1/p' <<<"$out" | sort -u | paste -sd' ')
    [[ " $names " == *" $1 "* ]] || continue
    stage=$(sed -n 's/^  first at the stage \(.*\)/\1/p' <<<"$out" | head -1)
    echo "| $1 | $2 | $3 $4 | $profile | $stage | $names |"
    return
  done
  echo "| $1 | $2 | $3 $4 | - | - | NOT NAMED |"
  missing=1
}
for kind in "${kinds[@]}"; do
  op=mla_query fields=
  case $kind in
    head.narrowed) op=head fields=,logits=f32 ;;
    head.* | gemm.tensor_core_*) op=head fields=,logits=f32; [[ $kind == head.* ]] && fields=,logits=t_then_f32 ;;
    *fp8*) fields=,weights=e4m3:128x128 ;;
    gemm.bias*) fields=,bias=before ;;
    mla.norm_width) fields=,kv=fused ;;
    mla.position* | mla.rope_half) fields=,rope=one_cast ;;
  esac
  for d in 64 7168; do
    row "$kind" "$d" "$op" "bf16,cast_first$fields"
    [[ $op == mla_query ]] && row "$kind" "$d" "$op" "bf16,cast_first$fields,taps=out"
  done
done
exit $missing
