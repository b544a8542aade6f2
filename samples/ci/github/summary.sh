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
[[ $VERDICT != passed || -s $PLACE/check.md ]] || said="there was no rule to check"
[[ $STATUS == 0 ]] || said="the command failed with status $STATUS"
[[ -n $STATUS ]] || said="the job was cancelled, or its time was over, and the command was killed"
{
    echo "**$NAME**: $said.${URL:+ [Open the card]($URL)}"
    for part in remark check; do
        [[ ! -s $PLACE/$part.md ]] || { echo && cat "$PLACE/$part.md"; }
    done
} > "$PLACE/summary.md"
cat "$PLACE/summary.md" >> "$GITHUB_STEP_SUMMARY"
