# shellcheck shell=bash
# Podman with configuration and storage of its own, and the images of docker/Dockerfile built by it. To be sourced at the
# root of the repository, by root. Everything is below var/proof; the machine's own containers and /etc stay untouched.

engine=$PWD/var/proof/engine
build_cache=$PWD/var/proof/build  # the build stage's .build: a second build takes seconds
export CONTAINERS_CONF=$engine/containers.conf
export CONTAINERS_STORAGE_CONF=$engine/storage.conf
export CONTAINERS_REGISTRIES_CONF=$engine/registries.conf

say() { echo "${0##*/}: $*" >&2; }
die() { say "$*"; exit 1; }

require_engine() {
    [ "$(id -u)" -eq 0 ] || die "the engine runs as root here"
    local program
    for program in podman runc catatonit debootstrap unshare; do
        command -v "$program" >/dev/null ||
            die "$program is missing: apt-get install podman runc catatonit debootstrap" \
                "golang-github-containernetworking-plugin-dnsname iptables iproute2"
    done
}

# A limit for containers: at most our own, because no process may raise its limit.
limit() {
    local hard
    hard=$(ulimit -H "$1")
    if [ "$hard" = unlimited ] || [ "$hard" -gt "$2" ]; then hard=$2; fi
    echo "$hard:$hard"
}

write_storage() {
    cat >"$CONTAINERS_STORAGE_CONF" <<-END
		[storage]
		driver = "$1"
		graphroot = "$engine/storage"
		runroot = "$engine/run"
	END
}

configure_engine() {
    # Without it podman sees a machine that was started again, and takes nothing of an interrupted run for running.
    rm -rf --one-file-system "$engine/run"
    mkdir -p "$engine/networks"
    cat >"$CONTAINERS_CONF" <<-END
		[containers]
		default_ulimits = ["nofile=$(limit -n 65536)", "nproc=$(limit -u 4096)"]
		log_driver = "k8s-file"
		[engine]
		runtime = "runc"
		cgroup_manager = "cgroupfs"
		events_logger = "file"
		tmp_dir = "$engine/run/libpod"
		[network]
		network_config_dir = "$engine/networks"
	END
    cat >"$CONTAINERS_REGISTRIES_CONF" <<-END
		unqualified-search-registries = ["docker.io"]
		short-name-mode = "permissive"
	END
    # Where overlays cannot be stacked, layers are copies.
    write_storage overlay
    podman info >/dev/null 2>&1 || write_storage vfs
}

# Pulls an image; where no registry can be reached, the function that is named builds a stand-in.
require_image() {
    local name=docker.io/library/$1 stand_in=$2
    podman image exists "$name" && return
    if timeout 900 podman pull -q "$name" >/dev/null 2>&1; then
        say "$name is pulled"
    else
        say "$name cannot be pulled: a stand-in is made from Debian's packages"
        "$stand_in" "$name" >"$engine/stand-in.log" 2>&1 || die "failed: $(tail -n 5 "$engine/stand-in.log")"
    fi
}

build_image() { podman build --pull=never --network host --format docker "$@"; }

debian_stand_in() {
    local root=$engine/debian
    rm -rf "$root"
    debootstrap --variant=minbase bookworm "$root"
    tar -C "$root" -c . | podman import -c 'CMD ["bash"]' - "$1"
    rm -rf "$root"
}

# What the toolchain needs; the toolchain in PATH and SwiftPM's cache are mounted when something is built.
swift_stand_in() {
    build_image -t "$1" - <<-'END'
		FROM docker.io/library/debian:bookworm-slim
		RUN apt-get update && apt-get install -y --no-install-recommends git ca-certificates libncurses6 libedit2 \
		    libxml2 libpython3.11 libsqlite3-0 libz3-4 tzdata binutils gcc libc6-dev libstdc++-12-dev
		ENV PATH=/toolchain/usr/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/cache
		LABEL stand-in=yes
	END
}

# Has no npm: hls.js is left out.
node_stand_in() {
    build_image -t "$1" - <<-'END'
		FROM docker.io/library/debian:bookworm-slim
		LABEL stand-in=yes
	END
}

is_stand_in() { [ "$(podman image inspect --format '{{index .Labels "stand-in"}}' "docker.io/library/$1")" = yes ]; }

# The variables, folders and accounts of the image that compose file and manifests name.
postgres_stand_in() {
    build_image -t "$1" - <<-'END'
		FROM docker.io/library/debian:bookworm-slim
		RUN groupadd --gid 999 postgres && useradd --system --uid 999 --gid 999 --home-dir /var/lib/postgresql postgres \
		 && apt-get update && apt-get install -y --no-install-recommends postgresql-common \
		 && echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.conf \
		 && apt-get install -y --no-install-recommends postgresql-15 \
		 && install -d -o postgres -g postgres -m 700 /var/lib/postgresql/data
		RUN printf '%s\n' '#!/bin/sh' 'set -eu' \
		 'if [ "$(id -u)" = 0 ]; then' \
		 '    chown -R postgres:postgres /var/lib/postgresql/data' \
		 '    exec setpriv --reuid=999 --regid=999 --clear-groups "$0" "$@"' \
		 'fi' \
		 'if [ ! -s "$PGDATA/PG_VERSION" ]; then' \
		 '    printf "%s\n" "$POSTGRES_PASSWORD" >/tmp/password' \
		 '    initdb -D "$PGDATA" -U "$POSTGRES_USER" -E UTF8 --pwfile=/tmp/password \' \
		 '        --auth-local=trust --auth-host=scram-sha-256' \
		 '    rm /tmp/password' \
		 '    echo "host all all all scram-sha-256" >>"$PGDATA/pg_hba.conf"' \
		 '    pg_ctl -D "$PGDATA" -w -o "-c listen_addresses=" start' \
		 '    createdb -U "$POSTGRES_USER" "$POSTGRES_DB"' \
		 '    pg_ctl -D "$PGDATA" -w stop' \
		 'fi' \
		 'exec "$@"' >/usr/local/bin/docker-entrypoint.sh && chmod 755 /usr/local/bin/docker-entrypoint.sh
		ENV PGDATA=/var/lib/postgresql/data \
		    PATH=/usr/lib/postgresql/15/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
		VOLUME /var/lib/postgresql/data
		STOPSIGNAL SIGINT
		ENTRYPOINT ["docker-entrypoint.sh"]
		CMD ["postgres", "-c", "listen_addresses=*"]
	END
}

# The base image that an argument of docker/Dockerfile names unless it is set.
base_image() { sed -n "s/^ARG $1=//p" docker/Dockerfile | grep . || die "docker/Dockerfile has no default of $1"; }

# Builds the images backcast:local and backcast-origin:local.
build_images() {
    local swift node debian options=() toolchain cache
    swift=$(base_image SWIFT_IMAGE)
    node=$(base_image NODE_IMAGE)
    debian=$(base_image DEBIAN_IMAGE)
    require_image "$debian" debian_stand_in
    require_image "$swift" swift_stand_in
    require_image "$node" node_stand_in
    mkdir -p "$build_cache"
    options=(--volume "$build_cache:/src/.build" -f docker/Dockerfile)
    if is_stand_in "$node"; then options+=(--build-arg HLS_JS=no); fi
    if is_stand_in "$swift"; then
        swift package resolve >&2
        toolchain=$(dirname "$(dirname "$(realpath "$(command -v swift)")")")
        cache=$HOME/.cache/org.swift.swiftpm
        options+=(--volume "$toolchain:/toolchain/usr:ro" --volume "$cache:/cache/.cache/org.swift.swiftpm:O")
    fi
    say "building docker/Dockerfile"
    if ! build_image "${options[@]}" -t backcast:local . >"$engine/build.log" 2>&1 ||
        ! build_image "${options[@]}" --target origin -t backcast-origin:local . >>"$engine/build.log" 2>&1; then
        die "the build failed: $(tail -n 20 "$engine/build.log")"
    fi
}

# Removes everything but images.
remove_containers() {
    podman pod rm -fa
    podman rm -fa
    podman volume rm -fa
    podman secret rm --all
    podman network prune -f
} >/dev/null 2>&1

# Removes the images and with them the whole storage.
remove_engine() {
    [ ! -e "$engine/storage" ] || podman rmi -fa >/dev/null 2>&1 || true
    rm -rf --one-file-system "$engine" "$build_cache" || say "$engine is left"
    # Those that nothing is in.
    find /sys/fs/cgroup -depth -type d -path '*/libpod_parent*' -exec rmdir {} + 2>/dev/null || true
}
