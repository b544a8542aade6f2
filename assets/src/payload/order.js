// SPDX-License-Identifier: Apache-2.0
/* The calls in order of time. */
import { makeTimeGraph, threadsInTime } from '../model/timeorder.js';
import { integers, need, numbers, wrong } from './unpack.js';

/** @typedef {import('./unpack.js').Column} Column */
/** @typedef {import('./unpack.js').Head} Head */

/**
 * What ran when; decoded when it is first looked at.
 * @param {Head} head
 * @param {Map<string, Column>} columns
 * @param {import('../model/profile.js').Facts} facts
 * @returns {import('../model/timeorder.js').TimeOrder[] | null}  one for each layer
 */
export function readTimeOrder(head, columns, facts) {
    const time = head['time'];
    if (!time) return null;
    let end = 0;
    return time['layers'].map(({ 'metric': metric, 'count': count }) => {
        /** @type {import('../model/timeorder.js').Stretches | undefined} */
        let stretches;
        const from = end;
        end += count;
        const order = {
            metric,
            resolutionNs: time['resolutionNs'],
            lacksClock: time['lacksClock'],
            get stretches() {
                return (stretches ??= readStretches(columns, facts, from, count));
            },
            threads: () => threadsInTime(order.stretches),
            /** @type {import('../model/timeorder.js').TimeOrder['makeGraph']} */
            makeGraph: (graph, thread, span) => makeTimeGraph(order, graph, thread, span),
        };
        return order;
    });
}

/**
 * @param {Map<string, Column>} columns
 * @param {import('../model/profile.js').Facts} facts
 * @param {number} from  the first of the layer
 * @param {number} many  that it has
 * @returns {import('../model/timeorder.js').Stretches}
 */
function readStretches(columns, facts, from, many) {
    const column = (/** @type {string} */ part) => need(columns, `stretches.${part}`);
    const fact = integers(column('fact')).subarray(from, from + many);
    const start = numbers(column('gap')).subarray(from, from + many);
    const duration = numbers(column('duration')).subarray(from, from + many);
    const thread = fact.map((f) => facts.thread[f]);
    if (start.length !== fact.length || duration.length !== fact.length || fact.some((f) => f >= facts.count))
        throw wrong('damaged');
    for (let i = 1; i < fact.length; i++) {
        if (thread[i] === thread[i - 1]) start[i] += start[i - 1] + duration[i - 1];
    }
    return { count: fact.length, fact, thread, start, duration };
}
