#!/bin/sh
# Holds the admin API against its OpenAPI document: every operation, every status code, valid and invalid data.
# Makes and deletes channels, so it wants a server that is made for it.
#
# Usage: Tests/proof/schemathesis.sh URL TOKEN [option of schemathesis…]     for example http://127.0.0.1:8080 "$token" --seed 7
# Needs schemathesis 4 (PyPI); SCHEMATHESIS names the program when it is not on the path.
set -eu
[ $# -ge 2 ] || { sed -n 's/^# Usage: /usage: /p' "$0" >&2; exit 2; }
url=${1%/}
token=$2
shift 2
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
program=${SCHEMATHESIS:-schemathesis}
command -v "$program" >/dev/null 2>&1 || {
    echo "schemathesis is missing: python3 -m venv var/schemathesis && var/schemathesis/bin/pip install schemathesis," >&2
    echo "then SCHEMATHESIS=var/schemathesis/bin/schemathesis $0 …" >&2
    exit 1
}
export SCHEMATHESIS_HOOKS="$here/schemathesis/rules.py"
exec "$program" --config-file "$here/schemathesis/schemathesis.toml" run "$url/api/v1/openapi.json" \
    --header "Authorization: Bearer $token" --no-color "$@"
