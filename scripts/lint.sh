#!/usr/bin/env bash
# The style of Swift sources and of scripts; any finding is a failure.
set -euo pipefail
cd "$(dirname "$0")/.."
swift format lint --strict -r Sources Tests Package.swift
shellcheck scripts/*.sh .ci/run
