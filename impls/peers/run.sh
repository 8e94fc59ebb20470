#!/usr/bin/env bash
# run.sh [FLAGS of peers.py]: judges the norms of other projects on this CPU and writes reports/peers.md. Uses the Python of PEERS_PYTHON,
# which needs ulpgate; else makes a venv in $XDG_CACHE_HOME/ulpgate/peers (about 9 GB), with this source tree's ulpgate. Takes about
# half an hour on two idle cores, beside what is installed and built the first time.
set -euo pipefail
source_dir=$(cd "$(dirname "$0")/../.." && pwd)
python=${PEERS_PYTHON:-}
if [[ -z $python ]]; then
  venv=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/ulpgate/peers
  python=$venv/bin/python
  [[ -x $python ]] || python3 -m venv "$venv"
  pip() { "$python" -m pip install --quiet --disable-pip-version-check "$@"; }
  pip numpy ml_dtypes torch safetensors "$source_dir"
  # Each by itself: what cannot be had is skipped, with its reason. Unsloth without what it needs on a GPU.
  for packages in transformers "onnx onnxruntime" "jax flax" liger_kernel "--no-deps unsloth" ggml-python "onednn onednn-devel"; do
    pip $packages || echo "not installed: $packages"
  done
fi
exec "$python" "$source_dir/impls/peers/peers.py" --report "$source_dir/reports/peers.md" "$@"
