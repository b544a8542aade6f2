// SPDX-License-Identifier: Apache-2.0
/* What happened when: the time bins and what facts have in them. */
import { isHeap } from '../model/series.js';
import { NEVER, peakTimes } from '../model/time.js';
import { integers, need, numbers, wrong } from './unpack.js';

/** @typedef {import('./unpack.js').Column} Column */
/** @typedef {import('./unpack.js').Head} Head */

/**
 * The time bins; what facts have in them is decoded when the first window is chosen.
 * @param {Head} head
 * @param {Map<string, Column>} columns
 * @param {import('../model/profile.js').Series[]} series
 * @param {() => ReturnType<typeof readChanges>} read
 * @returns {import('../model/time.js').History | null}
 */
export function readHistory({ 'binsRecorded': binsRecorded, 'heapPeak': heapPeak }, columns, series, read) {
    if (!columns.has('bins.start')) return null;
    const start = numbers(need(columns, 'bins.start'));
    const spans = {
        count: start.length,
        start,
        end: numbers(need(columns, 'bins.end')),
        peak: numbers(need(columns, 'bins.peak')),
    };
    /** @type {ReturnType<typeof readChanges> | undefined} */
    let changes;
    return {
        bins: { ...spans, peakMs: peakTimes(spans, series.find(isHeap), heapPeak) },
        recorded: binsRecorded ?? start.length,
        get steps() {
            return (changes ??= read()).steps;
        },
        get moves() {
            return (changes ??= read()).moves;
        },
    };
}

/**
 * @param {Map<string, Column>} columns
 * @param {number} facts
 */
export const readChanges = (columns, facts) => ({ steps: readSteps(columns, facts), moves: readMoves(columns, facts) });

/**
 * @param {Map<string, Column>} columns
 * @param {number} facts
 * @returns {import('../model/time.js').Steps}
 */
function readSteps(columns, facts) {
    const first = firstOf(need(columns, 'steps.count'), facts);
    const bin = integers(need(columns, 'steps.bin'));
    const bytes = numbers(need(columns, 'steps.bytes'));
    const count = numbers(need(columns, 'steps.allocations'));
    for (const column of [bin, bytes, count]) sumWithin(first, column);
    return { first, bin, bytes, count };
}

/**
 * @param {Map<string, Column>} columns
 * @param {number} facts
 * @returns {import('../model/time.js').Moves}
 */
function readMoves(columns, facts) {
    const first = firstOf(need(columns, 'moves.count'), facts);
    const from = integers(need(columns, 'moves.from'));
    const to = integers(need(columns, 'moves.to'));
    sumWithin(first, from);
    for (let i = 0; i < to.length; i++) to[i] = to[i] ? from[i] + to[i] : NEVER;
    return {
        first,
        from,
        to,
        bytes: numbers(need(columns, 'moves.bytes')),
        count: numbers(need(columns, 'moves.allocations')),
    };
}

/**
 * Where the rows of each fact begin.
 * @param {Column} counts
 * @param {number} facts
 */
function firstOf(counts, facts) {
    const many = integers(counts);
    const first = new Uint32Array(facts + 1);
    if (many.length !== facts) throw wrong('damaged');
    for (let fact = 0; fact < facts; fact++) first[fact + 1] = first[fact] + many[fact];
    return first;
}

/**
 * Differences become values, from the first row of each fact on.
 * @param {Uint32Array} first
 * @param {Uint32Array | Float64Array} column
 */
function sumWithin(first, column) {
    if (column.length !== first[first.length - 1]) throw wrong('damaged');
    for (let fact = 0; fact + 1 < first.length; fact++) {
        for (let i = first[fact] + 1; i < first[fact + 1]; i++) column[i] += column[i - 1];
    }
}
