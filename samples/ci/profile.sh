#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Records a command of a pipeline, makes its card, and checks it: the same for every platform.
#
#     profile.sh [OPTION OF CHECK]... -- COMMAND [ARGUMENT]...
#
# Writes to the folder PROFRENDER_OUT (profrender):
#     NAME.html          the card; NAME is PROFRENDER_NAME (profile)
#     junit.xml codequality.json metrics.txt summary.md     the verdict; nothing of a command that failed
#     run/               the recording
#
# PROFRENDER_BASELINE    a digest to compare with, if it is there
# PROFRENDER_KEEP        true: this run replaces it
#
# Exits like the command; if that succeeded, with 1 when a rule is broken and 3 when there is no verdict.
set -uo pipefail

out=${PROFRENDER_OUT:-profrender}
name=${PROFRENDER_NAME:-profile}
baseline=${PROFRENDER_BASELINE:-}

rules=()
while (($#)) && [[ $1 != -- ]]; do
    rules+=("$1")
    shift
done
if (($# < 2)) || ! [[ $name =~ ^[A-Za-z0-9_][A-Za-z0-9._-]*$ ]]; then
    echo "usage: profile.sh [OPTION OF CHECK]... -- COMMAND [ARGUMENT]..." >&2
    exit 2
fi
shift

# A job that is cancelled or out of time has a card too: the platform signals the command as well, and then waits.
trap : INT TERM

# Only what an earlier call has written: the folder may have cards of others.
if [[ -e $out/run && ! -f $out/run/run.json && ! -f $out/run/timeline.jsonl ]]; then
    echo "profile.sh: $out/run is not a recording, and would be removed: set PROFRENDER_OUT to another folder" >&2
    exit 2
fi
rm -rf -- "$out/run" "$out/$name.html"
rm -f -- "$out/"{junit.xml,codequality.json,metrics.txt,summary.md}
mkdir -p -- "$out"
profrender record -q -o "$out/run" --memray --stderr always --name "$name" -- "$@"
status=$?
if [[ ! -d $out/run ]]; then # there was nothing to record, or no place for it
    ((status || !${#rules[@]})) || status=3
    exit "$status"
fi
profrender card -q "$out/run" -o "$out/$name.html" --root "$PWD" || exit "$((status ? status : 4))"
[[ $status == 0 ]] || exit "$status"

is_first=false
[[ -z $baseline || -f $baseline || ! -f $out/run/memray.bin ]] || is_first=true
[[ -z $baseline || ! -f $baseline ]] || rules+=(--baseline "$baseline")
verdict=0
if ((${#rules[@]})); then
    profrender check "$out/run" --root "$PWD" "${rules[@]}" --report junit="$out/junit.xml" \
        --report codequality="$out/codequality.json" --report openmetrics="$out/metrics.txt" \
        --report markdown="$out/summary.md" 2> "$out/run/check.log" || verdict=$?
    # Options such as --functions say how to compare; alone they have nothing to check yet.
    if [[ $verdict == 2 && $is_first == true ]] && grep -q 'nothing to check: give' "$out/run/check.log"; then
        echo "profile.sh: there is no baseline yet, so this run was compared with nothing" >&2
        verdict=0
    else
        cat "$out/run/check.log" >&2
    fi
    rm -f "$out/run/check.log"
fi
# Also of a broken rule: what has been merged is what later runs are compared with.
if [[ -n $baseline && ${PROFRENDER_KEEP:-} == true && -f $out/run/memray.bin ]]; then
    mkdir -p "$(dirname "$baseline")"
    profrender digest -q "$out/run/memray.bin" -o "$baseline"
fi
exit "$verdict"
