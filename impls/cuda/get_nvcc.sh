#!/usr/bin/env bash
# Installs nvcc, ptxas and the headers that the CUDA kernels need from PyPI into build/cuda-toolkit: about 125 MB to fetch,
# no root, no GPU. A CUDA Toolkit that is on the machine serves as well. Does nothing where it is there already.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
target=build/cuda-toolkit
version=13.0.88
[[ -x $target/nvidia/cu13/bin/nvcc ]] && exit 0
command -v nvcc >/dev/null && exit 0
command -v python3 >/dev/null && python3 -m pip --version >/dev/null 2>&1 || { echo "get_nvcc: needs python3 with pip" >&2; exit 1; }
rm -rf "$target.new"
mkdir -p build
python3 -m pip install -q --no-deps --no-input --disable-pip-version-check --root-user-action=ignore --timeout 15 --retries 1 --target "$target.new" \
  nvidia-cuda-nvcc==$version nvidia-nvvm==$version nvidia-cuda-crt==$version nvidia-cuda-runtime==$version nvidia-cuda-cccl==13.0.85
rm -rf "$target"
mv "$target.new" "$target"
"$target/nvidia/cu13/bin/nvcc" --version | tail -2 >&2
