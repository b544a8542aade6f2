#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the card and the verdict, and writes what a baseline for later runs needs.
set -euo pipefail

run=$PLACE/run
card=$PLACE/$NAME.html
[[ -d $run ]] || exit 0 # record.sh has said why
"$PROGRAM" card -q "$run" -o "$card" --root "$GITHUB_WORKSPACE" \
    --source-url "$GITHUB_SERVER_URL/$GITHUB_REPOSITORY/blob/$GITHUB_SHA/{file}#L{line}"
echo "card=$card" >> "$GITHUB_OUTPUT"
if [[ $STATUS != 0 ]]; then
    echo "verdict=none" >> "$GITHUB_OUTPUT"
    exit 0
fi

# An option a line; its value is the rest of the line.
rules=()
while read -r option value; do
    [[ -z $option ]] || rules+=("$option")
    [[ -z $value ]] || rules+=("$value")
done <<< "$CHECK"
is_first=false
if [[ $COMPARE == true ]]; then
    restored=("$PLACE/baseline/"*.prz)
    if [[ -f ${restored[0]} ]]; then
        rules+=(--baseline "${restored[0]}")
    elif [[ -f $run/memray.bin ]]; then
        is_first=true
        echo "There is no baseline yet, so this run was compared with nothing." > "$PLACE/remark.md"
    fi
fi

verdict=passed
if ((${#rules[@]})); then
    ended=0
    "$PROGRAM" check "$run" --root "$GITHUB_WORKSPACE" "${rules[@]}" --report json="$PLACE/check.json" \
        --report github=- --report markdown="$PLACE/check.md" 2> "$PLACE/check.log" || ended=$?
    # Options such as --functions say how to compare; alone they have nothing to check yet.
    [[ $is_first == false ]] || ! grep -q 'nothing to check: give' "$PLACE/check.log" || ended=nothing
    [[ $ended == nothing ]] || cat "$PLACE/check.log" >&2
    case $ended in
    0) grep -q '"cannot_tell": \[\]' "$PLACE/check.json" || verdict=cannot-tell ;;
    1) verdict=broken ;;
    nothing) ;;
    *)
        verdict=none
        printf '\nThe reason:\n\n' >> "$PLACE/remark.md"
        head -n 20 "$PLACE/check.log" | sed 's/^/    /' >> "$PLACE/remark.md"
        ;;
    esac
fi
echo "verdict=$verdict" >> "$GITHUB_OUTPUT"

# Also of a broken rule: what has been merged is what later runs are compared with. The summary calls it by its name.
if [[ -f $run/memray.bin ]]; then
    branch=${GITHUB_REF_NAME:-base}
    baseline=$PLACE/baseline/${branch//[^A-Za-z0-9._-]/-}-${GITHUB_SHA:0:7}.prz
    rm -f "$PLACE/baseline/"*.prz
    "$PROGRAM" digest -q "$run/memray.bin" -o "$baseline"
    echo "digest=$baseline" >> "$GITHUB_OUTPUT"
fi
