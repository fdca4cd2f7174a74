#!/usr/bin/env bash
# `make simulate`: records channels in memory, with simulated clocks, sources, disks and PostgreSQL, until SECONDS are over or a
# scenario fails. SCENARIO, HOURS and FAULTS run one again, as a failure prints them; TRACE=1 shows what the recorder logs.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/release.sh Simulator
arguments=(--seconds "${SECONDS_TO_RUN:-60}" --hours "${HOURS:-3}" --seed "${SEED:-$((RANDOM * 32768 + RANDOM))}")
[ -z "${SCENARIO:-}" ] || arguments+=(--scenario "$SCENARIO")
[ -z "${FAULTS+set}" ] || arguments+=(--faults "$FAULTS")
[ -z "${TRACE:-}" ] || arguments+=(--trace)
exec .build/release/Simulator "${arguments[@]}"
