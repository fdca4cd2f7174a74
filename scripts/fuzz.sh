#!/usr/bin/env bash
# `make fuzz`: feeds mutated inputs to the readers of what sources and disks deliver, with address checks, two targets at a
# time, and measures what hostile playlists cost. What libFuzzer finds is kept below var/fuzz/found. A playlist may cost
# COST_MS of processor time (default 250), measured before the other targets start, as these would slow it down.
# Usage: scripts/fuzz.sh [SECONDS] [TARGET…]; targets: playlist attributes ts fmp4 audio webvtt journal cost
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-${FUZZ_SECONDS:-60}}
shift $(($# > 0 ? 1 : 0))
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(cost playlist attributes ts fmp4 audio webvtt journal)

cost_ms=${COST_MS:-250}
build=.build/fuzz
var=var/fuzz
flags=(
    -O -wmo -parse-as-library -swift-version 6 -package-name backcast -enable-testing
    -enable-upcoming-feature InternalImportsByDefault -enable-upcoming-feature MemberImportVisibility
    -enable-upcoming-feature ExistentialAny -Xcc -ISources/Libraries/CZlib
)

# Of the journal only what reads text: no files, no threads.
sources() {
    case $1 in
        Compression) echo Sources/Adapters/Compression/CRC32.swift ;;
        Journal) printf 'Sources/Stores/Journal/%s.swift\n' JournalLine JournalEntry DoneRecord ;;
        *) find "Sources/Vocabulary/$1" -name '*.swift' ;;
    esac
}

# A crash is reported by the address checks; the handler of the Swift runtime would trip over them.
export SWIFT_BACKTRACE=enable=no

# What runs in the background, each in a process group of its own with all that it has started. It ends with this script, however
# that ends, by the signal for which swiftc ends what it has started.
running=()
begin() {
    set -m
    "$@" &
    set +m
    running+=($!)
}
# shellcheck disable=SC2317  # a trap calls it
finish() {
    local process
    for process in "${running[@]}"; do kill -INT -- "-$process" 2>/dev/null || true; done
}
trap finish EXIT
trap 'exit 130' INT TERM HUP

# Waits for the one compilation in the background.
await_compilation() {
    local process=${running[0]} status=0
    wait "$process" || status=$?
    running=()
    return "$status"
}

# Compiles modules to a folder, each after those that it uses, and without a package: libFuzzer brings its own main function,
# which SwiftPM's executables have too.
compile_modules() {
    local to=$1 checks=$2 module
    shift 2
    mkdir -p "$to"
    for module; do
        # shellcheck disable=SC2046
        swiftc "${flags[@]}" ${checks:+"$checks"} -I "$to" -module-name "$module" -emit-module \
            -emit-module-path "$to/$module.swiftmodule" -c -o "$to/$module.o" $(sources "$module")
    done
}

# Links one target of Tests/fuzz with the modules. The linker is the toolchain's own: gold warns about each address check.
compile_target() {
    local to=$1 target=$2 support=(Tests/fuzz/targets/Entry.swift)
    case $target in ts | fmp4 | audio | webvtt) support+=(Tests/fuzz/targets/Media.swift) ;; esac
    swiftc "${flags[@]}" -sanitize=fuzzer,address -use-ld=lld -I "$to" -module-name Fuzzing -o "$to/$target" \
        "Tests/fuzz/targets/$target.swift" "${support[@]}" "$to"/*.o -lz
}

is_current() {
    [ -e "$1" ] && [ -z "$(find Sources/Vocabulary Sources/Adapters/Compression Sources/Stores/Journal Tests/fuzz \
        scripts/fuzz.sh -newer "$1" -name '*.s*' -print -quit)" ]
}

compile() {
    is_current "$build/checked/done" && is_current "$build/plain/done" && return
    rm -rf "$build"
    local target
    begin compile_modules "$build/plain" "" Timeline Encoding HLS
    compile_modules "$build/checked" -sanitize=fuzzer,address Timeline Encoding HLS MediaFormat Compression Journal
    await_compilation
    begin swiftc "${flags[@]}" -use-ld=lld -I "$build/plain" -module-name Cost -o "$build/plain/cost" \
        Tests/fuzz/PlaylistCost.swift "$build/plain"/*.o
    for target in Tests/fuzz/targets/[a-z]*.swift; do
        target=${target##*/}
        compile_target "$build/checked" "${target%.swift}"
    done
    await_compilation
    touch "$build/plain/done" "$build/checked/done"
}

# Each shape in a process of its own, as the highest memory of a process never falls.
measure_cost() {
    local shape failed=0
    for shape in $("$build/plain/cost"); do
        "$build/plain/cost" "$shape" "$cost_ms" || { failed=1; echo "failed: $shape"; }
    done
    return "$failed"
}

fuzz() {
    local target=$1 corpus=$var/corpus/$1 seeds=() options=()
    mkdir -p "$corpus" "$var/found"
    [ ! -d "Tests/fuzz/seeds/$target" ] || seeds+=("Tests/fuzz/seeds/$target")
    [ ! -d "Tests/fuzz/found/$target" ] || seeds+=("Tests/fuzz/found/$target")
    case $target in
        playlist | attributes) options+=(-dict=Tests/fuzz/hls.dict) ;;
        journal) seeds+=(Tests/Fixtures/stored/journal/lines) ;;
    esac
    [ "$target" != playlist ] || [ ! -d Tests/Fixtures/standard ] || seeds+=(Tests/Fixtures/standard)
    # In the place of this shell, so that a signal reaches it.
    exec "$build/checked/$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -malloc_limit_mb=256 -max_len=16384 \
        -detect_leaks=0 -print_final_stats=1 -artifact_prefix="$var/found/$target-" "${options[@]}" "$corpus" "${seeds[@]}"
}

run_target() {
    local target=$1 log=$var/$1.log
    if [ "$target" = cost ]; then measure_cost >"$log" 2>&1; else fuzz "$target" >"$log" 2>&1; fi
}

# One line for each target; more of the log only where one failed.
report() {
    local target=$1 status=$2 log=$var/$1.log count
    if [ "$status" -ne 0 ]; then
        echo "fuzz: $target: found something:" >&2
        if [ "$target" = cost ]; then grep -E 'too much$|^failed: ' "$log"; else tail -n 40 "$log"; fi >&2
        return 1
    elif [ "$target" = cost ]; then
        sort -n "$log" | tail -n 3 | sed 's/^/fuzz: cost: /'
    else
        count=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
        echo "fuzz: $target: $count executions, nothing found"
    fi
}

mkdir -p "$var"
for target in "${targets[@]}"; do
    [ "$target" = cost ] || [ -e "Tests/fuzz/targets/$target.swift" ] || { echo "fuzz: no target $target" >&2; exit 2; }
done
compile

# Starts the next target in the background.
start() {
    begin run_target "$1"
    name_of[${running[-1]}]=$1
}

# Waits for one of the running targets and reports it.
await_one() {
    local ended status=0 left=() process
    wait -n -p ended "${running[@]}" || status=$?
    report "${name_of[$ended]}" "$status" || failed=1
    for process in "${running[@]}"; do [ "$process" = "$ended" ] || left+=("$process"); done
    running=("${left[@]}")
}

failed=0
declare -A name_of=()
for target in "${targets[@]}"; do
    start "$target"
    # The cost is measured alone.
    while [ ${#running[@]} -ge "$([ "$target" = cost ] && echo 1 || echo 2)" ]; do await_one; done
done
while [ ${#running[@]} -gt 0 ]; do await_one; done
[ "$failed" -eq 0 ]
