// SPDX-License-Identifier: Apache-2.0
/* Amounts in fields. */

/**
 * A time since the start as people type it: "2:22", "1:02:03.5", "12.3 s", "90". In ms; null if it is not one.
 * @param {string} typed
 */
export function parseMoment(typed) {
    const clock = /^(?:(\d+):)?(\d+):(\d{1,2}(?:\.\d*)?)$/.exec(typed.trim());
    if (clock) return ((Number(clock[1] ?? 0) * 60 + Number(clock[2])) * 60 + Number(clock[3])) * 1000;
    const ns = /\d/.test(typed) ? parseAmount(typed, 'nanoseconds') : null;
    return ns === null ? null : ns / 1e6;
}

/**
 * An amount as people type it: "10", "1.5 MiB", "200 ms". Null if it is not one.
 * @param {string} typed
 * @param {string} unit  of the metric; '' = a count
 */
export function parseAmount(typed, unit) {
    const match = /^([\d.,]*)\s*([a-z\u00b5]*)$/i.exec(typed.trim());
    const scales = /** @type {Record<string, Record<string, number>>} */ ({
        'bytes': { '': 1, b: 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40 },
        nanoseconds: { '': 1e9, s: 1e9, ms: 1e6, us: 1e3, '\u00b5s': 1e3, ns: 1, min: 60e9, h: 3600e9 },
    })[unit] ?? { '': 1 };
    if (!match) return null;
    const word = match[2].toLowerCase();
    const scale = scales[word] ?? scales[word.replace(/i?b$/, '')];
    const number = Number(match[1].replace(/,/g, ''));
    return scale === undefined || Number.isNaN(number) ? null : number * scale;
}
