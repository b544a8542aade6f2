// SPDX-License-Identifier: Apache-2.0
/* The heap as a stack of what functions hold over time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { layerAt, layersOf } from '../../../assets/src/model/layers.js';

/** A fact for each list of steps: [bin, bytes]. */
function historyOf(peaks, facts) {
    const first = Uint32Array.from([0, ...facts.map((_, i) => facts.slice(0, i + 1).flat().length)]);
    const steps = facts.flat();
    return {
        bins: { count: peaks.length, peak: Float64Array.from(peaks) },
        steps: {
            first,
            bin: Uint32Array.from(steps, ([bin]) => bin),
            bytes: Float64Array.from(steps, ([, bytes]) => bytes),
            count: new Float64Array(steps.length),
        },
        recorded: peaks.length,
        moves: null,
    };
}

// Leaves 3 and 4 count for node 1, leaf 5 for node 2, leaf 6 for nobody. Nodes 1 and 7 are of one function.
const nearest = Uint32Array.of(0, 1, 2, 1, 1, 2, 0, 7);
const graph = { leaf: Uint32Array.of(3, 4, 5, 6, 7), frame: Uint32Array.of(0, 10, 20, 0, 0, 0, 0, 10) };
const history = historyOf(
    [100, 180, 90],
    [[[0, 40], [2, 0]], [[1, 10]], [[1, 100], [2, 60]], [[0, 20]], [[1, 5]]],
);

test('a layer is a function: all of its paths, with what counts for it, bin by bin', () => {
    const layers = layersOf(history, graph, nearest, null);
    assert.deepEqual(layers.map(({ node }) => node), [2, 1]);
    assert.deepEqual([...layers[0].bytes], [0, 100, 60]);
    assert.deepEqual([...layers[1].bytes], [40, 55, 15]);
});

test('only the facts that are wanted count', () => {
    const layers = layersOf(history, graph, nearest, Uint8Array.of(0, 1, 0, 1, 1));
    assert.deepEqual(layers.map(({ bytes }) => [...bytes]), [[0, 15, 15]]);
});

test('there are at most six layers, the largest at any moment first, and none too thin to be seen', () => {
    const many = 90;
    const leaf = Uint32Array.from({ length: many }, (_, i) => i + 1);
    const nodes = Uint32Array.from({ length: many + 1 }, (_, i) => i);
    const one = historyOf([10_000], Array.from({ length: many }, (_, i) => [[0, i]]));
    const layers = layersOf(one, { leaf, frame: nodes }, nodes, null);
    assert.deepEqual(layers.map(({ most }) => most), [89, 88, 87, 86, 85, 84]);
    const high = historyOf([16_900], Array.from({ length: many }, (_, i) => [[0, i]]));
    assert.deepEqual(layersOf(high, { leaf, frame: nodes }, nodes, null).map(({ most }) => most), [89, 88, 87, 86, 85]);
});

test('a height is in a layer, or above all', () => {
    const layers = layersOf(history, graph, nearest, null);
    assert.deepEqual([-1, 0, 99, 100, 154, 155].map((value) => layerAt(layers, 1, value)), [-1, 0, 0, 1, 1, -1]);
});
