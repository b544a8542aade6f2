// SPDX-License-Identifier: Apache-2.0
/* The heap as a stack: at the peak of each time bin, what the functions of the user's own that hold most hold. */
import { addSteps, sumOverBins } from './life.js';

/** The number of functions in the stack. */
const MOST_LAYERS = 6;
/** Of so many functions, those that could hold most, we compute what they hold over time. */
const MOST_CANDIDATES = 64;

/** A thinner layer, by its part of the highest heap, is not seen. */
const LEAST_SHARE = 0.005;

/**
 * @typedef {object} Layer
 * @property {number} node         of the graph: the heaviest of its function, by what it ever held
 * @property {Float64Array} bytes  [bin] what the function holds, itself and through code that is not the user's
 * @property {number} most         the highest of them
 */

/**
 * @param {import('./time.js').History} history
 * @param {{leaf: Uint32Array, frame: Uint32Array}} graph  as it was called
 * @param {Uint32Array} nearest  [node] the innermost of the user's own frames at or above it; 0 = none
 * @param {Uint8Array | null} wanted  [fact]; null = all
 * @returns {Layer[]} at most six, the largest first
 */
export function layersOf({ bins, steps }, { leaf, frame }, nearest, wanted) {
    const found = /** @type {Map<number, {frame: number, node: number, best: number, bound: number}>} */ (new Map());
    for (let fact = 0; fact < leaf.length; fact++) {
        const node = nearest[leaf[fact]];
        if (!node || (wanted && !wanted[fact])) continue;
        let most = 0;
        for (let i = steps.first[fact]; i < steps.first[fact + 1]; i++) most = Math.max(most, steps.bytes[i]);
        const one = found.get(frame[node]) ?? { frame: frame[node], node, best: 0, bound: 0 };
        one.bound += most;
        if (most > one.best) Object.assign(one, { node, best: most });
        found.set(one.frame, one);
    }
    const candidates = [...found.values()].sort((a, b) => b.bound - a.bound).slice(0, MOST_CANDIDATES);
    const layers = new Map(
        candidates.map((one) => [one.frame, { node: one.node, bytes: new Float64Array(bins.count), most: 0 }]),
    );
    for (let fact = 0; fact < leaf.length; fact++) {
        const node = nearest[leaf[fact]];
        const layer = node && (!wanted || wanted[fact]) ? layers.get(frame[node]) : undefined;
        if (layer) addSteps(layer.bytes, steps, fact);
    }
    const highest = bins.peak.reduce((most, value) => Math.max(most, value), 0);
    for (const layer of layers.values()) layer.most = sumOverBins(layer.bytes);
    return [...layers.values()]
        .filter(({ most }) => most > highest * LEAST_SHARE)
        .sort((a, b) => b.most - a.most)
        .slice(0, MOST_LAYERS);
}

/**
 * The layer at a height of the stack; -1 = above all of them.
 * @param {Layer[]} layers
 * @param {number} bin
 * @param {number} value  bytes
 */
export function layerAt(layers, bin, value) {
    let top = 0;
    return value < 0 ? -1 : layers.findIndex(({ bytes }) => value < (top += bytes[bin]));
}
