#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Writes the verdict as a comment of the pull request, or replaces the one that is there. What goes wrong with it is a
# warning: the verdict is in the summary anyway. The pull request of a fork may not write, for example.
set -uo pipefail

mark="<!-- profrender: $NAME -->"
comments=$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/issues

# call METHOD PATH [FILE]: the answer. The token is on no command line.
call() {
    local body=()
    [[ -z ${3:-} ]] || body=(--data-binary "@$3")
    curl --silent --show-error --fail-with-body --max-time 60 --request "$1" "${body[@]}" --config - "$comments/$2" \
        <<< "header = \"Authorization: Bearer $TOKEN\"
header = \"Accept: application/vnd.github+json\"
header = \"Content-Type: application/json\""
}

give_up() {
    echo "::warning::profrender: the comment could not be written: $(head -c 300 <<< "$1" | tr '\n' ' ')"
    exit 0
}

# Only a program's own comment is replaced: anybody can write the mark.
before=""
for ((page = 1; page <= 30; page++)); do
    answer=$(call GET "$NUMBER/comments?per_page=100&page=$page" 2>&1) || give_up "$answer"
    before=$(jq -r --arg mark "$mark" \
        'map(select(.user.type == "Bot" and (.body | startswith($mark)))) | first | .id // empty' <<< "$answer") ||
        give_up "the answer cannot be read"
    [[ -z $before && $(jq length <<< "$answer") == 100 ]] || break
done

# A comment has at most 65,536 characters.
text=$PLACE/comment.json
{
    echo "$mark"
    cat "$PLACE/summary.md"
} | jq -R -s '{body: (if length > 60000 then .[:60000] + "\n\n…" else . end)}' > "$text"
if [[ -n $before ]]; then
    answer=$(call PATCH "comments/$before" "$text" 2>&1) || give_up "$answer"
else
    answer=$(call POST "$NUMBER/comments" "$text" 2>&1) || give_up "$answer"
fi
