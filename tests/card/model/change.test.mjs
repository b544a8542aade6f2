// SPDX-License-Identifier: Apache-2.0
/* How much a frame of a difference changed: in amounts, and in shares of each side. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeOf, growthOf, sortGrowth } from '../../../assets/src/model/change.js';
import { stringAt } from '../../../assets/src/model/profile.js';
import { profileOf } from '../support/profile.mjs';

/** The values of nodes on both sides, the root first. */
const sides = (before, after) => ({ sums: () => ({ total: after }), baseSums: () => before && { total: before } });
const steps = (shown, shares) => shown.sums().total.map((_, node) => changeOf(shown, node, shares));

test('a run of twice the length has twice of everything, and the same shares', () => {
    const longer = sides([100, 60, 40], [200, 120, 80]);
    assert.deepEqual(steps(longer, false), [3, 3, 3]);
    assert.deepEqual(steps(longer, true), [0, 0, 0]);
});

test('a share can grow where the amount shrinks', () => {
    const shorter = sides([100, 40, 60], [50, 30, 20]);
    assert.deepEqual(steps(shorter, false), [-3, -2, -3]);
    assert.deepEqual(steps(shorter, true), [0, 3, -3]);
});

test('nothing before has no shares; without a base there is no change', () => {
    assert.deepEqual(steps(sides([0, 0], [10, 10]), true), [3, 3]);
    assert.deepEqual(steps(sides(null, [10, 10]), true), [null, null]);
});

test('a library counts for the function that called it; what grew comes first, then what shrank', () => {
    const profile = profileOf([
        ['main > load > lib:read', 5],
        ['main > load > lib:read > lib:parse', 4],
        ['main > fit', 7],
        ['main > keep', 2],
        ['lib:start', 1],
    ]);
    const before = Float64Array.from([1, 1, 9, 2, 0]);
    const nameOf = ({ node }) => stringAt(profile.strings, profile.frames.function[profile.tree.frame[node]]);
    const list = growthOf(profile, before, profile.metrics[0].value, null);
    const rows = sortGrowth(list, (one) => one.after - one.before).map((one) => [nameOf(one), one.before, one.after]);
    assert.deepEqual(rows, [
        ['load', 2, 9],
        ['start', 0, 1],
        ['fit', 9, 7],
    ]);
    const wanted = Uint8Array.from([1, 0, 0, 0, 0]);
    assert.deepEqual(
        growthOf(profile, before, profile.metrics[0].value, wanted).map(({ before: from, after }) => [from, after]),
        [[1, 5]],
    );
});
