#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Links the card from the summary of the job, and ends as the command or the verdict did.
set -euo pipefail

case $VERDICT in
passed) said="every rule holds" ;;
broken) said="a rule is broken" ;;
cannot-tell) said="not every rule could be decided" ;;
*) said="there is no verdict" ;;
esac
[[ $STATUS == 0 ]] || said="the command failed with status $STATUS"
echo "**$NAME**: $said. [Open the card]($URL)" >> "$GITHUB_STEP_SUMMARY"

[[ $STATUS == 0 ]] || exit "$STATUS"
[[ $FAIL != true || ( $VERDICT != broken && $VERDICT != none ) ]] || exit 1
