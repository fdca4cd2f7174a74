#!/usr/bin/env bash
# Measures what a download costs beside curl and yt-dlp, and shows what becomes of a source with faults: tables that fail on a
# missed goal. ROUNDS=5, PROGRAM for one that is built.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/install.sh bench
program=$(scripts/program.sh)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" -q install yt-dlp==2026.10.26
mkdir "$folder/media"
python3 Tests/proof/downloads.py "$program" "$folder/media" "$folder/venv/bin/yt-dlp" "${ROUNDS:-5}"
