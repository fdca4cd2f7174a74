#!/usr/bin/env bash
# Proves deploy/backcast.service: it is installed as its header says in a Debian that is booted with systemd as its first
# process, in namespaces and a control group of its own; then it records, is killed, and takes the sample settings.
# Usage (root): scripts/prove-systemd.sh
# The Debian is the image of docker/Dockerfile with systemd and PostgreSQL added; it stays in var/proof/images.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/engine.sh
. scripts/engine.sh

images=$PWD/var/proof/images
machine='' group='' scratch=${PROOF_SCRATCH:-}

proven() { printf '  ok  %s\n' "$*"; }

# The files of the images backcast:local and backcast-origin:local, each in a folder.
export_images() {
    local name container
    require_engine
    trap remove_engine EXIT
    configure_engine
    build_images
    mkdir -p "$images"
    for name in backcast backcast-origin; do
        container=$(podman create "$name:local")
        rm -rf --one-file-system "$images/$name.new" "${images:?}/$name"
        mkdir "$images/$name.new"
        podman export "$container" | tar -x -C "$images/$name.new"
        podman rm "$container" >/dev/null
        mv "$images/$name.new" "$images/$name"
    done
    remove_engine
    trap - EXIT
}

# Made once; what a boot changes is in a layer above.
make_debian() {
    local root=$images/systemd.new
    rm -rf --one-file-system "$root"
    cp -a "$images/backcast" "$root"
    cp /etc/resolv.conf /etc/hosts "$root/etc/"  # empty in an exported image
    mount --rbind /dev "$root/dev"
    mount -t proc proc "$root/proc"
    install -m 755 <(printf '#!/bin/sh\nexit 101\n') "$root/usr/sbin/policy-rc.d"
    chroot "$root" apt-get update -qq
    chroot "$root" env -u TMPDIR DEBIAN_FRONTEND=noninteractive LANG=C.UTF-8 apt-get install -y -qq --no-install-recommends \
        systemd systemd-sysv postgresql >/dev/null
    rm "$root/usr/sbin/policy-rc.d"
    # The account is what backcast.sysusers.conf makes, not the image's.
    chroot "$root" userdel --remove backcast 2>/dev/null
    umount --recursive "$root/dev" "$root/proc"
    mv "$root" "$images/systemd"
}

# What the header of the unit says.
install_unit() {
    local root=$1
    install -D -m 644 deploy/backcast.service "$root/etc/systemd/system/backcast.service"
    install -D -m 644 deploy/backcast.sysusers.conf "$root/etc/sysusers.d/backcast.conf"
    install -D -m 600 deploy/backcast.env.sample "$root/etc/backcast/backcast.env"
    install -D -m 644 README.md "$root/usr/local/share/doc/backcast/README.md"
    chroot "$root" systemd-sysusers
    chroot "$root" systemctl --quiet enable backcast.service
}

mount_devices() {
    local folder=$1 name
    mount -t tmpfs -o mode=755 tmpfs "$folder"
    for name in null zero full random urandom tty; do
        touch "$folder/$name"
        mount --bind "/dev/$name" "$folder/$name"
    done
    mkdir "$folder/shm" "$folder/pts"
    mount -t tmpfs tmpfs "$folder/shm"
    mount -t devpts -o newinstance,ptmxmode=0666 devpts "$folder/pts"
    ln -s pts/ptmx "$folder/ptmx"
    ln -s /proc/self/fd "$folder/fd"
}

# In namespaces of its own: ends as their first process.
boot() {
    local root=$scratch/root
    ip link set lo up
    mkdir "$root" "$scratch/layer" "$scratch/work"
    mount -t overlay overlay "$root" \
        -o "lowerdir=$images/systemd,upperdir=$scratch/layer,workdir=$scratch/work"
    install_unit "$root"
    mount_devices "$root/dev"
    mount -t proc proc "$root/proc"
    mount -t sysfs -o ro sysfs "$root/sys"
    mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
    mount -t tmpfs tmpfs "$root/run"
    mount -t tmpfs tmpfs "$root/tmp"
    exec env -i container=proof /usr/sbin/chroot "$root" /lib/systemd/systemd --system
}

start_machine() {
    local hierarchy
    hierarchy=$(findmnt --noheadings --types cgroup2 --output TARGET | head -n 1)
    [ -n "$hierarchy" ] || die "systemd takes control groups of version 2, and none are mounted"
    group=$hierarchy/${scratch##*/}
    mkdir "$group"
    PROOF_SCRATCH=$scratch /bin/sh -euc 'echo $$ >"$0/cgroup.procs"; exec "$@"' "$group" \
        unshare --mount --pid --net --ipc --uts --cgroup --fork --kill-child "$0" --boot >"$scratch/boot.log" 2>&1 &
    machine=$!
}

# The first process of the machine, a child of unshare.
init() { cut -d ' ' -f 1 "/proc/$machine/task/$machine/children"; }

inside() { nsenter --target "$(init)" --all --root --wd -- "$@"; }

property() { inside systemctl show --value --property "$1" backcast.service; }

wait_until() {
    local what=$1 seconds=$2
    shift 2
    local end=$((SECONDS + seconds))
    until "$@" >/dev/null 2>&1; do
        kill -0 "$machine" 2>/dev/null || die "the machine ended: $(tail -n 5 "$scratch/boot.log")"
        ((SECONDS < end)) || die "$what did not come in $seconds s: $(inside journalctl -u backcast -n 8 -o cat)"
        sleep 0.5
    done
}

is_ready() { inside curl -fsS -m 5 -o /dev/null http://127.0.0.1:8080/readyz; }
# Before that, the machine's first process still stands in the root of ours.
is_systemd() { [ "$(cat "/proc/$(init)/comm")" = systemd ]; }
# For one active unit of several, systemctl has status 0.
is_active() { inside systemctl is-active "$1"; }
is_booted() { is_systemd && is_active backcast.service && is_active postgresql@15-main.service; }

prove_start() {
    wait_until "the boot" 60 is_booted
    local findings
    findings=$(inside systemd-analyze verify backcast.service 2>&1) || die "$findings"
    [ -z "$findings" ] || die "$findings"
    proven "systemd-analyze verify has nothing to say"
    inside setpriv --reuid=postgres --regid=postgres --init-groups sh -c \
        'createuser backcast && createdb -O backcast backcast'
    wait_until "/readyz" 60 is_ready
    proven "with the sample settings as they are /readyz answers; PostgreSQL knows the account by its name"
    proven "systemd-analyze security: $(inside systemd-analyze security --no-pager backcast.service | tail -n 1)"
}

# In the program's own process.
prove_hold() {
    local process seen
    process=$(property MainPID)
    # shellcheck disable=SC2016  # awk's
    seen=$(inside awk '/^(CapEff|CapBnd|NoNewPrivs|Seccomp):/ {print $2}' "/proc/$process/status" | paste -sd ' ')
    [ "$seen" = "0000000000000000 0000000000000000 1 2" ] || die "capabilities, privileges and filter are: $seen"
    [ "$(inside stat -c %U "/proc/$process")" = backcast ] || die "the process has another user"
    inside nsenter --target "$process" --mount --root --wd -- /bin/sh -c \
        '! touch /etc/written 2>/dev/null && touch /var/lib/backcast/written' ||
        die "the process may write elsewhere, or not in its folder"
    proven "user backcast, no capability, no new privileges, a filter of system calls, nothing to write but its folder"
}

# Among the machine's processes, so that it ends with them: a change of user undoes what unshare's --kill-child asks.
start_origin() {
    local root=$images/backcast-origin folder=$images/backcast-origin/var/lib/live-origin
    # shellcheck disable=SC2016  # the shell within expands it
    nsenter --target "$(init)" --mount --net --pid unshare --mount --pid --fork /bin/sh -euc '
        mount -t proc proc "$0/proc"; mount -t tmpfs -o uid=10002,gid=10002 tmpfs "$1"; mount --bind /dev "$0/dev"
        exec chroot "$0" setpriv --reuid=10002 --regid=10002 --clear-groups --inh-caps=-all \
            live-origin encode --port 8090 --folder /var/lib/live-origin --channel demo' \
        "$root" "$folder" >"$scratch/origin.log" 2>&1 &
    disown
}

administer() {
    # shellcheck disable=SC2016  # the shell within expands it
    inside sh -c 'printf "header = \"Authorization: Bearer %s\"\n" "$(cat /var/lib/backcast/state/admin-token)" |
        curl -sS -m 10 --fail-with-body -K - -H "Content-Type: application/json" "$@"' sh "$@"
}

has_window() { inside curl -fsS -m 5 "$1" | grep -q '^#EXT-X-ENDLIST'; }

has_no_admin_api() {
    [ "$(inside curl -sS -m 5 -o /dev/null -w '%{http_code}' http://127.0.0.1:8080/api/v1/channels)" = 404 ]
}

has_restarted() { [ "$(property NRestarts)" -ge 1 ]; }

# The hardened process records and plays.
prove_recording() {
    local begin window message
    start_origin
    wait_until "the encoder" 60 grep -q '^Ready: ' "$scratch/origin.log"
    has_no_admin_api || die "viewers reach the admin API"
    administer -o /dev/null -X PUT http://127.0.0.1:8081/api/v1/channels/demo \
        --data '{"title":"Demo","source_url":"http://127.0.0.1:8090/demo/index.m3u8"}'
    begin=$(($(date +%s) + 5))
    window="http://127.0.0.1:8080/live/demo/index.m3u8?begintime=$begin&duration=12&strict=true"
    wait_until "a window" 60 has_window "$window"
    message=$(nsenter --target "$(init)" --net ffmpeg -nostdin -v warning -xerror -i "$window" -f null - 2>&1) ||
        die "ffmpeg: $message"
    [ -z "$message" ] || die "ffmpeg: $message"
    proven "a demo channel is recorded, and ffmpeg decodes 12 s of it without a message"
}

prove_restarts() {
    inside systemctl kill --signal=KILL backcast.service
    wait_until "a start after a kill" 30 has_restarted
    wait_until "/readyz after a kill" 30 is_ready
    proven "killed, it is started again"
    local settings=/etc/backcast/backcast.env
    inside sed -i 's/^#BACKCAST_/BACKCAST_/' "$settings"
    inside sed -i 's|^BACKCAST_CONFIG=.*|BACKCAST_CONFIG=/etc/backcast/backcast.yaml|' "$settings"
    # What the header of that file says.
    # shellcheck disable=SC2016  # the shell within expands it
    inside sh -euc 'umask 077; cat >"$0"; chown root:backcast "$0"; chmod 640 "$0"' /etc/backcast/backcast.yaml \
        <deploy/backcast.yaml.sample
    inside systemctl restart backcast.service
    wait_until "/readyz with all the sample settings" 30 is_ready
    proven "with every line of backcast.env.sample and backcast.yaml.sample in use it is ready"
    inside systemctl stop backcast.service
    [ "$(property Result) $(property ExecMainStatus)" = "success 0" ] || die "it did not stop well"
    proven "systemctl stop ends it with 0"
}

# shellcheck disable=SC2317  # a trap calls it
clean() {
    local attempt
    # With the first process of a namespace the kernel ends all others in it.
    if [ -n "$machine" ]; then
        kill -KILL "$(init)" 2>/dev/null || kill -KILL "$machine" 2>/dev/null || true
        wait 2>/dev/null
    fi
    umount "$scratch" && rmdir "$scratch"
    [ -n "$group" ] || return 0
    for attempt in 1 2 3 4 5; do
        find "$group" -depth -type d -exec rmdir {} + 2>/dev/null && return
        [ "$attempt" -lt 5 ] || break
        sleep 1
    done
    say "$group is left"
}

case ${1:-} in
    --boot) boot ;;
    --make) make_debian ;;
    '')
        [ "$(id -u)" -eq 0 ] || die "namespaces take root"
        [ -d "$images/backcast-origin" ] || export_images
        [ -d "$images/systemd" ] || unshare --mount "$0" --make
        scratch=$(mktemp -d "$PWD/var/proof/systemd-XXXXXX")
        mount -t tmpfs tmpfs "$scratch"
        trap clean EXIT
        start_machine
        prove_start
        prove_hold
        prove_recording
        prove_restarts
        ;;
    *) die "usage: $0" ;;
esac
