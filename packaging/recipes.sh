#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Writes the recipes for Homebrew, conda and nix, with the address and the SHA-256 of each archive:
#
#     sh packaging/recipes.sh VERSION FOLDER [ADDRESS]
#
# FOLDER has the archives. ADDRESS is where they can be had; default: FOLDER itself.
set -eu

version=$1 folder=$(cd "$2" && pwd)
address=${3:-file://$folder}
here=$(dirname "$0")

sum() {
    sha256sum "$1" | cut -d' ' -f1
}

for recipe in homebrew/profrender.rb conda/recipe.yaml nix/profrender.nix; do
    sed -e "s|@VERSION@|$version|" -e "s|@ADDRESS@|$address|" \
        -e "s|@SHA256_X86_64@|$(sum "$folder/profrender-$version-linux-x86_64.tar.gz")|" \
        -e "s|@SHA256_AARCH64@|$(sum "$folder/profrender-$version-linux-aarch64.tar.gz")|" \
        -e "s|@SHA256_SOURCE@|$(sum "$folder/source/profrender-$version.tar.gz")|" \
        "$here/$recipe.in" >"$folder/${recipe##*/}"
    echo "$folder/${recipe##*/}"
done
