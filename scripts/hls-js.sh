#!/usr/bin/env bash
# Installs hls.js, with which `backcast play` plays in browsers that cannot play HLS themselves: npm fetches the package, and
# nothing is installed whose digest is another one. Usage: scripts/hls-js.sh FOLDER, the one above the program's folder: with
# /usr/local the script becomes /usr/local/share/backcast/hls.js. TARBALL=FILE takes a package that is there already.
set -euo pipefail

version=1.6.15
# SHA-512 of the package: what npm's lock files have as its integrity, in hexadecimal digits.
digest=1376b95708178a6187c2944657e5b145329e4a9d835b90c8e4c5afdf8ba52f7b
digest+=7950d9b2256090d4a98b1076d8cdc7d385f5c6f1a9812fe7c260f9de1870b854
seconds=120  # for npm, which tries an absent network for longer

say() { echo "hls-js: $*" >&2; }

folder=${1:?usage: scripts/hls-js.sh FOLDER}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tarball=${TARBALL:-}
if [ -z "$tarball" ]; then
    command -v npm >/dev/null || { say "npm is missing: apt-get install npm"; exit 1; }
    npm=(npm pack --loglevel error --fetch-retries 1 --ignore-scripts --pack-destination "$work")
    timeout "$seconds" "${npm[@]}" "hls.js@$version" >"$work/log" 2>&1 || {
        say "npm cannot fetch hls.js $version: $(head -n 3 "$work/log" | tr '\n' ' ')"
        exit 1
    }
    tarball=$work/hls.js-$version.tgz
fi
seen=$(sha512sum <"$tarball" | cut -d ' ' -f 1)
[ "$seen" = "$digest" ] || { say "what came is not hls.js $version: its SHA-512 is $seen"; exit 1; }
tar -xzf "$tarball" -C "$work" package/dist/hls.min.js package/LICENSE
place=$folder/share/backcast
mkdir -p "$place"
install -m 644 "$work/package/LICENSE" "$place/hls.js.LICENSE"
install -m 644 "$work/package/dist/hls.min.js" "$place/hls.js.new"
mv "$place/hls.js.new" "$place/hls.js"
say "hls.js $version is at $place/hls.js"
