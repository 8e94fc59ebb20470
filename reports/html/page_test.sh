#!/usr/bin/env bash
# page_test.sh BIN FOLDER: the HTML pages in headless Chromium. Exit 77: skipped, with the reason on the last line.
set -euo pipefail
skip() { printf 'SKIPPED: %s\n' "$*"; exit 77; }
chromium=
for c in chromium chromium-browser google-chrome; do
  if command -v "$c" >/dev/null; then chromium=$c; break; fi
done
[[ -n $chromium ]] || skip "no chromium (Debian: chromium)"
command -v python3 >/dev/null || skip "no python3"
exec python3 "$(dirname "${BASH_SOURCE[0]}")/page_test.py" "$chromium" "$1/ulpgate" "$2"
