#!/usr/bin/env bash
# `make simulate`: records channels in memory, with simulated clocks, sources, disks and PostgreSQL, until SECONDS are over or a
# scenario fails. SCENARIO, HOURS and FAULTS run one again, as a failure prints them; TRACE=1 shows what the recorder logs.
set -euo pipefail
cd "$(dirname "$0")/.."

# Linked statically it does three quarters more in the same time, as most of its work is calls into the library. Such a build
# shares nothing with the others: it has a folder of its own.
swift build -c release --static-swift-stdlib --scratch-path .build/simulator --product Simulator
arguments=(--seconds "${SECONDS_TO_RUN:-60}" --hours "${HOURS:-3}" --seed "${SEED:-$((RANDOM * 32768 + RANDOM))}")
[ -z "${SCENARIO:-}" ] || arguments+=(--scenario "$SCENARIO")
[ -z "${FAULTS+set}" ] || arguments+=(--faults "$FAULTS")
[ -z "${TRACE:-}" ] || arguments+=(--trace)
exec .build/simulator/release/Simulator "${arguments[@]}"
