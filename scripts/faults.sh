#!/usr/bin/env bash
# `make faults`: tries every fault in full on the release build and shows a table: fault, how often, lost, twice,
# recovered in. Half an hour. Usage: scripts/faults.sh [SUITE…]; suites: FaultTests DatabaseFaultTests AgedRestartTests
# ClockFaultTests KilledDownloadTests CostTests, the last two of which have no row: downloads that are killed, and what requests
# of the release build allocate and execute.
set -euo pipefail
cd "$(dirname "$0")/.."

suites=("$@")
[ ${#suites[@]} -gt 0 ] || suites=(FaultTests DatabaseFaultTests AgedRestartTests ClockFaultTests KilledDownloadTests CostTests)
table=$PWD/var/faults/table.md
log=var/log/faults.log
running=''

finish() {
    [ -z "$running" ] || { kill -INT "$running" 2>/dev/null && wait "$running"; } || true
    exit 130
}
trap finish INT TERM HUP

scripts/install.sh test
scripts/release.sh backcast live-origin Benchmarks
export BACKCAST_SUITES=EndToEndTests,BackcastTests
swift build --build-tests

mkdir -p "${table%/*}" "${log%/*}"
: >"$log"
printf '%s\n' '| fault | times | lost | twice | recovered in |' '| --- | --- | --- | --- | --- |' >"$table"
export FAULT_SCALE=full FAULT_TABLE=$table FAULT_PROGRAMS=$PWD/.build/release
status=0
for suite in "${suites[@]}"; do
    swift test --skip-build --disable-xctest --filter "^(EndToEnd|Backcast)Tests\\.$suite/" >>"$log" 2>&1 &
    running=$!
    wait "$running" || status=1
    running=''
done
cat "$table"
[ "$status" -eq 0 ] && exit
grep -E '✘|recorded an issue' "$log" >&2
echo "faults: failed; $log has everything" >&2
false
