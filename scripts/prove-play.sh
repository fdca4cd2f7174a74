#!/usr/bin/env bash
# Shows `backcast play` in Chromium and Firefox: a table that fails on a miss. BROWSERS="chromium firefox", PROGRAM for one that is built.
set -euo pipefail
cd "$(dirname "$0")/.."
missing=()
for package in chromium firefox-esr ffmpeg python3-venv; do
    dpkg-query -W "$package" >/dev/null 2>&1 || missing+=("$package")
done
if ((${#missing[@]})); then
    echo "missing: apt-get install ${missing[*]}" >&2
    exit 1
fi
read -ra browsers <<<"${BROWSERS:-chromium firefox}"
program=$(scripts/program.sh)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" -q install playwright==1.65.2
# gradio's wheel carries hls.js, which Firefox needs.
"$folder/venv/bin/pip" -q download --no-deps -d "$folder/wheels" gradio==6.31.0
"$folder/venv/bin/python" Tests/proof/play/main.py "$program" "$folder" "${browsers[@]}"
