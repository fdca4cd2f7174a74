#!/usr/bin/env bash
# `make bench-downloads`: what the download of a two-hour window of ours costs beside curl and yt-dlp, and what becomes of a source
# with faults: tables that fail on a missed goal. ROUNDS=5. Needs 4 GB of disk, of which 2 GB stay in the
# temporary folder, and 4 GB of memory for what is downloaded; TARGET is another place for that.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/install.sh bench
scripts/release.sh backcast
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" -q install yt-dlp==2026.10.26
python3 Tests/proof/downloads.py "$PWD/.build/release/backcast" "$folder/venv/bin/yt-dlp" "${ROUNDS:-5}"
