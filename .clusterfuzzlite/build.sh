#!/bin/bash -eu
exec "$SRC/ulpgate/fuzz/ossfuzz.sh"
