#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Writes the verdict and the link of the card to the summary of the job; comment.sh takes it from PLACE/summary.md.
set -euo pipefail

case $VERDICT in
passed) said="every rule holds" ;;
broken) said="a rule is broken" ;;
cannot-tell) said="not every rule could be decided" ;;
*) said="there is no verdict" ;;
esac
[[ $STATUS == 0 ]] || said="the command failed with status $STATUS"
{
    echo "**$NAME**: $said. [Open the card]($URL)"
    if [[ -s $PLACE/check.md ]]; then
        echo
        cat "$PLACE/check.md"
    fi
} > "$PLACE/summary.md"
cat "$PLACE/summary.md" >> "$GITHUB_STEP_SUMMARY"
