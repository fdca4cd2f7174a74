#!/usr/bin/env bash
# A private PostgreSQL in a folder: no network port, one socket, one database.
# Usage: scripts/postgres.sh start|stop|status FOLDER
#   start   makes it if needed, starts it, waits until it answers, prints its libpq URI
#   stop    stops it and waits for its end
#   status  prints the URI and ends with 0 if it runs, else ends with 3
#
# Who may connect: the socket's folder can be searched only by its owner (and root), and within it the server asks
# the kernel who is calling (peer) and lets in the account that ran this script, as the role `backcast`, which the
# service uses, or as `postgres`. So there is no password to keep. PostgreSQL refuses to run as root: started
# by root, the server runs as Debian's account `postgres`, and root is who may call.
set -euo pipefail

port=5432       # no port of the network: a part of the socket's name
path_limit=107  # bytes that the kernel has for a socket's path
start_seconds=300

die() {
    echo "postgres: $*" >&2
    exit 1
}

# Sets: folder, data, the server's programs, and how the server's account is taken on.
prepare() {
    mkdir -p "$1"
    folder=$(realpath "$1")
    data=$folder/data
    local found
    found=$(printf '%s\n' /usr/lib/postgresql/*/bin/initdb | sort -V | tail -n 1)
    [ -x "$found" ] || die "no PostgreSQL server is installed (scripts/install.sh does it)"
    programs=${found%/initdb}
    as_server=()
    [ "$(id -u)" -ne 0 ] || take_on_account
    if [ -d "$data" ] && [ ! -r "$data" ]; then
        die "$data belongs to $(stat -c %U "$data"): run this as the account that made it, or as root"
    fi
}

# Started by root: `postgres` owns the folder, and gets the right to search the folders above only if it needs it.
take_on_account() {
    local plain=(setpriv --reuid=postgres --regid=postgres --init-groups)
    local searching=("${plain[@]}" --inh-caps=+dac_read_search --ambient-caps=+dac_read_search)
    getent passwd postgres >/dev/null || die "there is no account postgres: install Debian's postgresql"
    chown postgres:postgres "$folder"
    if "${plain[@]}" --inh-caps=-all stat "$folder/." >/dev/null 2>&1; then
        as_server=("${plain[@]}" --inh-caps=-all)
    elif "${searching[@]}" stat "$folder/." >/dev/null 2>&1; then
        as_server=("${searching[@]}")
    else
        die "the account postgres may not search the folders above $folder: move the checkout or open them"
    fi
}

server_account() {
    if [ "$(id -u)" -eq 0 ]; then echo postgres; else id -un; fi
}

# The server's process, if it runs. The process id of an unclean end may be another's by now: the server's own
# working folder is its data.
server_process() {
    local process
    process=$(head -n 1 "$data/postmaster.pid" 2>/dev/null) || return 1
    [[ $process =~ ^[0-9]+$ ]] && [ "/proc/$process/cwd" -ef "$data" ] && echo "$process"
}

# The socket's folder: below ours, or a short one under /tmp, noted, where the path would be too long or has a
# comma, which libpq reads as the end of a host. A noted one that is gone or has another owner (a reboot, and then somebody else's folder) is replaced.
socket_folder() {
    local own=$folder/socket note=$folder/socket-folder noted
    if [ "$(printf %s "$own/.s.PGSQL.$port" | wc -c)" -le "$path_limit" ] && [[ $own != *,* ]]; then
        [ -d "$own" ] || install_private "$own"
        echo "$own"
        return
    fi
    noted=$(cat "$note" 2>/dev/null || true)
    if [ -z "$noted" ] || [ ! -d "$noted" ] || [ -L "$noted" ] ||
        [ "$(stat -c %U:%a "$noted")" != "$(server_account):700" ]; then
        noted=$("${as_server[@]}" mktemp -d /tmp/backcast-XXXXXX)
        echo "$noted" >"$note"
    fi
    echo "$noted"
}

install_private() {
    "${as_server[@]}" mkdir -m 700 "$1"
}

# Percent-encodes a path for a URI.
encoded() {
    local LC_ALL=C text=$1 index character
    for ((index = 0; index < ${#text}; index++)); do
        character=${text:index:1}
        case $character in
            [a-zA-Z0-9./_~-]) printf %s "$character" ;;
            *) printf '%%%02X' "$(($(printf %d "'$character") & 255))" ;;
        esac
    done
}

uri() {
    echo "postgresql://${2:-backcast}@/${3:-backcast}?host=$(encoded "$1")&port=$port"
}

# A cluster appears whole or not at all: it is made beside and then renamed.
make_cluster() {
    local made=$data.new
    rm -rf "$made"
    echo "postgres: making a cluster in $folder" >&2
    "${as_server[@]}" "$programs/initdb" -D "$made" -U postgres -E UTF8 --locale=C --data-checksums \
        --auth=peer >"$folder/initdb.log" 2>&1 </dev/null || die "initdb failed: $(tail -n 5 "$folder/initdb.log")"
    echo "include 'backcast.conf'" >>"$made/postgresql.conf"
    mv "$made" "$data"
}

# Written at each start: the folder may have moved, and another account may be calling.
write_settings() {
    local sockets=$1
    cat >"$data/backcast.conf" <<-END
		listen_addresses = ''
		unix_socket_directories = '"${sockets//\'/\'\'}"'
		unix_socket_permissions = 0777  # the folder and the kernel's word on the caller decide
		port = $port
	END
    echo 'local all all peer map=backcast' >"$data/pg_hba.conf"
    printf 'backcast "%s" %s\n' "$(id -un)" backcast "$(id -un)" postgres >"$data/pg_ident.conf"
    chmod 644 "$data/backcast.conf" "$data/pg_hba.conf" "$data/pg_ident.conf"
}

# Right after a server was killed its children may still be ending: a second attempt waits for them.
launch() {
    local attempt
    for attempt in 1 2 3 4 5; do
        if "${as_server[@]}" "$programs/pg_ctl" -D "$data" -l "$folder/log" -w -s -t "$start_seconds" start \
            >/dev/null 2>&1 </dev/null; then
            return
        fi
        sleep "$attempt"
    done
    die "the server does not start; its last words: $(tail -n 5 "$folder/log" 2>/dev/null)"
}

make_database() {
    local administrator=(psql -X -q -v ON_ERROR_STOP=1 -At -d "$(uri "$1" postgres postgres)")
    if [ -z "$("${administrator[@]}" -c "SELECT 1 FROM pg_roles WHERE rolname = 'backcast'")" ]; then
        "${administrator[@]}" -c 'CREATE ROLE backcast LOGIN'
    fi
    if [ -z "$("${administrator[@]}" -c "SELECT 1 FROM pg_database WHERE datname = 'backcast'")" ]; then
        "${administrator[@]}" -c 'CREATE DATABASE backcast OWNER backcast'
    fi
}

start() {
    local sockets
    [ -d "$data" ] || make_cluster
    sockets=$(socket_folder)
    if ! server_process >/dev/null; then
        rm -f "$data/postmaster.pid"
        write_settings "$sockets"
        launch
    fi
    make_database "$sockets"
    uri "$sockets"
}

stop() {
    local noted
    if server_process >/dev/null; then
        "${as_server[@]}" "$programs/pg_ctl" -D "$data" -m fast -w -s -t 60 stop </dev/null >&2
    fi
    noted=$(cat "$folder/socket-folder" 2>/dev/null || true)
    if [ -n "$noted" ]; then
        if [ -O "$noted" ] || [ "$(id -u)" -eq 0 ]; then rmdir "$noted" 2>/dev/null || true; fi
        rm -f "$folder/socket-folder"
    fi
}

status() {
    [ -d "$data" ] && server_process >/dev/null || exit 3
    uri "$(socket_folder)"
}

[ $# -eq 2 ] || { echo "usage: $0 start|stop|status FOLDER" >&2; exit 2; }
umask 077
case $1 in
    start) prepare "$2"; start ;;
    stop) if [ -d "$2" ]; then prepare "$2"; stop; fi ;;
    status) [ -d "$2" ] || exit 3; prepare "$2"; status ;;
    *) echo "usage: $0 start|stop|status FOLDER" >&2; exit 2 ;;
esac
