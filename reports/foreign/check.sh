#!/usr/bin/env bash
# Compiles three norms that were not written for ulpgate, asks ulpgate what they compute, and compares with what their source
# says (reports/foreign.md). Needs nvcc (impls/cuda/get_nvcc.sh); FlashInfer from GitHub, or FLASHINFER=its folder; Triton from
# PyPI, or PYTHON=a python that has it. What cannot be had is SKIPPED and counted. ULPGATE: the program, default ./run.
# Exit: 0 as written down, 1 not, 5 nothing could be checked.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
here=reports/foreign out=build/foreign
flashinfer_commit=fb28d7242b3506a2348265962041acc1fb56cca4
triton_version=3.9.0
mkdir -p "$out"
nvcc=build/cuda-toolkit/nvidia/cu13/bin/nvcc
[[ -x $nvcc ]] || nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
ran=0 wrong=0 skipped=0
skip() { echo "SKIPPED  $1: $2"; skipped=$((skipped + 1)); }
# said NAME COMMAND... -- TEXT...: each TEXT stands in what the command prints.
said() {
  local name=$1 command=() text; shift
  while [[ $1 != -- ]]; do command+=("$1"); shift; done
  shift
  "${ULPGATE:-./run}" "${command[@]}" >"$out/log" 2>&1
  ran=$((ran + 1))
  for text in "$@"; do
    grep -qF -- "$text" "$out/log" && continue
    echo "WRONG    $name: '$text' is not in"; sed 's/^/    /' "$out/log" | cut -c1-200 | head -30
    wrong=$((wrong + 1)); return
  done
  echo "as said  $name"
}

fused() {
  local arch
  for arch in 80 90; do
    "$nvcc" -std=c++17 -O3 -arch=compute_$arch -ptx -o "$out/fused_add_rms_norm.sm_$arch.ptx" $here/fused_add_rms_norm.cu || { skip "fused_add_rms_norm sm_$arch" "does not compile"; continue; }
    cp $here/fused_add_rms_norm.toml "$out"
    said "fused_add_rms_norm sm_$arch" explain "$out/fused_add_rms_norm.toml@sm_$arch" --op final_norm --type bf16 -- \
      "computes cast_first,residual=rounded,inplace=must: T(w·T(x·r))" "1024 partial sums, each serial (0 to 6144 by 1024" "32 sums of 32 neighbours by halving, these 32 joined by halving"
  done
}
flashinfer() {
  local source=${FLASHINFER:-$out/flashinfer} arch
  if [[ ! -e $source/include/flashinfer/norm.cuh ]]; then
    git init -q "$source" && GIT_TERMINAL_PROMPT=0 git -C "$source" -c http.lowSpeedLimit=1000 -c http.lowSpeedTime=15 fetch -q --depth 1 https://github.com/flashinfer-ai/flashinfer $flashinfer_commit 2>"$out/log" &&
      git -C "$source" checkout -q FETCH_HEAD -- include || { rm -rf "$out/flashinfer"; skip FlashInfer "not to be had: $(tail -1 "$out/log")"; return; }
  fi
  for arch in 80 90; do
    # flashinfer/jit/core.py and jit/norm.py: the flags of its own build, without those of torch and of ninja.
    "$nvcc" -std=c++17 --expt-relaxed-constexpr -static-global-template-stub=false -use_fast_math -DFLASHINFER_ENABLE_F16 -DFLASHINFER_ENABLE_BF16 \
      -DFLASHINFER_ENABLE_FP8_E4M3 -DFLASHINFER_ENABLE_FP8_E5M2 -DNDEBUG -O3 -DENABLE_BF16 -DENABLE_FP8 -I "$source/include" -arch=compute_$arch -ptx \
      -o "$out/flashinfer_norm.sm_$arch.ptx" $here/flashinfer_norm.cu 2>"$out/log" || { skip "FlashInfer sm_$arch" "does not compile: $(tail -1 "$out/log")"; continue; }
    cp $here/flashinfer_norm.toml "$out"
    said "FlashInfer sm_$arch, rows 2^30 apart" gate "$out/flashinfer_norm.toml" --arch sm_$arch --op q_a_layernorm --quick -- \
      "an offset that is computed in 32 bits" "flushes subnormals to zero" "rsqrt.approx.ftz.f32" "no contract explains it; nearest f32_gain"
    sed 's/^requires = \[/&"rows * x.row < 4294967296", "rows * y.row < 4294967296", /' $here/flashinfer_norm.toml >"$out/flashinfer_near.toml"
    said "FlashInfer sm_$arch, rows below 2^32 elements, no subnormals" explain "$out/flashinfer_near.toml@sm_$arch" --type bf16 --contract bf16,f32_gain --profile activations --profile onehot -- \
      "computes f32_gain" "T((x·r)·w)" "192 partial sums, each serial (0 to 7; 8 to 15; ...)" "order=cuda_block:192x8,mean=div"
  done
}
by_triton() {
  local python=${PYTHON:-$out/venv/bin/python} arch
  if [[ ! -x $python ]]; then
    { python3 -m venv "$out/venv" && "$out/venv/bin/pip" install -q --disable-pip-version-check --timeout 15 --retries 1 triton==$triton_version; } >"$out/log" 2>&1 ||
      { rm -rf "$out/venv"; skip Triton "not to be had: $(tail -1 "$out/log")"; return; }
  fi
  for arch in 80 90; do
    "$python" $here/triton_norm.py "$out/triton_norm.sm_$arch.ptx" $arch >"$out/log" 2>&1 || { skip "Triton sm_$arch" "does not compile: $(tail -1 "$out/log")"; continue; }
    cp $here/triton_norm.toml "$out"
    said "Triton sm_$arch" explain "$out/triton_norm.toml@sm_$arch" --type bf16 -- \
      "computes f32_gain" "T((x·r)·w)" "768 partial sums, each serial (0, 128; 1, 129; ...)" "11 additions deep"
  done
}

if "$nvcc" --version >/dev/null 2>&1; then fused; flashinfer; else skip "fused_add_rms_norm, FlashInfer" "no nvcc: impls/cuda/get_nvcc.sh"; fi
by_triton
echo "$ran checked, $wrong wrong, $skipped skipped"
((wrong)) && exit 1
((ran)) || exit 5
