#!/usr/bin/env bash
# Prints the path of the program `backcast` that a proof runs: PROGRAM, or the one that is built here for release.
set -euo pipefail
cd "$(dirname "$0")/.."
if [[ -n ${PROGRAM:-} ]]; then
    echo "$PROGRAM"
    exit
fi
scripts/release.sh backcast >&2
echo "$(swift build -c release --show-bin-path)/backcast"
