// SPDX-License-Identifier: Apache-2.0
/* The pack of the heat map. It is unpacked when the map is first drawn or a part of the run is first asked for. */
import { BLOCK, amountsDuring, spanIn, spanText } from '../model/heat.js';
import { isSameWindow, knownBins, timesOf, windowOfTime } from '../model/time.js';
import { integers, need, numbers, wrong } from './unpack.js';

/** @typedef {import('../model/heat.js').Heat} Heat */
/** @typedef {import('../model/heat.js').HeatStretches} HeatStretches */
/** @typedef {import('../model/profile.js').Facts} Facts */
/** @typedef {import('./unpack.js').LayerHead} LayerHead */
/**
 * @typedef {{'gridNs': number, 'slotNs': number, 'slots': number, 'rows': number, 'time'?: {'resolutionNs': number,
 *     'layers': LayerHead[]}, 'moments'?: {'metric': number, 'resolutionNs': number}}} HeatHead
 */

/**
 * @param {import('./unpack.js').Pack} pack
 * @param {Facts} facts
 * @returns {Heat}
 */
export function readHeat({ head, columns }, facts) {
    const { 'gridNs': gridNs, 'slotNs': slotNs, 'slots': slots, 'rows': rows, 'time': time, 'moments': moments } =
        /** @type {HeatHead} */ (/** @type {unknown} */ (head));
    let end = 0;
    /** @param {string} name  @param {{'resolutionNs': number}} head  @param {LayerHead} layer */
    const layerOf = (name, { 'resolutionNs': resolutionNs }, { 'metric': metric, 'count': count }) => {
        /** @type {HeatStretches | undefined} */
        let stretches;
        const from = end;
        end += count;
        return { metric, resolutionNs, read: () => (stretches ??= readStretches(columns, name, facts, from, count)) };
    };
    const layers = time?.['layers'].map((layer) => layerOf('heat', time, layer)) ?? [];
    end = 0;
    if (moments) layers.push(layerOf('moments', moments, { 'metric': moments['metric'], 'count': Infinity }));
    const heat = {
        isOfTime: time !== undefined,
        layers,
        gridNs,
        slotNs,
        slots,
        rows,
        /**
         * Counts are not known by time.
         * @param {number} number
         * @param {import('../model/heat.js').Metric} one
         * @param {string} text
         */
        part(number, { name, title, unit }, text) {
            const during = heat.spanOf(text);
            const layer = layers.find(({ metric }) => metric === number);
            if (!layer || !during) return null;
            const amounts = amountsDuring(layer.read(), gridNs, facts.count, during);
            return { name, title, unit, countName: null, totalCount: 0, count: null, during, ...amounts };
        },
        /** @param {string} text */
        spanOf: (text) => spanIn(text, slots * slotNs),
        /**
         * @param {import('../model/state.js').State} state
         * @param {import('../model/state.js').State} before
         * @param {import('../model/time.js').History | null} history
         */
        settle(state, before, history) {
            if (time || !history) return;
            const { bins } = history;
            const span = heat.spanOf(state.during);
            const at = (/** @type {number} */ ns) => bins.start[0] + ns / 1e6;
            if (state.during !== before.during)
                state.window = span && windowOfTime(bins, at(span.from), at(span.to));
            else if (!isSameWindow(state.window, before.window)) state.during = '';
        },
        /**
         * @param {import('../model/state.js').State} state
         * @param {import('../model/time.js').History | null} history
         */
        partOf({ during, window: part }, history) {
            if (during || time || !part || !history) return during;
            const { bins } = history;
            const known = knownBins(bins, part);
            if (!known) return '';
            const { from, to } = timesOf(bins, known);
            return spanText({ from: (from - bins.start[0]) * 1e6, to: (to - bins.start[0]) * 1e6 });
        },
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
 * @param {string} name
 * @param {Facts} facts
 * @param {number} from  the first of the layer
 * @param {number} many  that it has
 * @returns {HeatStretches}
 */
function readStretches(columns, name, facts, from, many) {
    const column = (/** @type {string} */ part) =>
        integers(need(columns, `${name}.${part}`)).subarray(from, from + many);
    const fact = column('fact');
    const start = signed(column('gap'));
    const length = column('length');
    const amount = name === 'heat' ? null : numbers(need(columns, 'moments.bytes'));
    const count = fact.length;
    if (start.length !== count || length.length !== count || (amount ?? fact).length !== count) throw wrong('damaged');
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
        latest[block] = Math.max(latest[block], now);
    }
    return { count, fact, start, length, amount, first: Uint32Array.from([...first, count]), latest };
}

/** Zigzag becomes numbers, which wrap in 32 bits until they are added up. @param {Uint32Array} values */
function signed(values) {
    for (let i = 0; i < values.length; i++) values[i] = (values[i] >>> 1) ^ -(values[i] & 1);
    return values;
}
