#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Ends as the command or the verdict did.
set -euo pipefail

[[ $STATUS == 0 ]] || exit "$STATUS"
[[ $FAIL != true || ( $VERDICT != broken && $VERDICT != none ) ]] || exit 1
