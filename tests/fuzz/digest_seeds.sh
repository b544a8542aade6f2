#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Digests of all samples, to begin fuzzing with: sh tests/fuzz/digest_seeds.sh PROGRAM FOLDER
for sample in samples/*.bin samples/cpu/* samples/nightly samples/timeline/*; do
    "$1" digest --quiet "$sample" --output "$2/${sample##*/}.prz" 2>/dev/null
done
"$1" merge --quiet samples/*.bin --output "$2/sum.prz" 2>/dev/null
true
