#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Records COMMAND. Its failure is a result, which result.sh reports after the card has been uploaded.
set -uo pipefail

if ! [[ $NAME =~ ^[A-Za-z0-9._-]+$ && $NAME != .* ]]; then
    echo "::error::profrender: the name consists of letters, digits, dots, dashes and underscores"
    exit 2
fi
if [[ $RUNNER_OS != Linux ]]; then
    echo "::error::profrender: only Linux runners can record, this one has $RUNNER_OS"
    exit 2
fi
if ! command -v "$PROGRAM" > /dev/null; then
    echo "::error::profrender: there is no program $PROGRAM on PATH; install it in a step before this one"
    exit 127
fi
recorder_program=$(command -v "$PROGRAM")
[[ $recorder_program == /* ]] || recorder_program=$PWD/$recorder_program
if ! cd -- "${DIRECTORY:-.}"; then
    echo "::error::profrender: the command cannot run in the folder $DIRECTORY"
    exit 2
fi
# A block in YAML ends with a newline.
COMMAND=${COMMAND#"${COMMAND%%[![:space:]]*}"}
COMMAND=${COMMAND%"${COMMAND##*[![:space:]]}"}
if [[ -z $COMMAND ]]; then
    echo "::error::profrender: there is no command to record"
    exit 2
fi

# The jobs of a matrix share artifacts and cache.
is_shared=false
((${MATRIX_JOBS:-1} < 2)) || [[ $NAME == *"$MATRIX_JOB"* ]] || is_shared=true
value='": "?([^",]+)"?,?$'
while read -r line; do
    ! [[ $line =~ $value && $NAME == *"${BASH_REMATCH[1]}"* ]] || is_shared=false
done <<< "$MATRIX"
if [[ $is_shared == true ]]; then
    echo "::warning::profrender: $MATRIX_JOBS jobs of the matrix share the name $NAME: each replaces the card of the" \
        "others and is compared with their runs; put a value of the matrix into the input 'name'"
fi

# Their artifact has one name too, and the link to the first card would lead nowhere.
place=$RUNNER_TEMP/profrender/$NAME
if [[ -e $place ]]; then
    echo "::error::profrender: an earlier step of this job has the name $NAME too, and its card would be replaced;" \
        "give each step an input 'name' of its own"
    exit 2
fi
mkdir -p "$place/baseline"
{
    echo "place=$place"
    # The cache takes no commas, which a branch may have.
    branch=${GITHUB_BASE_REF:-${GITHUB_REF_NAME:-}}
    echo "branch=${branch//,/%2C}"
    echo "baseline=$place/baseline"
} >> "$GITHUB_OUTPUT"

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
# GitHub cancels a job by SIGINT, 7.5 s later by SIGTERM and 2.5 s later by SIGKILL; the first two are sent only to this
# script. In a group of its own, a command in the background does not ignore SIGINT.
recorder=""
trap '[[ -z $recorder ]] || kill -INT "$recorder"' INT
trap '[[ -z $recorder ]] || kill -TERM "$recorder"' TERM
set -m
env -- "${variables[@]}" "$recorder_program" \
    record -q -o "$place/run" --stderr always "${options[@]}" --name "$NAME" -- "${words[@]}" &
recorder=$!
set +m
status=0
while kill -0 "$recorder" 2> /dev/null; do # also until it has been waited for
    wait "$recorder"
    status=$?
done
if [[ ! -d $place/run ]]; then
    echo "::error::profrender: nothing was recorded; the reason is above"
    ((status)) || status=3
    exit "$status"
fi
echo "status=$status" >> "$GITHUB_OUTPUT"
