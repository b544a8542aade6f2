// SPDX-License-Identifier: Apache-2.0
/* The pack of the heat map. It is unpacked when the map is first drawn or a part of the run is first asked for. */
import { BLOCK, amountsDuring, spanIn, spanText } from '../model/heat.js';
import { integers, need, unpack, wrong } from './unpack.js';

/** @typedef {import('../model/heat.js').Heat} Heat */
/** @typedef {import('../model/heat.js').HeatStretches} HeatStretches */
/** @typedef {Pick<Heat, 'metric' | 'gridNs' | 'slotNs' | 'slots' | 'rows' | 'resolutionNs'>} HeatHead */

/**
 * @param {string} pack
 * @param {import('../model/profile.js').Facts} facts
 * @returns {Heat}
 */
export function readHeat(pack, facts) {
    const { head, columns } = unpack(pack);
    const { metric, gridNs, slotNs, slots, rows, resolutionNs } = /** @type {HeatHead} */ (
        /** @type {unknown} */ (head)
    );
    /** @type {HeatStretches | undefined} */
    let stretches;
    const heat = {
        metric,
        gridNs,
        slotNs,
        slots,
        rows,
        resolutionNs,
        get stretches() {
            return (stretches ??= readStretches(columns, facts));
        },
        /**
         * Counts are not known by time.
         * @param {number} number
         * @param {import('../model/heat.js').Metric} one
         * @param {string} text
         */
        part(number, { name, title, unit }, text) {
            const during = heat.spanOf(text);
            if (number !== metric || !during) return null;
            const amounts = amountsDuring(heat, facts.count, during);
            return { name, title, unit, countName: null, totalCount: 0, count: null, during, ...amounts };
        },
        /** @param {string} text */
        spanOf: (text) => spanIn(text, slots * slotNs),
        /** @param {string} text */
        seconds(text) {
            const span = heat.spanOf(text);
            return span ? spanText(span) : '';
        },
    };
    return heat;
}

/**
 * @param {Map<string, import('./unpack.js').Column>} columns
 * @param {import('../model/profile.js').Facts} facts
 * @returns {HeatStretches}
 */
function readStretches(columns, facts) {
    const fact = integers(need(columns, 'heat.fact'));
    const start = signed(integers(need(columns, 'heat.gap')));
    const length = integers(need(columns, 'heat.length'));
    const count = fact.length;
    if (start.length !== count || length.length !== count) throw wrong('damaged');
    const first = [];
    const latest = new Uint32Array(Math.ceil(count / BLOCK));
    let thread = -1;
    for (let i = 0, now = 0; i < count; i++) {
        if (fact[i] >= facts.count) throw wrong('damaged');
        if (facts.thread[fact[i]] !== thread) {
            thread = facts.thread[fact[i]];
            first.push(i);
            now = 0;
        }
        start[i] += now;
        now = start[i] + length[i];
        const block = Math.floor(i / BLOCK);
        if (now > latest[block]) latest[block] = now;
    }
    return { count, fact, start, length, first: Uint32Array.from([...first, count]), latest };
}

/** Zigzag becomes numbers, which wrap in 32 bits until they are added up. @param {Uint32Array} values */
function signed(values) {
    for (let i = 0; i < values.length; i++) values[i] = (values[i] >>> 1) ^ -(values[i] & 1);
    return values;
}
