#!/usr/bin/env bash
# `make prove-cache`: two nodes behind nginx, then behind Varnish, as the samples in deploy/ have it, and PLAYERS=500 of one live channel
# for SECONDS=60 each; a node is killed meanwhile. CACHES=varnish for one of them. A table that fails on a miss.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/install.sh caches
scripts/release.sh backcast
exec python3 Tests/proof/cache.py
