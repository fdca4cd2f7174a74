#!/usr/bin/env bash
# Proves docker/Dockerfile without a container engine: its RUN, COPY, ENV, USER and WORKDIR lines are carried out in new
# Debian roots, and the result is started as its user, with its settings, beside a PostgreSQL of its own.
# Usage (root): scripts/prove-dockerfile.sh
# The build stage stands on the toolchain in PATH in place of the base image's. What is made stays: the images' roots in
# var/proof/images, for the proofs of deployment; the Debian below them and the build's folder in var/proof, for the next run.
set -euo pipefail
cd "$(dirname "$0")/.."

dockerfile=docker/Dockerfile
debian=$PWD/var/proof/debian
scratch=${PROOF_SCRATCH:-}
mirror=$(sed -n 's/^\(URIs: *\|deb \(\[[^]]*\] \)\?\)\(http[^ ]*\).*/\3/p' /etc/apt/sources.list \
    /etc/apt/sources.list.d/* 2>/dev/null | head -n 1) || true

say() { echo "prove-dockerfile: $*" >&2; }
die() { say "$*"; exit 1; }

# One line of the closing table.
proven() { printf '  ok  %s\n' "$*"; }

# What a stage's lines have set so far.
reset_stage() {
    environment=(PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)
    user=0:0 folder=/ entrypoint='' arguments='' healthcheck=''
}

# Sets `words` to the command that runs a shell line in a root as the stage's user, in its folder, with its settings and
# nothing of ours.
prepare() {
    local root=$1 line=$2 ids=()
    ids=(--reuid="${user%%:*}" --regid="${user##*:}" --clear-groups)
    [ "$user" = 0:0 ] || ids+=(--inh-caps=-all --no-new-privs)
    words=(env -i "${environment[@]}" "${extra[@]}" /usr/sbin/chroot "$root"
        setpriv "${ids[@]}" /bin/sh -c "cd '$folder' && $line")
}

inside() {
    prepare "$@"
    "${words[@]}" </dev/null
}

carry_out_run() {
    say "RUN ${2:0:90}…"
    inside "$@" >"$scratch/run.log" 2>&1 || die "failed: $(tail -n 20 "$scratch/run.log")"
}

# Docker's rules: a folder's contents go into the target; a file goes into a target that ends with a stroke.
copy() {
    local root=$1 words=() from=. source target
    read -r -a words <<<"$2"
    if [[ ${words[0]} == --from=* ]]; then
        from=$scratch/${words[0]#--from=}
        words=("${words[@]:1}")
    fi
    [ ${#words[@]} -eq 2 ] || die "cannot read COPY $2"
    source=${words[0]} target=${words[1]}
    if [ "$from" = . ]; then
        grep -qxF "!$source" .dockerignore || die ".dockerignore keeps COPY's $source out of the build"
    fi
    [[ $target == /* ]] || target=$folder/$target
    if [ -d "$from/$source" ]; then
        mkdir -p "$root$target"
        cp -a --no-preserve=ownership "$from/$source/." "$root$target/"
    elif [[ $target == */ || -d $root$target ]]; then
        mkdir -p "$root$target"
        cp --no-preserve=ownership "$from/$source" "$root$target/"
    else
        cp --no-preserve=ownership "$from/$source" "$root$target"
    fi
}

# Reads a stage's lines and carries them out; with `settings`, only those that set something.
carry_out() {
    local stage=$1 root=$2 only=${3:-all} name argument pairs=() steps
    steps=$(scripts/dockerfile_steps.py "$dockerfile" "$stage")
    reset_stage
    while IFS=$'\t' read -r name argument <&4; do
        case $name in
            RUN) [ "$only" = settings ] || carry_out_run "$root" "$argument" ;;
            COPY) [ "$only" = settings ] || { say "COPY $argument"; copy "$root" "$argument"; } ;;
            ENV) read -r -a pairs <<<"$argument"; environment+=("${pairs[@]}") ;;
            USER) user=$argument ;;
            WORKDIR) folder=$argument; [ "$only" = settings ] || mkdir -p "$root$folder" ;;
            ENTRYPOINT) entrypoint=$argument ;;
            CMD) arguments=$argument ;;
            HEALTHCHECK) healthcheck=$argument ;;
        esac
    done 4<<<"$steps"
}

new_root() {
    local root=$1
    cp -a "$debian" "$root"
    cp /etc/resolv.conf /etc/hosts "$root/etc/"
    mount --rbind /dev "$root/dev"
    mount -t proc proc "$root/proc"
}

# The base image's toolchain is the one in PATH; the packages that it needs are its image's too.
build() {
    local root=$scratch/build kept=$PWD/var/proof/build toolchain
    toolchain=$(dirname "$(dirname "$(realpath "$(command -v swift)")")")
    new_root "$root"
    chroot "$root" apt-get update -qq
    chroot "$root" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends git ca-certificates \
        libncurses6 libedit2 libxml2 libpython3.11 libsqlite3-0 libz3-4 tzdata binutils gcc libc6-dev \
        libstdc++-12-dev >/dev/null
    mkdir -p "$root/toolchain/usr" "$root/cache"
    mount --bind -o ro "$toolchain" "$root/toolchain/usr"
    mkdir -p "$kept" "$root/src/.build"
    mount --bind "$kept" "$root/src/.build"
    kept=$HOME/.cache/org.swift.swiftpm
    if [ -d "$kept" ]; then
        mkdir -p "$root/cache/.cache/org.swift.swiftpm"
        mount --bind "$kept" "$root/cache/.cache/org.swift.swiftpm"
    fi
    extra=(PATH=/toolchain/usr/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/cache)
    carry_out build "$root"
    extra=()
    proven "the build stage makes a program of $(megabytes "$root/out/backcast") MB"
}

megabytes() { du -sxm --exclude=proc --exclude=dev "$1" | cut -f 1; }

# The base of debootstrap is a little larger than the slim image; what a stage adds to it is the same.
make_image() {
    local stage=$1 root=$scratch/$2
    new_root "$root"
    carry_out "$stage" "$root"
    proven "the image $2 is made: $(($(megabytes "$root") - $(megabytes "$debian"))) MB on top of its base"
}

make_debian() {
    [ ! -d "$debian" ] || return 0
    say "a new Debian root"
    debootstrap --variant=minbase bookworm "$debian.new" ${mirror:+"$mirror"} >"$scratch/debootstrap.log" 2>&1 ||
        die "debootstrap failed: $(tail -n 3 "$scratch/debootstrap.log")"
    # As in the slim image: packages leave no archives, lists of them or documents.
    cat >"$debian.new/etc/apt/apt.conf.d/docker-clean" <<-'END'
		APT::Keep-Downloaded-Packages "false";
		Dir::Cache::pkgcache "";
		Dir::Cache::srcpkgcache "";
	END
    cat >"$debian.new/etc/dpkg/dpkg.cfg.d/docker" <<-'END'
		path-exclude /usr/share/doc/*
		path-exclude /usr/share/man/*
		path-exclude /usr/share/locale/*
	END
    chroot "$debian.new" apt-get clean
    rm -rf "$debian.new"/var/lib/apt/lists/* "$debian.new"/usr/share/{doc,man,locale}/*
    mv "$debian.new" "$debian"
}

keep_images() {
    local name
    mkdir -p var/proof/images
    for name in backcast origin; do
        umount --recursive "$scratch/$name/proc" "$scratch/$name/dev"
        rm -rf --one-file-system "var/proof/images/$name"
        mv "$scratch/$name" var/proof/images/
    done
}

# The proof of the result has a network of its own, so the image's port is free.
loopback_up() {
    python3 - <<-'END'
		import fcntl, socket, struct
		control = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
		SIOCSIFFLAGS, IFF_UP = 0x8914, 1
		fcntl.ioctl(control, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))
	END
}

# A server with a password on loopback, as the compose file has one.
start_postgres() {
    local programs data=/mnt/postgres
    programs=$(dirname "$(printf '%s\n' /usr/lib/postgresql/*/bin/initdb | sort -V | tail -n 1)")
    install -d -o postgres -m 700 "$data"
    password=$(head -c 18 /dev/urandom | base64 | tr -d '/+=')
    install -o postgres -m 600 <(echo "$password") "$data/password"
    local as=(setpriv --reuid=postgres --regid=postgres --init-groups --inh-caps=-all)
    "${as[@]}" "$programs/initdb" -D "$data/data" -U backcast --pwfile "$data/password" \
        --auth=scram-sha-256 -E UTF8 --locale=C --no-sync >/dev/null 2>&1
    "${as[@]}" "$programs/pg_ctl" -D "$data/data" -l "$data/log" -w -s \
        -o "-c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off" start >/dev/null </dev/null
    PGPASSWORD=$password psql -X -q -h 127.0.0.1 -U backcast -d postgres -c 'CREATE DATABASE backcast'
}

# What the service writes goes into a layer of its own: the image stays as it was made.
start_layer() {
    mkdir "$2" /mnt/layer /mnt/work
    mount -t overlay -o "lowerdir=$scratch/$1,upperdir=/mnt/layer,workdir=/mnt/work" overlay "$2"
    mount --rbind /dev "$2/dev"
    mount -t proc proc "$2/proc"
}

# In memory, and in a mount namespace of its own.
prove_running() {
    local root=$scratch/running service status
    loopback_up
    mount -t tmpfs tmpfs /mnt
    start_postgres
    start_layer backcast "$root"
    carry_out - "$root" settings
    extra=("BACKCAST_DATABASE_URL=postgresql://backcast:$password@127.0.0.1/backcast")
    prepare "$root" "exec $entrypoint $arguments"
    (exec "${words[@]}" >"$scratch/service.log" 2>&1 </dev/null) &
    service=$!
    extra=()
    for ((tenths = 0; ; tenths++)); do
        inside "$root" "$healthcheck" >/dev/null 2>&1 && break
        kill -0 "$service" 2>/dev/null || die "the service ended: $(tail -n 5 "$scratch/service.log")"
        ((tenths < 600)) || die "no answer within a minute: $(tail -n 5 "$scratch/service.log")"
        sleep 0.1
    done
    proven "as ${user}, the image's health check answers: $healthcheck"
    status=$(awk '/^Uid:/ {print $2} /^CapEff:/ {print $2}' "/proc/$service/status" | paste -sd ' ')
    [ "$status" = "${user%%:*} 0000000000000000" ] || die "user and capabilities are: $status"
    proven "the process has user ${user%%:*} and no capability"
    curl -fs -o /dev/null --retry 20 --retry-delay 1 --retry-all-errors http://127.0.0.1:8080/readyz ||
        die "not ready: $(tail -n 5 "$scratch/service.log")"
    proven "/readyz answers: archive and PostgreSQL are reached"
    kill -TERM "$service"
    status=0
    wait "$service" || status=$?
    [ "$status" -eq 0 ] || die "ended with $status on SIGTERM: $(tail -n 5 "$scratch/service.log")"
    proven "SIGTERM ends it with 0"
}

extra=()
case ${1:-} in
    --inside)
        make_debian
        build
        make_image - backcast
        make_image origin origin
        unshare --net --mount "$0" --running
        keep_images
        ;;
    --running) prove_running ;;
    '')
        [ "$(id -u)" -eq 0 ] || die "new roots take root"
        for program in debootstrap unshare python3 curl; do
            command -v "$program" >/dev/null || die "$program is missing: apt-get install debootstrap util-linux python3 curl"
        done
        mkdir -p var/proof
        rm -rf --one-file-system "$debian.new"
        scratch=$(mktemp -d "$PWD/var/proof/dockerfile-XXXXXX")
        trap 'rm -rf --one-file-system "$scratch"' EXIT
        # The mounts and the processes of the proof end with it.
        PROOF_SCRATCH=$scratch unshare --mount --pid --fork --kill-child --mount-proc "$0" --inside
        ;;
    *) die "usage: $0" ;;
esac
