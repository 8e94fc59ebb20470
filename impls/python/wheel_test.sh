#!/usr/bin/env bash
# wheel_test.sh BUILD SOURCE: the wheel, on top of this build's libraries; into an empty venv; then the README's example against PyPI's
# torch, PyTorch's own norms (impls/peers, briefly), the package's own tests, and mypy --strict. That a wheel of nothing but the sources can
# be configured is checked; building it takes 9 minutes of CPU: `pip install .` does. Exit 77: skipped, with the reason on the last line.
set -euo pipefail
build=$1 source=$2
skip() { printf 'SKIPPED: %s\n' "$*"; exit 77; }
die() { printf 'FAILED: %s\n' "$*"; exit 1; }
source "$source/impls/peers/torch_python.sh"
torch_python
"$python" -c 'import venv, ensurepip, sysconfig, os, sys
sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))' ||
  skip "$python has no venv or no Python.h (Debian: python3-venv, python3-dev)"

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$python" -m venv "$dir/venv" # of the interpreter that torch is for
here=$dir/venv/bin/python
pip() { timeout 600 "$here" -m pip --quiet --disable-pip-version-check "$@"; }
pip install pytest mypy nanobind >"$dir/pip.log" 2>&1 || skip "PyPI cannot be reached: $(tail -n 1 "$dir/pip.log")"

# The module's objects stay in the build folder, so that a second run only links.
pip wheel --no-deps "$source" -w "$dir" -C build-dir="$build/python" -C cmake.define.ULPGATE_BUILT="$build" \
  -C cmake.define.ULPGATE_STATIC=OFF -C build.targets=_core >"$dir/wheel.log" 2>&1 ||
  { grep -qiE 'no matching distribution|connection|temporary failure' "$dir/wheel.log" && skip "PyPI cannot be reached: $(tail -n 1 "$dir/wheel.log")"
    cat "$dir/wheel.log"; die "the wheel was not built"; }
pip install "$dir"/ulpgate-*.whl || die "the wheel does not install into an empty venv"
"$here" -c 'import ulpgate; assert ulpgate.check(lambda x, w, eps: x, contract="cast_first", quick=True, d=512).verdict == "inadmissible"' ||
  die "the package does not work without torch"
# torch as it lies in the cache: installing it again would take minutes and 6 GB.
"$python" -c 'import os, torch; print(os.path.dirname(os.path.dirname(torch.__file__)))' >"$("$here" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/torch_of_the_cache.pth"

"$here" - "$source/README.md" "$dir" <<'P' || die "README.md has no Python example with its output"
import re, sys
section = open(sys.argv[1], encoding="utf-8").read().split("\n## From Python\n")[1].split("\n## ")[0]
blocks = re.findall(r"```(\w*)\n(.*?)```", section, re.S)
open(sys.argv[2] + "/example.py", "w").write(blocks[0][1])
open(sys.argv[2] + "/expected.txt", "w").write(blocks[1][1])
P
(cd "$dir" && "$here" example.py >printed.txt) || die "the README's example exited $?"
# Every line that the README shows, but for its time.
grep -vE ' in [0-9.]+ s' "$dir/expected.txt" | while IFS= read -r line; do
  grep -qxF -- "$line" "$dir/printed.txt" || { cat "$dir/printed.txt"; die "the README's example does not print: $line"; }
done
echo "README example: as it says"

"$here" "$source/impls/peers/peers.py" --quick --only torch_eager torch_rms_norm || die "a norm of PyTorch is not what its source says"

cmake -S "$source" -B "$dir/whole" -G Ninja -DSKBUILD=ON -DULPGATE_STATIC=ON -DULPGATE_TESTS=OFF -DPython_EXECUTABLE="$here" \
  -Dnanobind_DIR="$("$here" -m nanobind --cmake_dir)" >"$dir/whole.log" 2>&1 ||
  { tail -n 20 "$dir/whole.log"; die "pip install . cannot be configured"; }

cp -r "$source/impls/python/tests" "$dir/tests"
(cd "$dir/tests" && "$here" -m pytest -q -p no:cacheprovider --tb=short .) || die "the package's tests"
(cd "$source" && "$here" -m mypy --strict --cache-dir "$dir/mypy" impls/python/ulpgate) || die "mypy --strict"
