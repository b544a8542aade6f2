#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# profile.sh as a step of Buildkite: the verdict and a link to the card become an annotation of the build.
set -uo pipefail

out=${PROFRENDER_OUT:-profrender}
name=${PROFRENDER_NAME:-profile}
trap : INT TERM # the agent signals all processes of the job, and this one is still needed
status=0
bash "$(dirname "$0")/profile.sh" "$@" || status=$?

card=$out/$name.html
if [[ -f $card ]]; then
    style=success
    ((status == 0)) || style=error
    {
        echo "<a href=\"artifact://$card\">Card of $name</a>, exit status $status"
        [[ ! -f $out/summary.md ]] || { echo && head -c 100000 "$out/summary.md"; }
    } | buildkite-agent annotate --style "$style" --context "profrender-$name"
fi
exit "$status"
