// SPDX-License-Identifier: Apache-2.0
/*
 * Time series for a lane. Coordinates: milliseconds since the epoch across, the unit of the series upwards; a view maps
 * both to pixels.
 */

/** @typedef {import('./profile.js').Series} Series */

/** Whether a series is the size of the heap. @param {{name: string}} series */
export const isHeap = ({ name }) => name === 'heap';

/**
 * The time that all lanes share: the run where its ends are known, and every point.
 * @param {Pick<import('./profile.js').Profile, 'series' | 'startMs' | 'endMs'>} profile
 * @returns {{from: number, to: number}}
 */
export function timeSpan({ series, startMs, endMs }) {
    const ends = series.filter((s) => s.at.length).flatMap((s) => [s.at[0], s.at[s.at.length - 1]]);
    const known = ends.concat(startMs ?? [], endMs ?? []);
    if (!known.length) return { from: 0, to: 1 };
    const from = Math.min(...known);
    return { from, to: Math.max(from + 1, ...known) };
}

/**
 * A series with added points at true heights that samples missed, or saw at another moment.
 * @param {Series} series
 * @param {ArrayLike<number>} times   ascending
 * @param {ArrayLike<number>} values
 * @returns {Series}
 */
export function withPeaks(series, times, values) {
    const places = Array.from(times, (ms) => pointAt(series, ms) + 1);
    const isThere = (/** @type {number} */ place, /** @type {number} */ i) =>
        place > 0 && series.at[place - 1] === times[i] && series.max[place - 1] >= values[i];
    const added = places.flatMap((place, i) => (isThere(place, i) ? [] : [{ place, i }]));
    if (!added.length) return series;
    const insert = (/** @type {Float64Array} */ column, /** @type {ArrayLike<number>} */ news) => {
        const all = new Float64Array(column.length + added.length);
        let from = 0;
        added.forEach(({ place, i }, before) => {
            all.set(column.subarray(from, place), from + before);
            all[place + before] = news[i];
            from = place;
        });
        all.set(column.subarray(from), from + added.length);
        return all;
    };
    const { at, min, mean, max } = series;
    return {
        ...series,
        at: insert(at, times),
        min: insert(min, values),
        mean: insert(mean, values),
        max: insert(max, values),
    };
}

/**
 * The last point at or before a moment, or -1.
 * @param {Series} series
 * @param {number} ms
 */
export const pointAt = ({ at }, ms) => lastBefore(at, ms);

/**
 * The last of ascending times that is not after a moment, or -1.
 * @param {Float64Array} at
 * @param {number} ms
 */
export function lastBefore(at, ms) {
    let low = -1;
    let high = at.length;
    while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (at[middle] <= ms) low = middle;
        else high = middle;
    }
    return low;
}

/**
 * The highest point, the first of several; -1 if none.
 * @param {Series} series
 */
export function highestPoint({ max }) {
    let best = max.length ? 0 : -1;
    for (let i = 1; i < max.length; i++) {
        if (max[i] > max[best]) best = i;
    }
    return best;
}

/**
 * A line for a lane of `columns` pixels: in each pixel that has points, the first, lowest, highest and last, so that no
 * spike is lost and no pixel is drawn twice.
 * @param {Series} series
 * @param {(ms: number) => number} toX
 * @returns {{x: number, value: number}[]}
 */
export function decimate({ at, min, max, mean }, toX) {
    const line = /** @type {{x: number, value: number}[]} */ ([]);
    for (let i = 0; i < at.length;) {
        const x = toX(at[i]);
        const pixel = Math.floor(x);
        const first = i;
        let low = min[i];
        let high = max[i];
        for (i++; i < at.length && Math.floor(toX(at[i])) === pixel; i++) {
            low = Math.min(low, min[i]);
            high = Math.max(high, max[i]);
        }
        if (i - first === 1 && low === high) {
            line.push({ x, value: mean[first] });
            continue;
        }
        const rises = mean[first] <= mean[i - 1];
        line.push(
            { x, value: mean[first] },
            { x, value: rises ? low : high },
            { x, value: rises ? high : low },
            { x, value: mean[i - 1] },
        );
    }
    return line;
}

/** 100 % in the unit of series: thousandths. */
const ALL_PERCENT = 100_000;
/** A measured share can be a little more than all: two clocks were read. */
const ROUGHLY = 1.05;

/**
 * A round number at or above the highest value: the top of a lane's scale. Bytes are rounded in binary units.
 * @param {number} value
 * @param {string} unit
 */
export function niceTop(value, unit) {
    if (value <= 0) return 1;
    const scale = unit.startsWith('bytes') ? 1024 ** Math.max(0, Math.floor(Math.log(value) / Math.log(1024))) : 1;
    const inUnit = value / scale;
    const power = 10 ** Math.floor(Math.log10(inUnit));
    const steps = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].map((step) => step * power * scale);
    const top = steps.find((step) => step >= value) ?? value;
    return unit === 'percent' && value <= ALL_PERCENT * ROUGHLY ? Math.min(top, ALL_PERCENT) : top;
}

/** Steps of a time axis that people count in, in ms. */
const TICKS_MS = [
    1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 10e3, 15e3, 30e3, 60e3, 120e3, 300e3, 600e3, 900e3, 1800e3,
    3600e3, 7200e3, 10800e3, 21600e3, 43200e3, 86400e3,
];

/**
 * The moments that the axis names, round ones since the start of the run, and the step between them.
 * @param {{from: number, to: number}} view  what the axis shows
 * @param {number} start  of the run
 * @param {number} most   how many labels have room
 * @returns {{at: number[], step: number}}
 */
export function ticksIn({ from, to }, start, most) {
    const length = to - from;
    const days = 86400e3 * Math.ceil(length / 86400e3 / most);
    const step = TICKS_MS.find((tick) => length / tick <= most) ?? days;
    const first = Math.ceil((from - start) / step);
    const last = Math.floor((to - start) / step);
    return { at: Array.from({ length: last - first + 1 }, (_, i) => start + (first + i) * step), step };
}
