#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Unpacks the sources of the libraries that the WebAssembly program, and those for other machines, are built from:
#
#     sh platform/sources.sh build/wasm/sources
#     sh platform/sources.sh build/cross/sources libdw-dev:elfutils
#
# The second form has one more library, as PACKAGE:FOLDER.
#
# They are Debian's, of the very versions whose packages are installed here and the native program is linked with: so
# both programs pack, parse and number alike, and make the same bytes. apt-get checks their signatures. It needs neither
# root nor deb-src lines: lists and cache are folders next to the sources, and the archive is where this machine's own
# packages come from.
set -eu

out=${1:?folder}
shift
# The packages that the program is compiled with, and the folder that the Makefile finds their source in.
packages='libzstd-dev:zstd liblz4-dev:lz4 zlib1g-dev:zlib libcmark-dev:cmark libjansson-dev:jansson
    libxxhash-dev:xxhash libiberty-dev:libiberty'" $*"

wanted=$(for pair in $packages; do
    dpkg-query -W -f="\${source:Package} \${source:Version} ${pair#*:}\n" "${pair%:*}"
done)
if [ -f "$out/versions" ] && [ "$(cat "$out/versions")" = "$wanted" ]; then
    exit 0
fi

rm -rf "$out"
mkdir -p "$out/apt/parts" "$out/apt/lists/partial" "$out/apt/cache/archives/partial" "$out/fetched"
out=$(cd "$out" && pwd)

# This machine's own lines, with their keys, but for sources.
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ ! -f "$file" ] || sed -n 's/^deb /deb-src /p' "$file"
done >"$out/apt/sources.list"
for file in /etc/apt/sources.list.d/*.sources; do
    [ ! -f "$file" ] || sed 's/^Types:.*/Types: deb-src/' "$file" >"$out/apt/parts/${file##*/}"
done

apt() {
    apt-get -qq -o Dir::Etc::SourceList="$out/apt/sources.list" -o Dir::Etc::SourceParts="$out/apt/parts" \
        -o Dir::State::Lists="$out/apt/lists" -o Dir::Cache="$out/apt/cache" -o Debug::NoLocking=1 \
        -o APT::Sandbox::User="$(id -un)" "$@" </dev/null
}

apt update >"$out/apt/log" 2>&1 || { cat "$out/apt/log" >&2; exit 1; }

echo "$wanted" | while read -r name version folder; do
    if ! (cd "$out/fetched" && apt source --download-only "$name=$version") >"$out/apt/log" 2>&1; then
        cat "$out/apt/log" >&2
        echo "the archive has no source of $name $version, which is installed here: apt-get upgrade may help" >&2
        exit 1
    fi
    dpkg-source --no-check -x "$out/fetched/${name}_${version#*:}.dsc" "$out/$folder" >"$out/apt/log" 2>&1 ||
        { cat "$out/apt/log" >&2; exit 1; }
done
rm -rf "$out/apt" "$out/fetched" "$out"/*.tar.*
# What their own scripts would configure.
mkdir "$out/configured" "$out/installed"
: >"$out/configured/jansson_private_config.h"
cp /usr/include/jansson_config.h /usr/include/cmark_export.h /usr/include/cmark_version.h "$out/configured/"
sed 's/^#cmakedefine /#define /' "$out/cmark/src/config.h.in" >"$out/configured/config.h"
# Where Debian's package has it.
ln -s ../libiberty/include "$out/installed/libiberty"
if [ -d "$out/elfutils" ]; then
    mkdir "$out/installed/elfutils"
    for header in libdwfl/libdwfl.h libdw/libdw.h libelf/elf-knowledge.h; do
        ln -s "../../elfutils/$header" "$out/installed/elfutils/"
    done
    for header in libelf/libelf.h libelf/gelf.h libdw/dwarf.h; do
        ln -s "../elfutils/$header" "$out/installed/"
    done
fi
echo "$wanted" >"$out/versions"
