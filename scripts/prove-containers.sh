#!/usr/bin/env bash
# Proves docker/Dockerfile, docker/compose.yaml and deploy/kubernetes with podman: the images are built, the compose file
# and the manifests are run, the demo channel is recorded and played, and the recorder is killed. Prints a table of ok and
# miss; a miss fails.
# Usage (root): scripts/prove-containers.sh [--keep]
# Containers run in namespaces of their own, which end with the proof; storage and configuration are in var/proof and are
# removed. With --keep the images stay for the next run.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/engine.sh
. scripts/engine.sh

window_seconds=12
frames_per_second=25  # of the demo channel
tools=$engine/tools/bin
node=http://127.0.0.1:8080
missed=0

# Runs a check: what it prints is shown beside its name.
check() {
    local what=$1 said
    shift
    if said=$("$@" 2>"$engine/errors"); then
        printf '  ok    %s%s\n' "$what" "${said:+: $said}"
    else
        printf '  miss  %s: %s\n' "$what" "${said:-$*}"
        tail -n 5 "$engine/errors"
        missed=$((missed + 1))
    fi
}

quiet() { "$@" >/dev/null; }

wait_until() {
    local seconds=$1 started=$SECONDS
    shift
    until "$@" >/dev/null 2>&1; do
        if ((SECONDS - started >= seconds)); then echo "not within $seconds s: $*"; return 1; fi
        sleep 0.5
    done
    echo "after $((SECONDS - started)) s"
}

ask() { curl -fsS -m 5 "$@"; }
answers() { wait_until 90 ask -o /dev/null "$1"; }

# The whole window is there, and without a hole.
is_whole() { ask "$1" | grep -q '^#EXT-X-ENDLIST' && ask -o /dev/null -D - "$1" | grep -qi '^Backcast-Final: true'; }

# A window decodes without a message, and to as many pictures as its segments promise.
plays() {
    local window="$node/live/demo/index.m3u8?begintime=$1&duration=$2&strict=true" said seconds pictures wanted
    wait_until 60 is_whole "$window" >/dev/null || { curl -sS -m 5 -i "$window" | head -n 20; return 1; }
    seconds=$(ask "$window" | sed -n 's/^#EXTINF:\([0-9.]*\).*/\1/p' | awk '{ n += $1 } END { print n }')
    wanted=$(awk "BEGIN { printf \"%.0f\", $seconds * $frames_per_second }")
    said=$(ffmpeg -nostdin -v warning -xerror -i "$window" -map 0:v -f framecrc "$engine/frames" \
        -map 0:a -f null - -y 2>&1) || { echo "ffmpeg: $said"; return 1; }
    [ -z "$said" ] || { echo "ffmpeg says: $said"; return 1; }
    pictures=$(grep -vc '^#' "$engine/frames")
    echo "$seconds s, $pictures pictures"
    awk "BEGIN { exit !($seconds >= $2) }" && [ "$pictures" -eq "$wanted" ]
}

state() { podman inspect --format "{{.$2}}" "$1"; }

# Who the process of a container is, and what it may do.
is_confined() {
    local container=$1 user=$2 status seen
    status=/proc/$(state "$container" State.Pid)/status
    seen=$(awk '/^(Uid|CapEff|NoNewPrivs):/ { print $2 }' "$status" | paste -sd ' ')
    echo "user, capabilities and no-new-privileges are $seen"
    [ "$seen" = "$user 0000000000000000 1" ]
}

# The folder belongs to the user of the image.
is_read_only() { ! podman exec "$1" sh -c 'echo >/var/lib/backcast/written' 2>/dev/null; }
is_read_only_for_root() { ! podman exec --user 0 "$1" sh -c 'echo >/usr/local/written' 2>/dev/null; }

is_healthy() { podman healthcheck run "$1" >/dev/null; }

has_restarted() { [ "$(state "$1" RestartCount)" -ge "$2" ] && [ "$(state "$1" State.Running)" = true ]; }

# Ends the process from outside, so that the engine has not been asked for it; the engine starts it again.
survives_kill() {
    local container=$1
    kill -KILL "$(state "$container" State.Pid)"
    wait_until 30 has_restarted "$container" 1
}

ended_with() { echo "status $(state "$1" State.ExitCode)"; [ "$(state "$1" State.ExitCode)" -eq "$2" ]; }

now() { date +%s; }

# Records, kills and plays; what compose and Kubernetes have in common.
prove_recording() {
    local container=$1 begin
    begin=$(now)
    check "a window of the demo channel plays" plays "$begin" "$window_seconds"
    begin=$(now)
    sleep 5
    check "killed, the recorder is started again" survives_kill "$container"
    check "it is ready again" answers "$2"
    check "a window over the kill plays" plays "$begin" $((window_seconds * 2))
    check "its health check answers again" wait_until 30 is_healthy "$container"
}

compose() { "$tools/podman-compose" -f docker/compose.yaml "$@"; }
has_ended() { [ "$(state "$1" State.Status)" = exited ]; }
sets_up() { quiet wait_until 60 has_ended backcast_setup_1 && ended_with backcast_setup_1 0; }

# In the container, where the token is; the admin API's address follows.
administer_compose() {
    # shellcheck disable=SC2016  # the shell within expands it
    podman exec backcast_backcast_1 sh -c 'printf "header = \"Authorization: Bearer %s\"\n" "$(cat "$0/admin-token")" |
        curl -fsS -m 5 -K - "$@"' /var/lib/backcast/state "$@"
}
demo_channel() { administer_compose http://127.0.0.1:8081/api/v1/channels/demo "$@"; }

changes_channel() {
    demo_channel -X PATCH -H 'Content-Type: application/merge-patch+json' \
        --data '{"title":"Changed","retention_seconds":null}' >"$engine/channel"
}

# Every field is what it was after the change.
keeps_channel() { demo_channel >"$engine/channel.now" && cmp "$engine/channel" "$engine/channel.now"; }

prove_compose() {
    local begin
    echo "docker/compose.yaml"
    check "podman-compose up" quiet compose up -d --no-build
    check "/readyz answers" answers "$node/readyz"
    check "setup adds the channel" sets_up
    check "the health check of the service answers" wait_until 30 is_healthy backcast_backcast_1
    check "the health check of PostgreSQL answers" wait_until 30 is_healthy backcast_postgres_1
    check "the service is confined" is_confined backcast_backcast_1 10001
    check "the encoder is confined" is_confined backcast_origin_1 10002
    check "the image cannot be written to" is_read_only backcast_backcast_1
    check "the encoder's image cannot be written to" is_read_only_for_root backcast_origin_1
    check "the viewers' port has no admin API" has_status 404 "$node/api/v1/channels"
    check "the operators' port has it, for those with the token" has_status 401 http://127.0.0.1:8081/api/v1/channels
    begin=$(now)
    prove_recording backcast_backcast_1 "$node/readyz"
    check "it makes pictures" has_signature ffd8ff "$node/live/demo/frame.jpg?time=$begin"
    check "it packs MP4 files" has_signature 66747970 "$node/live/demo/download.mp4?begintime=$begin&duration=$window_seconds"
    check "an operator changes the channel" changes_channel
    check "podman-compose stop" quiet compose stop
    check "the service ends by itself" ended_with backcast_backcast_1 0
    check "podman-compose down" quiet compose down
    check "podman-compose up a second time" quiet compose up -d --no-build
    check "setup finds the channel" sets_up
    check "the channel is as the operator left it" keeps_channel
    check "the window of before plays" plays "$begin" "$window_seconds"
    check "a new window plays" plays "$(now)" "$window_seconds"
    check "podman-compose down --volumes" quiet compose down --volumes
}

# The container of a workload: podman numbers the pods of a Deployment.
pod_container() { podman ps -a --format '{{.Names}}' | grep -x "$1-pod.*-$1"; }

play() {
    "$tools/python3" scripts/podman_manifests.py workload "deploy/kubernetes/$1.yaml" |
        podman kube play --network "backcast:alias=$1" -
}
take_down() { "$tools/python3" scripts/podman_manifests.py workload "deploy/kubernetes/$1.yaml" | podman kube down -; }

# What the manifests need beside themselves: their image's name, a network, the secret, and a source.
prepare_cluster() {
    podman tag backcast:local docker.io/library/backcast:latest
    podman network create backcast
    # As the example says: a copy with values of one's own, because the service takes none of the samples'.
    sed -e "s/change-me-to-a-long-random-text/$(openssl rand -hex 32)/" -e "s/change-me/$(openssl rand -hex 16)/" \
        deploy/kubernetes/secret.example.yaml >"$engine/secret.yaml"
    "$tools/python3" scripts/podman_manifests.py secret "$engine/secret.yaml" | podman secret create backcast -
    podman run -d --name origin --network backcast:alias=origin backcast-origin:local
}

administer() {
    local token
    token=$(sed -n 's/^ *admin-token: *//p' "$engine/secret.yaml")
    ask -H "Authorization: Bearer $token" -H 'Content-Type: application/json' "$@"
}

add_channel() {
    administer -o /dev/null -X PUT http://127.0.0.1:8081/api/v1/channels/demo \
        --data '{"title":"Demo","source_url":"http://origin:8090/demo/index.m3u8"}'
}

# What a URL answers has some bytes among its first ones.
has_signature() { [[ $(ask "$2" | head -c 16 | od -An -tx1 | tr -d ' \n') == *"$1"* ]]; }

has_status() { [ "$(curl -s -o /dev/null -m 5 -w '%{http_code}' "$2")" = "$1" ]; }

prove_kubernetes() {
    local container
    echo "deploy/kubernetes"
    check "network, secret and source" quiet prepare_cluster
    # A cluster starts both at once: the service waits for its database.
    check "podman kube play of the service" quiet play backcast
    check "podman kube play of PostgreSQL" quiet play postgres
    container=$(pod_container backcast) || container=none
    check "/healthz answers on the viewers' port" answers "$node/healthz"
    check "/readyz answers on the viewers' port" answers "$node/readyz"
    check "the liveness probe answers" wait_until 30 is_healthy "$container"
    check "the liveness probe of PostgreSQL answers" wait_until 30 is_healthy "$(pod_container postgres)"
    check "the service is confined" is_confined "$container" 10001
    check "the image cannot be written to" is_read_only "$container"
    check "the admin API takes the channel with the secret's token" add_channel
    check "the admin API refuses others" has_status 401 http://127.0.0.1:8081/api/v1/channels
    check "the viewers' port has no admin API" has_status 404 "$node/api/v1/channels"
    check "the metrics are where the annotations say" ask -o /dev/null http://127.0.0.1:8081/metrics
    prove_recording "$container" "$node/readyz"
    check "the pod stops" quiet podman pod stop -t 30 "${container%-backcast}"
    check "the service ends by itself" ended_with "$container" 0
    check "podman kube down of the service" quiet take_down backcast
    check "podman kube down of PostgreSQL" quiet take_down postgres
    podman rm -f origin >/dev/null
    podman network rm backcast >/dev/null
    podman secret rm backcast >/dev/null
    podman rmi docker.io/library/backcast:latest >/dev/null
}

# Volumes without a name and those of claims stay behind what made them.
nothing_is_left() {
    podman volume prune -f >/dev/null
    local left
    left=$(podman ps -aq; podman pod ps -q; podman volume ls -q; podman network ls -q --filter name=backcast)
    echo "$left"
    [ -z "$left" ]
}

prove() {
    ip link set lo up
    mount -t tmpfs tmpfs /run/netns 2>/dev/null || { mkdir -p /run/netns && mount -t tmpfs tmpfs /run/netns; }
    remove_containers || die "an interrupted run left containers: remove var/proof/engine"
    prove_compose
    check "nothing is left" nothing_is_left
    prove_kubernetes
    check "nothing is left" nothing_is_left
    if ((missed > 0)); then echo "$missed missed"; return 1; fi
    echo "none missed"
}

make_tools() {
    [ -x "$tools/podman-compose" ] && return
    python3 -m venv "$engine/tools"
    "$tools/pip" -q install podman-compose==1.6.0
}

keep=''
case ${1:-} in
    --inside) prove; exit ;;
    --keep) keep=yes ;;
    '') ;;
    *) die "usage: $0 [--keep]" ;;
esac
require_engine
trap '[ -n "$keep" ] || remove_engine' EXIT
configure_engine
make_tools
build_images
require_image postgres:15 postgres_stand_in
# The containers' networks and processes end with these namespaces, however the proof ends.
unshare --mount --net --pid --fork --kill-child --mount-proc "$0" --inside
