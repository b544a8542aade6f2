#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Renders the demonstration and says what it shows:
#
#     sh samples/demo.sh PROGRAM CARD
set -eu

program=$1 card=$2
capture=samples/daily-sales.bin

"$program" card --quiet "$capture" -o "$card"

# The headline of a table, and the file of the job with most in it.
summary() {
    "$program" table "$capture" "$@" --group file --sort total --filter sales/ --limit 1 --width 200 --color never |
        awk 'NR == 1 { line = $0 } /[0-9] %/ { print "  " line "; " $1, $2, "of it below", $NF; exit }'
}

echo "the card: $card"
summary
summary --leaks
