#!/usr/bin/env bash
# `make proof`: builds for release and shows what Backcast promises, against a live origin. Takes about an hour.
set -euo pipefail
cd "$(dirname "$0")/../.."
scripts/install.sh
scripts/install.sh players
swift build -c release --product backcast
swift build -c release --product live-origin
exec python3 Tests/proof/main.py "$@"
