#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Installs the system packages that a target needs and the machine lacks:
#
#     sh tests/support/deps.sh demo|test|wasm|cross|deb|container|packaging
#
# Only what is really missing is asked for, so a machine with its own compiler or node keeps them. As root, or with
# sudo that asks for no password, apt-get installs it; otherwise the one command to run is printed, and the exit status
# is 1. A source archive with the built front end needs no node for `demo`.
set -eu

target=${1:?demo, test, wasm, cross, deb, container or packaging}
missing=
wished=

# need PACKAGES COMMAND...: PACKAGES (Debian's names) are missing unless COMMAND succeeds.
need() {
    packages=$1
    shift
    "$@" >/dev/null 2>&1 || missing="$missing $packages"
}

# wish PACKAGES COMMAND...: the same, but without them tests are skipped or slower, which is no error.
wish() {
    packages=$1
    shift
    "$@" >/dev/null 2>&1 || wished="$wished $packages"
}

library() {
    need "$2" pkg-config --exists "$1"
}

links() { # COMPILER SUFFIX [FLAG...]
    compiler=$1 suffix=$2
    shift 2
    echo 'int main() { return 0; }' >"$scratch/try.$suffix"
    # shellcheck disable=SC2086 # CC="ccache cc" is two words
    $compiler "$scratch/try.$suffix" -o "$scratch/try" "$@"
}

new_enough() {
    node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 18 || (a == 18 && b >= 18) ? 0 : 1)'
}

browser() {
    command -v "${CHROMIUM:-chromium}" || command -v chromium-browser
}

other_browser() {
    command -v "${FIREFOX:-firefox-esr}" || command -v firefox
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

need "gcc libc6-dev" links "${CC:-cc}" c
need pkg-config command -v pkg-config
library libzstd libzstd-dev
library liblz4 liblz4-dev
library zlib zlib1g-dev
library libdw libdw-dev
library libelf libelf-dev
need libiberty-dev links "${CC:-cc}" c -liberty
library libxxhash libxxhash-dev
library jansson libjansson-dev
library libcmark libcmark-dev
if [ "$target" = test ] || [ ! -f assets/prebuilt/assets.c ]; then
    need nodejs new_enough
    need npm command -v npm
fi
if [ "$target" != demo ] && command -v apt-get >/dev/null; then # the sources of libraries come from there
    need "clang lld wasi-libc libclang-rt-dev-wasm32" links clang c --target=wasm32-wasi
    need llvm command -v llvm-ar
    need binaryen command -v wasm-opt
    need dpkg-dev command -v dpkg-source
    need xz-utils command -v xz
fi
if [ "$target" = cross ]; then
    need python3-venv python3 -c 'import venv, ensurepip'
    need binutils command -v readelf
    need qemu-user-static command -v qemu-aarch64-static
    need libc6-arm64-cross test -d /usr/aarch64-linux-gnu
fi
if [ "$target" = deb ]; then
    need "dpkg-dev debhelper" command -v dh
    need lintian command -v lintian
fi
if [ "$target" = container ]; then
    need buildah command -v buildah
fi
if [ "$target" = packaging ]; then
    need ruby command -v ruby
    need nix-bin command -v nix-instantiate
    need qemu-user-static command -v qemu-aarch64-static
    need libc6-arm64-cross test -d /usr/aarch64-linux-gnu
fi
if [ "$target" = test ]; then
    library cmocka libcmocka-dev
    need "gcc libc6-dev" links "${CC:-cc}" c -fsanitize=address,undefined
    need g++ links "${CXX:-c++}" cc
    need libbz2-dev links "${CC:-cc}" c -lbz2 # what a static libdw is linked with
    need liblzma-dev links "${CC:-cc}" c -llzma
    need python3-venv python3 -c 'import venv, ensurepip'
    need binutils command -v objcopy
    need python3 command -v python3
    need git command -v git
    need zstd command -v zstd
    need lz4 command -v lz4
    need chromium browser
    need firefox-esr other_browser
    need groff-base command -v groff
    need zsh command -v zsh
    need fish command -v fish
    need valgrind command -v valgrind
    need default-jre-headless command -v java
    wish default-jdk-headless javac -version
    wish maven mvn -version
    wish chromium-headless-shell command -v "${CHROMIUM:-chromium-headless-shell}" # half of the processor time
    wish linux-perf perf --version
    wish ruby-stackprof ruby -e 'require "stackprof"'
fi

[ -n "$missing$wished" ] || exit 0
# shellcheck disable=SC2086 # the words are package names
set -- $(printf '%s\n' $missing | sort -u)

if ! command -v apt-get >/dev/null; then
    [ -n "$missing" ] || exit 0
    echo "missing here, by their names in Debian: $*" >&2
    exit 1
fi
if [ "$(id -u)" = 0 ]; then
    as_root=
elif sudo -n true 2>/dev/null; then
    as_root=sudo
else
    [ -n "$missing" ] || exit 0
    echo "missing packages; run this, then make $target again:" >&2
    echo "    sudo apt-get install --no-install-recommends $*" >&2
    exit 1
fi
export DEBIAN_FRONTEND=noninteractive
install() {
    $as_root apt-get install -qq -y --no-install-recommends -o Dpkg::Use-Pty=0 "$@" </dev/null
}
# The lists may be absent (containers) or older than what the mirror still has.
try() {
    echo "installing $*"
    install "$@" >"$scratch/log" 2>&1 ||
        { $as_root apt-get update -qq </dev/null && install "$@"; } >"$scratch/log" 2>&1
}
if [ -n "$missing" ] && ! try "$@"; then
    cat "$scratch/log" >&2
    echo "apt-get could not install $*" >&2
    exit 1
fi
for package in $wished; do
    try "$package" || echo "apt-get could not install $package: tests that need it are skipped, or slower"
done
