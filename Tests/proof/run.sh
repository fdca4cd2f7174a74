#!/usr/bin/env bash
# `make proof`: builds for release and shows what Swift tests cannot: windows in players, the names of other servers, Kodi, twenty
# channels under load, and the admin API against its own document. PARTS="dialects kodi" for some of it. Takes over an hour.
set -euo pipefail
cd "$(dirname "$0")/../.."
scripts/install.sh
scripts/install.sh players
scripts/release.sh backcast live-origin
exec python3 Tests/proof/main.py ${PARTS:-}
