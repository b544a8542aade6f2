#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Builds Debian's packages from a source archive of `make dist`, as their maintainer would, and has lintian judge them:
#
#     sh packaging/debian/build.sh profrender-0.1.0.tar.gz FOLDER
set -eu

archive=$1 folder=$2
here=$(cd "$(dirname "$0")" && pwd)
name=$(basename "$archive" .tar.gz)
version=${name#profrender-}
mkdir -p "$folder"
rm -rf "$folder/$name" "$folder"/*profrender*_*
cp "$archive" "$folder/profrender_$version.orig.tar.gz"
tar -xf "$archive" -C "$folder"
mkdir "$folder/$name/debian"
for part in "$here"/*; do
    [ "$part" = "$here/build.sh" ] || cp -r "$part" "$folder/$name/debian/"
done
cd "$folder/$name"
dpkg-buildpackage -us -uc "-j$(nproc)"
lintian --allow-root --fail-on error,warning ../*.changes
