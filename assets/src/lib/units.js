// SPDX-License-Identifier: Apache-2.0
/*
 * Numbers for people, each with its unit. The rules are those of render/words/units.c, so that a number reads the same
 * everywhere on the page (doc/formats/payload.md, "Numbers").
 */

/** @param {number} x */
const round = (x) => Math.floor(x + 0.5);

const MINUS = '\u2212';

/** @param {number} n */
export const count = (n) => (n < 0 ? MINUS : '') + String(round(Math.abs(n))).replace(/\B(?=(\d{3})+$)/g, ',');

/** @param {(value: number) => string} write  @returns {(value: number) => string} */
const signed = (write) => (value) => (value < 0 ? MINUS : '') + write(Math.abs(value));

/**
 * Three digits: two decimals while that rounds to less than 10, one while to less than 100, else none.
 * @param {number} x  not negative
 */
function threeDigits(x) {
    if (round(x * 100) < 1000) return fixed(x, 2);
    return round(x * 10) < 1000 ? fixed(x, 1) : count(x);
}

/** @param {number} x  @param {1 | 2} decimals */
function fixed(x, decimals) {
    const scale = 10 ** decimals;
    const scaled = round(x * scale);
    return `${count(Math.floor(scaled / scale))}.${String(scaled % scale).padStart(decimals, '0')}`;
}

/**
 * @param {number} n
 * @returns {string}
 */
export function bytes(n) {
    if (n < 0) return MINUS + bytes(-n);
    if (n < 1024) return `${count(n)} B`;
    const units = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
    let value = n / 1024;
    let unit = 0;
    for (; unit < units.length - 1 && round(value) >= 1024; unit++) value /= 1024;
    return `${threeDigits(value)} ${units[unit]}`;
}

/** Name, ns, and what it must round below. */
const DURATIONS = /** @type {const} */ ([
    ['ns', 1, 1000],
    ['\u00b5s', 1e3, 1000],
    ['ms', 1e6, 1000],
    ['s', 1e9, 60],
]);

/**
 * @param {number} ns
 * @returns {string}
 */
export function duration(ns) {
    if (ns < 0) return MINUS + duration(-ns);
    if (ns === 0) return '0 s';
    for (const [unit, scale, limit] of DURATIONS) {
        const value = ns / scale;
        const digits = value < 10 ? 100 : value < 100 ? 10 : 1;
        if (round(value * digits) / digits < limit)
            return `${unit === 'ns' ? count(value) : threeDigits(value)} ${unit}`;
    }
    const seconds = round(ns / 1e9);
    const minutes = Math.floor(seconds / 60);
    const hours = Math.floor(minutes / 60);
    if (hours >= 48) return `${Math.floor(hours / 24)} d ${two(hours % 24)} h`;
    return hours ? `${hours} h ${two(minutes % 60)} min` : `${minutes} min ${two(seconds % 60)} s`;
}

/** @param {number} n */
const two = (n) => String(n).padStart(2, '0');

/**
 * A moment of a run, as the time since its start.
 * @param {number} ms
 * @param {number} runMs  how long the run is
 */
export function moment(ms, runMs) {
    if (ms < 0 || runMs < 60_000) return duration(ms * 1e6);
    const seconds = Math.floor(ms / 1000);
    const minutes = Math.floor(seconds / 60);
    return runMs < 3_600_000
        ? `${minutes}:${two(seconds % 60)}`
        : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`;
}

/**
 * The same for a field: exact enough to show a step, "12.34 s", "3:38.2".
 * @param {number} ms
 * @param {number} runMs
 * @param {number} stepMs
 */
export function instant(ms, runMs, stepMs) {
    const digits = Math.max(0, Math.min(3, Math.ceil(3 - Math.log10(Math.max(1, stepMs)))));
    const scale = 10 ** digits;
    const parts = round((ms / 1000) * scale);
    const rest = digits ? `.${String(parts % scale).padStart(digits, '0')}` : '';
    const seconds = Math.floor(parts / scale);
    return runMs < 60_000 ? `${seconds}${rest} s` : `${moment(seconds * 1000, runMs)}${rest}`;
}

/**
 * @param {number} part
 * @param {number} whole
 */
export function percent(part, whole) {
    if (whole === 0) return '';
    const share = (100 * part) / whole;
    return part !== 0 && round(Math.abs(share) * 10) < 1 ? '< 0.1 %' : percentage(share);
}

/** One decimal; none where there is nothing to round: 0 % and 100 %. */
const percentage = signed((share) => `${share === 0 || share === 100 ? share : fixed(share, 1)} %`);

/** A change with its direction: "\u25b2 113 MiB". @param {number} change  @param {(value: number) => string} write */
export const arrow = (change, write) =>
    change === 0 ? '\u00b10' : `${change > 0 ? '\u25b2' : '\u25bc'} ${write(Math.abs(change))}`;

/** A change with its sign. @param {number} change  @param {(value: number) => string} write */
export const plus = (change, write) => (change > 0 ? '+' : '') + write(change);

/**
 * How much more or less, relative to before.
 * @param {number} before
 * @param {number} after
 */
export function growth(before, after) {
    if (before === after) return 'the same';
    if (before === 0) return 'new';
    if (after === 0) return 'gone';
    if (after / before >= 11) return `\u00d7 ${count(after / before)}`;
    const share = 100 * (after / before - 1);
    return round(Math.abs(share) * 10) < 1 ? '< 0.1 %' : plus(share, percentage);
}

/** A difference of percentages: "\u22121.2 points". @param {number} n */
export const points = (n) => (round(Math.abs(n) * 10) < 1 ? '0 points' : plus(n, writePoints));

const writePoints = signed((n) => `${fixed(n, 1)} points`);

/**
 * How values of a unit are written: short, and exactly for a hover.
 * @typedef {object} Format
 * @property {(value: number) => string} short
 * @property {(value: number) => string} exact
 */

/**
 * "1 allocation", "230 allocations".
 * @param {number} n
 * @param {string} nouns
 */
export const counted = (n, nouns) => `${count(n)} ${n === 1 ? nouns.replace(/(ss|ox|[nt]ch)es$|s$/, '$1') : nouns}`;

/**
 * The exact numbers of a share.
 * @param {Format} format
 * @param {number} part
 * @param {number} whole
 */
export const partOf = (format, part, whole) => `${format.exact(part)} of ${format.exact(whole)}`;

/** @param {number} ms */
export const exactMoment = (ms) => `${FORMATS.nanoseconds.exact(ms * 1e6)} after the start`;

/** @param {string} unit  @returns {Format} */
const plain = (unit) => ({ short: (n) => `${count(n)}${unit}`, exact: (n) => `${count(n)}${unit}` });

/** All digits of what counts in 10^-decimals. @param {number} n  @param {number} decimals */
function allDigits(n, decimals) {
    const scale = 10 ** decimals;
    const rest = String(Math.abs(n) % scale).padStart(decimals, '0');
    return `${n < 0 ? MINUS : ''}${count(Math.floor(Math.abs(n) / scale))}.${rest}`.replace(/\.?0+$/, '');
}

/** @type {Record<string, Format>} */
const FORMATS = {
    'bytes': { short: bytes, exact: (n) => `${count(n)} ${Math.abs(n) === 1 ? 'byte' : 'bytes'}` },
    nanoseconds: { short: duration, exact: (n) => `${allDigits(n, 9)} s` },
    bytes_per_second: { short: (n) => `${bytes(n)}/s`, exact: (n) => `${count(n)} bytes/s` },
    percent: { short: (n) => percentage(n / 1000), exact: (n) => `${allDigits(n, 3)} %` },
    cores: { short: signed((n) => `${threeDigits(n / 1000)} cores`), exact: (n) => `${allDigits(n, 3)} cores` },
    cycles: plain(' cycles'),
};

/**
 * Plain numbers that count in 10^-decimals.
 * @param {number} decimals
 * @returns {Format}
 */
function decimal(decimals) {
    const scale = 10 ** decimals;
    const exact = (/** @type {number} */ n) => allDigits(n, decimals);
    const short = signed((n) => (n / scale < 0.01 ? exact(n) : threeDigits(n / scale)));
    return { short, exact };
}

/**
 * @param {string} unit  of a metric or a series
 * @returns {Format}
 */
export function formatOf(unit) {
    const [, decimals = ''] = /^none\.([1-9])$/.exec(unit) ?? [];
    return decimals ? decimal(Number(decimals)) : (FORMATS[unit] ?? plain(''));
}
