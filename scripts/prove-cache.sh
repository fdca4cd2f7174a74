#!/usr/bin/env bash
# `make prove-cache`: two nodes behind nginx with deploy/nginx-cache.conf.sample, and PLAYERS=500 of one live channel for SECONDS=60; a
# node is killed meanwhile. A table that fails on a miss. The Varnish sample is compiled as it stands where varnishd is installed.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/install.sh test
if command -v varnishd >/dev/null; then varnishd -C -f "$PWD/deploy/varnish.vcl.sample" >/dev/null 2>&1; fi
scripts/release.sh backcast
exec python3 Tests/proof/cache.py
