#!/usr/bin/env bash
# `make test`: installs, builds with warnings as errors, checks the style and runs every test. Nothing is skipped: a missing
# component is a failure. The tests start their own PostgreSQL and choose free ports.
set -euo pipefail
cd "$(dirname "$0")/.."

test_seconds=600  # after the build
log=var/log/test.log
running=''

finish() {
    [ -z "$running" ] || kill -TERM "$running" 2>/dev/null || true
    exit 130
}

# Runs a step that a signal can end.
step() {
    echo "== $*"
    "$@" &
    running=$!
    wait "$running" || { echo "test: failed: $*" >&2; exit 1; }
    running=''
}

# The test run's whole output goes to a file; what failed and the closing lines are shown.
run_tests() {
    local status=0
    mkdir -p "${log%/*}"
    timeout -k 20 "$test_seconds" swift test --skip-build --disable-xctest >"$log" 2>&1 &
    running=$!
    wait "$running" || status=$?
    running=''
    if [ "$status" -ne 0 ]; then
        grep -E '✘|recorded an issue|error:|Fatal|signal' "$log" | head -n 200 || true
        [ "$status" -ne 124 ] || echo "test: not done within $test_seconds s" >&2
    fi
    tail -n 5 "$log"
    return "$status"
}

raise_descriptor_limit() {
    local hard
    hard=$(ulimit -Hn)
    if [ "$hard" = unlimited ] || [ "$hard" -gt 65536 ]; then hard=65536; fi
    ulimit -Sn "$hard"
}

trap finish INT TERM HUP
export BACKCAST_WARNINGS_AS_ERRORS=1
raise_descriptor_limit
step scripts/install.sh test
step scripts/lint.sh
step swift build --build-tests
echo "== swift test, in full in $log"
started=$SECONDS
run_tests || { echo "test: failed after $((SECONDS - started)) s; $log has everything" >&2; exit 1; }
echo "test: passed in $((SECONDS - started)) s"
