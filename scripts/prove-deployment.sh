#!/usr/bin/env bash
# Proves docker/compose.yaml and deploy/kubernetes without a container engine: services and pods are read from the files
# and started in the roots of scripts/prove-dockerfile.sh, each in namespaces and with an address of its own, with the
# rights that the files leave it. With compose the demo channel plays; with Kubernetes the probes are answered.
# Usage (root): scripts/prove-deployment.sh [compose] [kubernetes]
# This machine's PostgreSQL stands in for the image postgres. Variables of the compose file come from the environment.
set -euo pipefail
cd "$(dirname "$0")/.."

die() { echo "prove-deployment: $*" >&2; exit 1; }

require_tools() {
    [ "$(id -u)" -eq 0 ] || die "namespaces take root"
    local program
    for program in unshare nsenter setpriv ip ffmpeg /usr/lib/postgresql/*/bin/initdb; do
        command -v "$program" >/dev/null ||
            die "$program is missing: apt-get install util-linux iproute2 ffmpeg postgresql"
    done
    python3 -c 'import yaml' || die "PyYAML is missing: apt-get install python3-yaml"
}

# A second opinion on the file's syntax. Compose 1 does not know the name that Compose 2 gives a project.
check_compose_file() {
    command -v docker-compose >/dev/null || return 0
    sed '/^name:/d' docker/compose.yaml | docker-compose --project-directory docker -f - config --quiet
    echo "  ok  docker-compose accepts the file"
}

# In namespaces of its own, with which mounts, addresses and processes end. Names, layers and volumes are in memory.
# The shell stays as the first process: it reaps what a probe that took too long leaves.
prove() {
    echo "== $1"
    # shellcheck disable=SC2016  # the shell within expands it
    unshare --mount --net --pid --fork --kill-child --mount-proc /bin/sh -euc \
        'mount -t tmpfs tmpfs /run; mkdir /run/netns /run/proof;
            python3 -B "scripts/containers/$0.py" /run/proof || exit 1' "$1"
}

[ $# -gt 0 ] || set -- compose kubernetes
require_tools
[ -d var/proof/images/origin ] || scripts/prove-dockerfile.sh
for part in "$@"; do
    case $part in
        compose) check_compose_file; prove compose ;;
        kubernetes) prove kubernetes ;;
        *) die "usage: $0 [compose] [kubernetes]" ;;
    esac
done
