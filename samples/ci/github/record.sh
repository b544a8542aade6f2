#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Records COMMAND. Its failure is a result, which result.sh reports after the card has been uploaded.
set -uo pipefail

if ! [[ $NAME =~ ^[A-Za-z0-9._-]+$ && $NAME != .* ]]; then
    echo "::error::profrender: the name consists of letters, digits, dots, dashes and underscores"
    exit 2
fi
if ! command -v "$PROGRAM" > /dev/null; then
    echo "::error::profrender: there is no program $PROGRAM on PATH; install it in a step before this one"
    exit 127
fi
# A block in YAML ends with a newline.
COMMAND=${COMMAND#"${COMMAND%%[![:space:]]*}"}
COMMAND=${COMMAND%"${COMMAND##*[![:space:]]}"}
if [[ -z $COMMAND ]]; then
    echo "::error::profrender: there is no command to record"
    exit 2
fi
place=$RUNNER_TEMP/profrender/$NAME
rm -rf "$place"
mkdir -p "$place/baseline"

# memray needs the command itself; bash would hide it, and the variables before it too. Nothing in these words expands.
words=() variables=()
simple="^([[:alnum:][:blank:]_./=:@%+,-]|'[^']*'|\"[^\"\\\$\`]*\")+$"
if [[ $COMMAND =~ $simple ]]; then
    eval "words=($COMMAND)"
    while [[ ${words[0]:-} =~ ^[A-Za-z_][A-Za-z0-9_]*= ]]; do
        variables+=("${words[0]}")
        words=("${words[@]:1}")
    done
fi
# Some plain words are bash's own: exit, time, ulimit.
if ((!${#words[@]})) || [[ $(type -t -- "${words[0]}") =~ ^(builtin|keyword)$ ]]; then
    words=(bash -eo pipefail -c "$COMMAND") variables=()
fi
options=(--interval "$INTERVAL" --cpu "$CPU")
[[ $MEMRAY != true ]] || options+=(--memray)
env -- "${variables[@]}" "$(command -v "$PROGRAM")" \
    record -q -o "$place/run" --stderr always "${options[@]}" --name "$NAME" -- "${words[@]}"
status=$?
if [[ ! -d $place/run ]]; then
    echo "::error::profrender: nothing was recorded; the reason is above"
    ((status)) || status=3
    exit "$status"
fi

{
    echo "status=$status"
    echo "place=$place"
    echo "baseline=$place/baseline"
} >> "$GITHUB_OUTPUT"
