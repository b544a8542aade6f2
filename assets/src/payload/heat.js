// SPDX-License-Identifier: Apache-2.0
/* The pack of the heat map. It is unpacked when the map is first drawn or a part of the run is first asked for. */
import { BLOCK, amountsDuring, spanIn, spanText } from '../model/heat.js';
import { isSameWindow, timesOf, windowOfTime } from '../model/time.js';
import { integers, need, numbers, wrong } from './unpack.js';

/** @typedef {import('../model/heat.js').Heat} Heat */
/** @typedef {import('../model/heat.js').HeatStretches} HeatStretches */
/** @typedef {import('../model/heat.js').Span} Span */
/** @typedef {import('../model/time.js').History} History */
/** @typedef {import('../model/profile.js').Facts} Facts */
/** @typedef {import('./unpack.js').LayerHead} LayerHead */
/**
 * @typedef {{'gridNs': number, 'slotNs': number, 'slots': number, 'rows': number, 'startMs'?: number,
 *     'time'?: {'resolutionNs': number,
 *     'layers': LayerHead[]}, 'moments'?: {'metric': number, 'resolutionNs': number}}} HeatHead
 */

/** Bins of a run whose heap was not recorded: at most as many, of whole cells. */
const MOST_BINS = 512;

/**
 * A window on the timeline is of bins. Where the heap has none, they are these: nothing was recorded for them.
 * @param {Span} run  ms
 * @param {number} cellMs
 * @returns {History}
 */
function binsOfRun({ from, to }, cellMs) {
    const width = cellMs * Math.ceil((to - from) / cellMs / MOST_BINS);
    const count = Math.ceil((to - from) / width);
    const start = Float64Array.from({ length: count }, (_, i) => from + i * width);
    const end = start.map((ms) => Math.min(ms + width, to));
    const none = { first: new Uint32Array(1), bytes: start, count: start };
    const steps = { ...none, bin: none.first };
    const moves = { ...none, from: none.first, to: none.first };
    return { bins: { count, start, end, peak: new Float64Array(count), peakMs: end }, recorded: count, steps, moves };
}

/**
 * @param {import('./unpack.js').Pack} pack
 * @param {Facts} facts
 * @param {Span} run  ms, as the timeline shows it
 * @returns {Heat}
 */
export function readHeat({ head, columns }, facts, run) {
    const { 'gridNs': gridNs, 'slotNs': slotNs, 'slots': slots, 'rows': rows, 'startMs': startMs, 'time': time,
        'moments': moments } = /** @type {HeatHead} */ (/** @type {unknown} */ (head));
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
        isApart: startMs === undefined,
        history: startMs === undefined || run.to <= run.from ? null : binsOfRun(run, slotNs / 1e6),
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
            if (startMs === undefined || !history) return;
            const span = heat.spanOf(state.during);
            const at = (/** @type {number} */ ns) => startMs + ns / 1e6;
            if (state.during !== before.during)
                state.window = span && windowOfTime(history.bins, at(span.from), at(span.to));
            else if (!isSameWindow(state.window, before.window)) state.during = '';
        },
        /**
         * @param {string} during
         * @param {import('../model/time.js').Window | null} part
         * @param {import('../model/time.js').History | null} history
         */
        partOf(during, part, history) {
            if (during || startMs === undefined || !part || !history) return during;
            const { from, to } = timesOf(history.bins, part);
            return spanText({ from: (from - startMs) * 1e6, to: (to - startMs) * 1e6 });
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
