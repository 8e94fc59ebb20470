# Sourced. torch_python: sets python to one with torch, numpy and safetensors: $TORCH_PYTHON, python3, or PyPI's in a venv kept in
# $XDG_CACHE_HOME/ulpgate/torch (about 6 GB), installed where it is missing. Calls skip WORDS... where none can be had.
torch_works() { "$1" -c 'import torch, numpy, safetensors.torch' 2>/dev/null; }

torch_python() {
  local venv=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/ulpgate/torch p free
  python=
  for p in ${TORCH_PYTHON:-} python3 "$venv/bin/python"; do
    if torch_works "$p"; then
      python=$p
      return
    fi
  done
  [[ -z ${TORCH_PYTHON:-} ]] || skip "$TORCH_PYTHON cannot import torch, numpy and safetensors"
  python3 -c 'import venv, ensurepip' 2>/dev/null || skip "no python3 with venv (Debian: python3-venv)"
  mkdir -p "$venv"
  free=$(df -Pk "$venv" | awk 'NR == 2 {print int($4 / 1048576)}')
  ((free >= 12)) || skip "PyPI's torch needs 12 GB of disk while it installs, $free GB are free in $venv"
  # One installs, the others of this run wait for it.
  exec 8>"$venv/.lock"
  flock 8
  torch_works "$venv/bin/python" ||
    { python3 -m venv "$venv" && timeout 900 "$venv/bin/pip" install --quiet --disable-pip-version-check torch numpy safetensors >"$venv/pip.log" 2>&1; } ||
    skip "PyPI's torch could not be installed: $(tail -n 1 "$venv/pip.log")"
  exec 8>&-
  torch_works "$venv/bin/python" || skip "the torch that was installed in $venv does not import"
  python=$venv/bin/python
}
