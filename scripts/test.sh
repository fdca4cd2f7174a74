#!/usr/bin/env bash
# `make test`: installs, builds with warnings as errors, checks the style and runs every test. Nothing is skipped: a missing
# component is a failure. The tests start their own PostgreSQL and choose free ports.
set -euo pipefail
cd "$(dirname "$0")/.."

fuzz_seconds=${FUZZ_SECONDS:-60}  # for each of seven targets, two at a time
export COST_MS=${COST_MS:-1000}  # four times the limit of `make fuzz`: the machine may be slow or have other work
suite_seconds=3600  # for one module; on a slow and busy machine the longest takes half an hour
log=var/log/test.log
faults=$log.faults
running=''

finish() {
    # SwiftPM ends what it has started for this signal only; a script in the background ignores it.
    [ -z "$running" ] || { kill -"${signal:-INT}" "$running" 2>/dev/null && wait "$running"; } || true
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

# One module's tests at a time, each in a process of its own: real sockets, databases and encoders must not starve each
# other of the two cores. The whole output goes to a file; what failed and the closing lines are shown.
run_tests() {
    local suite failed=''
    mkdir -p "${log%/*}"
    : >"$log"
    : >"$faults"
    for suite in $(find Tests -mindepth 1 -type d -name '*Tests' -printf '%f\n' | sort); do
        run_suite "$suite" || failed+=" $suite"
    done
    # Once more at the end, where whoever sees only the closing lines finds them.
    [ -z "$failed" ] || cat "$faults"
    rm -f "$faults"
    count_tests
    [ -z "$failed" ] || { echo "test: failed:$failed" >&2; return 1; }
}

# The closing line of all runs together.
count_tests() {
    local all failed
    all=$(sed -nE 's/^.*Test run with ([0-9]+) tests?.*/\1/p' "$log" | awk '{ n += $1 } END { print n + 0 }')
    failed=$(grep -E '^✘ Test .* failed after' "$log" | grep -cv '^✘ Test run with' || true)
    echo "$((all - failed)) passed, $failed failed"
}

run_suite() {
    local part=$log.part status=0
    timeout -s INT -k 20 "$suite_seconds" swift test --skip-build --disable-xctest --filter "^$1\." >"$part" 2>&1 &
    running=$!
    wait "$running" || status=$?
    running=''
    cat "$part" >>"$log"
    if [ "$status" -ne 0 ]; then
        { grep -E '✘|recorded an issue|error:|Fatal|signal' "$part" | head -n 60 || true; } | tee -a "$faults"
        [ "$status" -ne 124 ] || echo "test: $1 was not done within $suite_seconds s" | tee -a "$faults" >&2
    fi
    echo "$1: $(tail -n 1 "$part")"
    rm -f "$part"
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
signal=TERM step scripts/fuzz.sh "$fuzz_seconds"
echo "== swift test, in full in $log"
started=$SECONDS
run_tests || { echo "test: failed after $((SECONDS - started)) s; $log has everything" >&2; exit 1; }
echo "test: passed in $((SECONDS - started)) s"
