#!/usr/bin/env bash
# Builds products for release: `scripts/release.sh backcast live-origin`. Swift's own libraries are linked into them: such a program
# needs no Swift where it runs, and calls into these libraries cost less.
set -euo pipefail
cd "$(dirname "$0")/.."
for product in "$@"; do swift build -c release --static-swift-stdlib --product "$product"; done
