// SPDX-License-Identifier: Apache-2.0
/*
 * Exact figures of functions, next to a tree that is an estimate: a file that records who calls whom shows what each
 * function took, but not on which stack. Tables show these.
 */
import { hiddenBy } from './graph.js';

/**
 * What a function took by itself and in all; the counts are those of its calls, and of those that were not recursive.
 * @typedef {object} Figures
 * @property {Float64Array} self
 * @property {Float64Array} total
 * @property {Float64Array} selfCount
 * @property {Float64Array} totalCount
 */

/**
 * @typedef {object} Exact
 * @property {Uint32Array} frame   [row] the function
 * @property {Uint32Array} thread  [row]
 * @property {(Figures | null)[]} of  [metric]
 */

/**
 * Figures by frame, for some threads, without the groups that are hidden.
 * @param {import('./profile.js').Profile} profile
 * @param {number} metric
 * @param {number[] | null} threads  null = all
 * @param {string[]} hide
 * @returns {Figures | null}  [frame]
 */
export function exactByFrame({ frames, exact }, metric, threads, hide) {
    const figures = exact?.of[metric];
    if (!exact || !figures) return null;
    const isHidden = hiddenBy(hide);
    const shown = (/** @type {number} */ row) =>
        (!threads || threads.includes(exact.thread[row])) && !isHidden(frames.kind[exact.frame[row]]);
    const sum = (/** @type {Float64Array} */ column) => {
        const sums = new Float64Array(frames.count);
        column.forEach((value, row) => {
            if (shown(row)) sums[exact.frame[row]] += value;
        });
        return sums;
    };
    return {
        self: sum(figures.self),
        total: sum(figures.total),
        selfCount: sum(figures.selfCount),
        totalCount: sum(figures.totalCount),
    };
}
