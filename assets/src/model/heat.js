// SPDX-License-Identifier: Apache-2.0
/*
 * The heat map of time: a run in cells of 20 ms, fifty to a column, and what ran or was allocated in any part of it.
 * Stretches are on a grid, as the program wrote them: of time, or, each a step long, of
 * allocations; in order of thread and start. A window is in nanoseconds since the first of them.
 */
import { SECONDS } from './state.js';

/**
 * @typedef {object} HeatStretches
 * @property {number} count
 * @property {Uint32Array} fact
 * @property {Uint32Array} start   in steps of the grid
 * @property {Uint32Array} length  the same
 * @property {Float64Array | null} amount  of allocations, bytes
 * @property {Uint32Array} first   [thread + 1] those of each thread that has some
 * @property {Uint32Array} latest  [block] the latest end in it
 */

/**
 * What a map shows: time, or allocations.
 * @typedef {object} HeatLayer
 * @property {number} metric  whose values the lengths or amounts are
 * @property {number} resolutionNs  0, or: what is shorter is not distinguished
 * @property {() => HeatStretches} read  decodes them when they are first asked for
 */

/**
 * @typedef {object} Heat
 * @property {boolean} isApart  its 0 s is the first sample, as the run's clock is not theirs; or where the run begins
 * @property {History | null} history  bins for windows, where the heap has none
 * @property {HeatLayer[]} layers  at least one, time first
 * @property {number} gridNs
 * @property {number} slotNs  a cell
 * @property {number} slots
 * @property {number} rows    cells of a column
 * @property {(number: number, metric: Metric, text: string) => Metric | null} part  a metric in a part of the time, as
 *     an address has it; null: not that one
 * @property {(text: string) => Span | null} spanOf  of what an address has; null = all of the time
 * @property {(state: State, before: State, history: History | null) => void} settle  where time begins with that of
 *     the bins, the part that was chosen last is that of both
 * @property {(during: string, window: Window | null, history: History | null) => string} partOf  what is chosen, as an
 *     address has it
 * @property {(text: string) => string} seconds  what an address has, within the run; '' = no part of it
 */

/** @typedef {import('./profile.js').Metric} Metric */
/** @typedef {import('./state.js').State} State */
/** @typedef {import('./time.js').History} History */
/** @typedef {import('./time.js').Window} Window */
/** A part of the run. @typedef {{from: number, to: number}} Span  ns */

/** Stretches of a block are looked at together. */
export const BLOCK = 256;

/** A part as an address has it. @param {Span} span */
export const spanText = ({ from, to }) => `${from / 1e9}-${to / 1e9}`;

/** The part of the time that an address means; null = none. @param {string} text @param {number} endNs */
export function spanIn(text, endNs) {
    const [, start, stop] = (SECONDS.exec(text) ?? []).map(Number);
    const span = { from: Math.round(start * 1e9), to: Math.min(Math.round(stop * 1e9), endNs) };
    return span.from < span.to ? span : null;
}

/**
 * How long each fact ran in a part of the run, or what it allocated.
 * @param {HeatStretches} stretches
 * @param {number} gridNs
 * @param {number} facts
 * @param {Span} span
 */
export function amountsDuring({ fact, start, length, amount, first, latest }, gridNs, facts, span) {
    const value = new Float64Array(facts);
    const scale = amount ? 1 : gridNs;
    const [from, to] = [span.from / gridNs, span.to / gridNs];
    const weight = amount ?? length;
    for (let thread = 0; thread + 1 < first.length; thread++) {
        const end = first[thread + 1];
        for (let i = first[thread]; i < end && start[i] < to; ) {
            const stop = Math.min(end, i - (i % BLOCK) + BLOCK);
            const last = latest[Math.floor(i / BLOCK)];
            if (last <= from) i = stop;
            // Most blocks of a wide window are in it as a whole: the ends of their stretches are not looked at.
            else if (start[i] >= from && last <= to) for (; i < stop; i++) value[fact[i]] += weight[i];
            else
                for (; i < stop; i++) {
                    const part = Math.min(to, start[i] + length[i]) - Math.max(from, start[i]);
                    if (part > 0) value[fact[i]] += amount ? amount[i] : part;
                }
        }
    }
    let total = 0;
    for (let i = 0; i < facts; i++) total += value[i] *= scale;
    return { value, total };
}

/**
 * What ran in each cell, in ns, or what was allocated: of all threads together.
 * @param {Heat} heat
 * @param {HeatStretches} stretches
 * @param {Uint8Array | null} wanted  by fact; null = all
 */
export function cellsOf({ gridNs, slotNs, slots }, { count, fact, start, length, amount }, wanted) {
    const per = slotNs / gridNs;
    const cells = new Float64Array(slots);
    // What covers whole cells is added up at its ends: a long call costs no more than a short one.
    const whole = new Float64Array(slots + 1);
    for (let i = 0; i < count; i++) {
        if (wanted && !wanted[fact[i]]) continue;
        const from = start[i];
        const to = from + length[i];
        const first = Math.floor(from / per);
        const last = Math.min(slots - 1, Math.floor(to / per));
        if (amount) cells[first] += amount[i];
        else if (first === last) cells[first] += length[i];
        else {
            cells[first] += (first + 1) * per - from;
            cells[last] += Math.min(per, to - last * per);
            whole[first + 1] += per;
            whole[last] -= per;
        }
    }
    for (let i = 0, sum = 0; i < slots; i++) {
        sum += whole[i];
        cells[i] = (cells[i] + sum) * (amount ? 1 : gridNs);
    }
    return cells;
}

/**
 * The same in fewer, wider cells.
 * @param {Float64Array} cells
 * @param {number} many  of them that become one
 */
export function widerCells(cells, many) {
    const wide = new Float64Array(Math.ceil(cells.length / many));
    for (let i = 0; i < cells.length; i++) wide[Math.floor(i / many)] += cells[i];
    return wide;
}
