#!/usr/bin/env bash
# `make run`: installs, builds, starts PostgreSQL, a live encoder and Backcast, and prints URLs that play. Stays in
# the foreground; Ctrl-C stops everything. What was recorded stays under var/, and the next run goes on with it.
# Every BACKCAST_… setting of the environment holds; with BACKCAST_DATABASE_URL no PostgreSQL is started, and with
# BACKCAST_PLAYBACK_SECRET the URLs have a token for a week.
# DEMO=variants adds a second channel, demo-variants, with three variants.
set -euo pipefail
cd "$(dirname "$0")/.."

listen=${BACKCAST_LISTEN:-127.0.0.1:8080}
state=${BACKCAST_STATE:-var/state}
logs=var/log
start_seconds=90  # for each part of the start; a first segment takes some ten seconds
stop_seconds=20   # the service itself gives downloads in flight ten

origins=() service='' step='' step_name='' owns_postgres=''

say() { echo "run: $*" >&2; }

fail() {
    say "$*"
    stop_all
    exit 1
}

# Starts a program in a session of its own, so that Ctrl-C reaches this script alone and the order of stopping is
# ours; should this script be killed, the kernel ends the program. Its process is the last background one.
start() {
    local log=$1
    shift
    [ ! -e "$log" ] || mv "$log" "$log.previous"
    setsid setpriv --pdeathsig TERM "$@" >"$log" 2>&1 </dev/null 9>&- &
}

is_running() { [ -n "$1" ] && kill -0 "$1" 2>/dev/null; }

# Ends one process and waits for it; one that does not go is killed.
stop() {
    local process=$1 name=$2 tenths
    is_running "$process" || return 0
    kill "$process" 2>/dev/null || true
    for ((tenths = 0; tenths < stop_seconds * 10; tenths++)); do
        is_running "$process" || break
        sleep 0.1
    done
    if is_running "$process"; then
        say "$name does not end within $stop_seconds s: killed"
        kill -KILL "$process" 2>/dev/null || true
    fi
    wait "$process" 2>/dev/null || true
}

# A process and all that it has started in this script's process group, the first one first. dpkg is left out: packages that
# are half installed would stay.
processes_of() {
    local table
    # Process, parent and group; the name between them may have blanks and brackets.
    table=$(sed -n -e '/^[0-9]* (dpkg) /d' -e 's/^\([0-9]*\) (.*) [A-Za-z] \([0-9]*\) \([0-9]*\) .*/\1 \2 \3/p' \
        /proc/[0-9]*/stat 2>/dev/null || true)
    awk -v first="$1" '
        { parent[$1] = $2; group[$1] = $3 }
        END {
            list[count = 1] = first
            for (place = 1; place <= count; place++) {
                print list[place]
                for (process in parent)
                    if (parent[process] == list[place] && group[process] == group[first]) list[++count] = process
            }
        }' <<<"$table"
}

# Interrupts a step as Ctrl-C does, whatever the signal was: SwiftPM ends its compilers for this one only, and apt ends after
# what dpkg does at the time.
stop_step() {
    is_running "$step" || return 0
    local processes process tenths=$((stop_seconds * 10))
    mapfile -t processes < <(processes_of "$step")
    kill -INT "${processes[@]}" 2>/dev/null || true
    for process in "${processes[@]}"; do
        while is_running "$process" && ((tenths-- > 0)); do sleep 0.1; done
    done
    if is_running "$step" && [ "$step_name" != build ]; then
        say "the $step_name does not end within $stop_seconds s: it goes on in the background"
        return
    elif is_running "$step"; then
        say "the build does not end within $stop_seconds s: killed"
        kill -KILL "${processes[@]}" 2>/dev/null || true
    fi
    wait "$step" 2>/dev/null || true
}

stop_all() {
    trap '' INT TERM HUP
    stop_step
    local origin
    for origin in "${origins[@]}"; do stop "$origin" "the encoder"; done
    stop "$service" "the service"
    if [ -n "$owns_postgres" ]; then
        scripts/postgres.sh stop var/postgres 9>&- || say "PostgreSQL could not be stopped"
    fi
    step='' origins=() service='' owns_postgres=''
}

# shellcheck disable=SC2317  # a trap calls it
interrupted() {
    say "stopping"
    stop_all
    say "stopped; var/ keeps what was recorded"
    exit 0
}

# Runs a step that takes long, so that a signal is answered at once. In the background bash would have it ignore SIGINT. It
# stays in this process group, or sudo could not ask for a password.
run_step() {
    step_name=$1
    shift
    env --default-signal=INT,QUIT "$@" 9>&- &
    step=$!
    wait "$step" || fail "failed: $*"
    step=''
}

# The address that reaches a listening one from here.
reachable() {
    local host=${1%:*} port=${1##*:}
    case $host in
        0.0.0.0 | '*' | '') host=127.0.0.1 ;;
        '[::]') host='[::1]' ;;
    esac
    echo "$host:$port"
}

require_free() {
    local setting=$1 address host port
    address=$(reachable "$2")
    host=${address%:*} port=${address##*:}
    host=${host#[} host=${host%]}
    if ! [[ $port =~ ^[1-9][0-9]{0,4}$ ]] || ((port > 65535)); then
        fail "$setting=$2 has no port that a URL could name"
    fi
    if timeout 3 bash -c "exec 3<>/dev/tcp/$host/$port" 2>/dev/null; then
        fail "port $port is taken: stop what listens there, or choose another by $setting=$host:PORT"
    fi
}

require_settings() {
    mkdir -p var "$logs"
    exec 9>var/run.lock
    flock -n 9 || fail "another make run is using var/"
    [ -z "${BACKCAST_CONFIG:-}" ] || fail "make run reads no configuration file: unset BACKCAST_CONFIG, or start backcast run"
    case ${DEMO:-} in '' | variants) ;; *) fail "DEMO=$DEMO is not known: DEMO=variants is, or none" ;; esac
    require_free BACKCAST_LISTEN "$listen"
    [ -z "${BACKCAST_ADMIN_LISTEN:-}" ] || require_free BACKCAST_ADMIN_LISTEN "$BACKCAST_ADMIN_LISTEN"
}

raise_descriptor_limit() {
    local hard
    hard=$(ulimit -Hn)
    if [ "$hard" = unlimited ] || [ "$hard" -gt 65536 ]; then hard=65536; fi
    ulimit -Sn "$hard"
}

# Waits until a command succeeds, or says which program ended instead, with its last words.
wait_until() {
    local what=$1 seconds=$2
    shift 2
    local end=$((SECONDS + seconds))
    until "$@"; do
        require_running
        ((SECONDS < end)) || fail "$what did not come within $seconds s; see $logs/"
        sleep 0.2
    done
}

require_running() {
    if [ -n "$service" ] && ! is_running "$service"; then
        fail "the service ended by itself: $(tail -n 5 "$logs/backcast.log")"
    fi
    local origin
    for origin in "${origins[@]}"; do
        is_running "$origin" || fail "an encoder ended by itself: $(tail -n 5 "$logs"/origin*.log)"
    done
}

start_postgres() {
    [ -z "${BACKCAST_DATABASE_URL:-}" ] || return 0
    owns_postgres=yes
    BACKCAST_DATABASE_URL=$(scripts/postgres.sh start var/postgres 9>&-) || fail "PostgreSQL did not start"
    export BACKCAST_DATABASE_URL
}

# Starts the encoder of a channel, in a folder of its own; `source_url` is its playlist.
start_origin() {
    local channel=$1 name=$2
    shift 2
    start "$logs/$name.log" "$programs/live-origin" encode --port 0 --folder "var/$name" --channel "$channel" \
        --ledger "var/$name/ledger.jsonl" "$@"
    origins+=("$!")
    wait_until "the first segment of $channel" "$start_seconds" grep -q '^Ready: ' "$logs/$name.log"
    source_url=$(sed -n 's/^Ready: \([^ ]*\).*/\1/p' "$logs/$name.log" | head -n 1)
}

start_service() {
    start "$logs/backcast.log" "$programs/backcast" run
    service=$!
    root="http://$(reachable "$listen")"
    admin="http://$(reachable "${BACKCAST_ADMIN_LISTEN:-$listen}")/api/v1"
    wait_until "the service's answer" "$start_seconds" curl -sfo /dev/null -m 5 "$root/healthz"
}

# Talks to the admin API; the token travels on standard input, not in the list of processes.
administer() {
    local token=${BACKCAST_ADMIN_TOKEN:-}
    [ -n "$token" ] || token=$(cat "$state/admin-token")
    printf 'header = "Authorization: Bearer %s"\n' "$token" |
        curl -sS -m 10 -K - "$@"
}

# A channel that is there gets the encoder's new port and is recorded again, or no URL would play. Its other fields may have
# been changed: they stay.
add_channel() {
    local answer
    answer=$(administer -X PATCH -w '\n%{http_code}' "$admin/channels/$1" \
        -H 'Content-Type: application/merge-patch+json' --data "{\"source_url\":\"$source_url\",\"recording\":true}") ||
        fail "the admin API does not answer"
    case $answer in
        *200) ;;
        *404)
            answer=$(administer -X PUT --fail-with-body "$admin/channels/$1" -H 'Content-Type: application/json' \
                --data "{\"title\":\"$2\",\"source_url\":\"$source_url\"}") || fail "the channel is refused: $answer"
            ;;
        *) fail "the channel is refused: $answer" ;;
    esac
}

# Where playback needs a token, the URLs get one for all channels.
admit_viewers() {
    [ -n "${BACKCAST_PLAYBACK_SECRET:-}" ] || return 0
    local answer prefix
    answer=$(administer --fail-with-body "$admin/tokens" -H 'Content-Type: application/json' \
        --data "{\"channel\":\"*\",\"expires_at\":\"$(($(date +%s) + 604800))\"}") || fail "no playback token: $answer"
    prefix=$(sed -n 's/.*"path_prefix":"\([^"]*\)".*/\1/p' <<<"${answer//\\/}")
    [ -n "$prefix" ] || fail "the answer has no playback token: $answer"
    root+=$prefix
}

# shellcheck disable=SC2317  # wait_until calls it
window_plays() {
    [ "$(curl -sL -o /dev/null -m 5 -w '%{http_code}' "$1")" = 200 ]
}

# How a shell anywhere on this machine writes the admin token.
token_in_shell() {
    if [ -n "${BACKCAST_ADMIN_TOKEN:-}" ]; then
        echo "\$BACKCAST_ADMIN_TOKEN"
    else
        echo "\$(cat $(printf %q "$(realpath "$state/admin-token")"))"
    fi
}

print_urls() {
    local live=$root/live/demo token urls
    token=$(token_in_shell)
    urls="$live/index.m3u8 $window $live/master.m3u8?begintime=$begin $live/download.ts?begintime=$begin"
    cat <<-END

	  live                  $live/index.m3u8
	  from a minute ago on  $window
	  as a master playlist  $live/master.m3u8?begintime=$begin
	  as one file           $live/download.ts?begintime=$begin
	END
    if [ -n "$variants" ]; then
        echo "  three variants        $variants"
        urls+=" $variants"
    fi
    cat <<-END
	  status                curl -H "Authorization: Bearer $token" $admin/channels/demo/status
	  logs                  $logs/  (Ctrl-C stops; var/ keeps what was recorded)

	To record a channel of your own, put the URL of its playlist in place of the demo's and paste:

	  curl -X PUT $admin/channels/mine -H "Authorization: Bearer $token" -H 'Content-Type: application/json' -d '{"title":"Mine","source_url":"$source_url"}'

	It then plays at $root/live/mine/index.m3u8

	Ready: $urls
	END
}

trap interrupted INT TERM HUP
require_settings
run_step installation scripts/install.sh run
run_step build scripts/release.sh backcast live-origin
programs=$(swift build -c release --show-bin-path)
raise_descriptor_limit
require_free BACKCAST_LISTEN "$listen"
start_postgres
start_service
if [ "${DEMO:-}" = variants ]; then
    start_origin demo-variants origin-variants --variants 3
    add_channel demo-variants "Demo with three variants"
fi
start_origin demo origin
add_channel demo Demo
admit_viewers
begin=$(($(date +%s) - 60))
window="$root/live/demo/index.m3u8?begintime=$begin" variants=''
wait_until "a first window" "$start_seconds" window_plays "$window"
if [ "${DEMO:-}" = variants ]; then
    variants="$root/live/demo-variants/index.m3u8?begintime=$begin"
    wait_until "a first window of three variants" "$start_seconds" window_plays "$variants"
fi
print_urls

wait -n "$service" "${origins[@]}" || true
require_running
fail "a program ended by itself; see $logs/"
