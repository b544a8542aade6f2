// SPDX-License-Identifier: Apache-2.0
/* How much a frame of a difference changed: in amounts, and in shares of each side. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeOf } from '../../../assets/src/model/change.js';

/** Of nodes, the root first, what they have on both sides. */
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
