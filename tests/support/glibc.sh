#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Prints the oldest version of the GNU C library that has all that a program calls:
#
#     sh tests/support/glibc.sh build/static/profrender
set -eu

objdump -T "$1" | sed -n 's/.*(\{0,1\}GLIBC_\(2\.[0-9][0-9.]*\)).*/\1/p; s/.*[( ]GLIBC_\(2\.[0-9.]*\)[ )].*/\1/p' |
    sort -Vu | tail -n 1
