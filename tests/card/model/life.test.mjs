// SPDX-License-Identifier: Apache-2.0
/* What a frame holds over time, and the peak without it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { factsBelow, lifeOf } from '../../../assets/src/model/life.js';

// Facts on nodes 2 and 3, below 1: one holds 10 in bins 1 and 2, the other 5 from bin 2 on, and 8 in the last one.
const steps = {
    first: Uint32Array.of(0, 2, 4),
    bin: Uint32Array.of(1, 3, 2, 3),
    bytes: Float64Array.of(10, 0, 5, 8),
    count: new Float64Array(4),
};
const bins = { count: 4, peak: Float64Array.of(7, 12, 15, 9) };
const graph = { leaf: Uint32Array.of(2, 3), end: Uint32Array.of(4, 4, 3, 4) };
const history = { bins, steps, recorded: 4, moves: null };

test('a frame holds what all below it hold, bin by bin', () => {
    assert.deepEqual([...lifeOf(history, factsBelow(graph, null, 1)).bytes], [0, 10, 15, 8]);
    assert.deepEqual([...lifeOf(history, factsBelow(graph, null, 2)).bytes], [0, 10, 10, 0]);
    assert.deepEqual([...lifeOf(history, factsBelow(graph, Uint8Array.of(0, 1), 1)).bytes], [0, 0, 5, 8]);
    assert.equal(lifeOf(history, factsBelow(graph, null, 1)).most, 15);
});

test('without a frame the highest moment is another one', () => {
    assert.deepEqual(lifeOf(history, factsBelow(graph, null, 1)).without, { bytes: 7, bin: 0 });
    assert.deepEqual(lifeOf(history, factsBelow(graph, null, 2)).without, { bytes: 9, bin: 3 });
    assert.deepEqual(lifeOf(history, factsBelow(graph, null, 3)).without, { bytes: 12, bin: 1 });
});
