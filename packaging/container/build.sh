#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Builds the image for x86-64 and arm64 from the programs of `make cross`:
#
#     sh packaging/container/build.sh VERSION FOLDER
#
# FOLDER/image is an OCI layout with both: skopeo, podman and docker copy it to a registry. Needs buildah, and neither a
# daemon nor a network. Where a program runs as root or in a user namespace does not matter: nothing is executed.
set -eu

version=$1 folder=$2
here=$(dirname "$0")
list=profrender:$version
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
stores="--root $folder/store --runroot $folder/run"

rm -rf "$folder/context" "$folder/image"
mkdir -p "$folder/context/amd64" "$folder/context/arm64"
cp "$here/Containerfile" "$folder/context/"
install -m 755 build/cross/x86_64-linux-musl/profrender "$folder/context/amd64/"
install -m 755 build/cross/aarch64-linux-musl/profrender "$folder/context/arm64/"
# shellcheck disable=SC2086 # two options
{
    buildah $stores rmi -f "$list" >/dev/null 2>&1 || true
    buildah $stores manifest rm "$list" >/dev/null 2>&1 || true
    buildah $stores build --quiet --timestamp 0 --platform linux/amd64,linux/arm64 --build-arg VERSION="$version" \
        --manifest "$list" "$folder/context" >/dev/null
    buildah $stores manifest push --quiet --all "$list" "oci:$folder/image:$version" >/dev/null
}
echo "$folder/image"
