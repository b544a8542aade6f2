#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Writes the INSTALL of the archive of `make static`:
#
#     sh doc/archive.sh build/static/profrender
set -eu

here=$(dirname "$0")
glibc=$(sh "$here/../tests/support/glibc.sh" "$1")
cat <<EOF
profrender for Linux on $(uname -m), with the GNU C library $glibc or later.

    cp -r bin share /usr/local/

The program needs that library and nothing else; \`ldd --version\` says which one a machine has. With an older one
it does not start, and says "version \`GLIBC_$glibc' not found"; with another one (musl, as in Alpine) "not
found". Build it there instead: make, or pip install, from the source.

share/profrender/schemas has the schemas of the JSON documents, licenses/ the licences of what is linked in.
EOF
