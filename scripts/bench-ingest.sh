#!/usr/bin/env bash
# `make bench-ingest`: records CHANNELS=200 channels of 5 Mb/s for SECONDS=60 beside ffmpeg, and shows what a channel-hour and a
# segment cost: a table that fails on a miss. STATEMENTS=1 also lists the statements. Needs 0.7 MB of disk for each channel and second.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/install.sh test
scripts/release.sh backcast
exec python3 Tests/proof/ingest.py
