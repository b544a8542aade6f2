#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Writes the manual pages and the scripts for shells' completion: what the program says about itself, for each command
# that its help lists.
#
#     sh doc/pages.sh build/profrender build/doc
set -eu

program=$1 folder=$2
mkdir -p "$folder"
rm -f "$folder"/profrender*.1
for shell in bash zsh fish; do
    "$program" completion "$shell" >"$folder/profrender.$shell"
done
for command in $("$program" --help | sed -n '/^Commands$/,/^$/s/^  \([a-z-]*\) .*/\1/p'); do
    "$program" help --man "$command" >"$folder/profrender-$command.1"
done
"$program" help --man >"$folder/profrender.1" # last: make looks at this one
