#!/usr/bin/env bash
# Writes impls/cuda/*/emitted anew with the nvcc of build/cuda-toolkit (impls/cuda/get_nvcc.sh) or the PATH.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
impls/cuda/get_nvcc.sh
nvcc=build/cuda-toolkit/nvidia/cu13/bin/nvcc
[[ -x $nvcc ]] || nvcc=nvcc
for name in rmsnorm query probe; do
  mkdir -p impls/cuda/$name/emitted
  for arch in 80 90; do
    $nvcc -std=c++17 -O3 -arch=compute_$arch -ptx -o impls/cuda/$name/emitted/$name.sm_$arch.ptx impls/cuda/$name/$name.cu
  done
done
mkdir -p impls/cuda/faulty/emitted
for source in impls/cuda/faulty/*.cu; do
  name=$(basename "$source" .cu)
  fast=()
  [[ $name == fast_math ]] && fast=(-use_fast_math)
  $nvcc -std=c++17 -O3 "${fast[@]}" -arch=compute_80 -ptx -o impls/cuda/faulty/emitted/$name.ptx "$source"
done
mkdir -p impls/cuda/query_faulty/emitted
$nvcc -std=c++17 -O3 -arch=compute_80 -ptx -o impls/cuda/query_faulty/emitted/faulty.ptx impls/cuda/query_faulty/faulty.cu
for arch in 80 90; do
  $nvcc -std=c++17 -O3 -arch=compute_$arch -ptx -o impls/cuda/query_faulty/emitted/tensor_core.sm_$arch.ptx impls/cuda/query_faulty/tensor_core.cu
done
