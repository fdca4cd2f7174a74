#!/usr/bin/env bash
# `make bench`: asks Backcast and Debian's nginx in turn for the same bytes, and shows what an answer costs: a table that fails on a
# miss. ROWS=short,24h-gzip measures some rows only; ROUNDS=5, ROUND_SECONDS=1. Needs 4 GB of disk for its catalogue, in var/bench.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/install.sh bench
scripts/release.sh backcast Benchmarks
exec python3 Tests/bench/main.py
