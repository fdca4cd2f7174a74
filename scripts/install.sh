#!/usr/bin/env bash
# Installs the Debian packages that Backcast needs and that are missing; says what else is needed.
# Usage: scripts/install.sh [run|test|bench|caches|players]
set -euo pipefail

# What building needs beside the toolchain, what running needs, and what only the tests use.
build_packages=(
    git ca-certificates g++ binutils pkg-config
    libcurl4-openssl-dev libpq-dev libmicrohttpd-dev zlib1g-dev libssl-dev
)
run_packages=(postgresql postgresql-client ffmpeg fonts-dejavu-core curl)
test_packages=(nginx-light python3 gzip shellcheck valgrind)
bench_packages=(nginx-light python3 wrk)
cache_packages=(nginx-light varnish python3)

# What `make proof` plays windows in. Each is installed by itself: one that cannot be had is missed by the proof alone.
player_packages=(
    python3 python3-venv chromium firefox-esr mpv vlc-bin vlc-plugin-base gstreamer1.0-tools gstreamer1.0-plugins-base
    gstreamer1.0-plugins-good gstreamer1.0-plugins-bad gstreamer1.0-libav python3-gi gir1.2-gstreamer-1.0
    kodi kodi-pvr-iptvsimple kodi-inputstream-ffmpegdirect xvfb
)

say() { echo "install: $*" >&2; }

# PostgreSQL of any version will do, and no newer one is put in its place.
is_installed() {
    case $1 in
        postgresql) compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null ;;
        postgresql-client) command -v psql >/dev/null ;;
        *) [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ] ;;
    esac
}

made=()

undo() {
    local file
    for file in "${made[@]}"; do
        rm -f "$file"
        rmdir "${file%/*}" 2>/dev/null || true
    done
}

# As root: installs without starting a service and without making PostgreSQL's cluster of the system. What
# that takes for the moment is taken away again: only packages stay behind.
install_as_root() {
    local policy=/usr/sbin/policy-rc.d
    local without_cluster=/etc/postgresql-common/createcluster.d/backcast.conf
    trap undo EXIT
    if [ ! -e "$policy" ]; then
        made+=("$policy")
        printf '#!/bin/sh\nexit 101\n' >"$policy"
        chmod 755 "$policy"
    fi
    if ! is_installed postgresql-common; then
        mkdir -p "${without_cluster%/*}"
        made+=("$without_cluster")
        echo 'create_main_cluster = false' >"$without_cluster"
    fi
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends "$@" >&2
}

require_debian() {
    command -v apt-get >/dev/null && command -v dpkg-query >/dev/null && return
    say "this needs Debian 12 or a relative of it (apt-get, dpkg-query)"
    exit 1
}

install_missing() {
    local missing=() package
    for package in "$@"; do is_installed "$package" || missing+=("$package"); done
    [ ${#missing[@]} -gt 0 ] || return 0
    say "missing: ${missing[*]}"
    if [ "$(id -u)" -eq 0 ]; then
        "$0" --as-root "${missing[@]}"
    elif command -v sudo >/dev/null; then
        sudo "$0" --as-root "${missing[@]}"
    else
        say "run this as root, then start again:"
        echo "    $(printf '%q ' "$(realpath "$0")" --as-root "${missing[@]}")" >&2
        exit 1
    fi
}

install_each() {
    local package
    (install_missing "$@") && return
    for package in "$@"; do (install_missing "$package") || say "$package could not be installed"; done
}

require_swift() {
    if ! command -v swift >/dev/null; then
        say "swift is not in PATH: Swift 6.2 or newer is needed (https://www.swift.org/install/linux/)"
        exit 1
    fi
    local version
    if ! version=$(swift --version 2>&1); then
        say "swift does not start: $(tail -n 1 <<<"$version")"
        say "what the toolchain itself needs: apt-get install libncurses6 libedit2 libxml2" \
            "libpython3.11 libsqlite3-0 libz3-4 tzdata binutils-gold gcc libc6-dev libstdc++-12-dev"
        exit 1
    fi
    [[ $version =~ Swift\ version\ ([0-9]+)\.([0-9]+) ]] || { say "no version in: $version"; exit 1; }
    if ((BASH_REMATCH[1] < 6 || (BASH_REMATCH[1] == 6 && BASH_REMATCH[2] < 2))); then
        say "Swift ${BASH_REMATCH[1]}.${BASH_REMATCH[2]} is too old: 6.2 or newer is needed"
        exit 1
    fi
}

case ${1:-run} in
    --as-root)
        shift
        install_as_root "$@"
        ;;
    run)
        require_debian
        install_missing "${build_packages[@]}" "${run_packages[@]}"
        require_swift
        ;;
    test)
        require_debian
        install_missing "${build_packages[@]}" "${run_packages[@]}" "${test_packages[@]}"
        require_swift
        ;;
    bench)
        require_debian
        install_missing "${build_packages[@]}" "${run_packages[@]}" "${bench_packages[@]}"
        require_swift
        ;;
    caches)
        require_debian
        install_missing "${build_packages[@]}" "${run_packages[@]}" "${cache_packages[@]}"
        require_swift
        ;;
    players)
        require_debian
        install_each "${player_packages[@]}"
        ;;
    *)
        echo "usage: $0 [run|test|bench|caches|players]" >&2
        exit 2
        ;;
esac
