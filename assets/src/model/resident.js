// SPDX-License-Identifier: Apache-2.0
/*
 * What resident memory consists of, stacked on the heap: as pr_resident_at() in profrender/resident.h has it, of what
 * the lane of memory shows at the same moment, so that the heap and the parts add up to RSS there.
 */
import { pointAt, withPeaks } from './series.js';

/** @typedef {import('./profile.js').Series} Series */

/** From the heap up: name, and what it means. */
const PARTS = /** @type {const} */ ([
    ['freed', 'at most: what the heap has freed since and may still be resident'],
    ['base', 'resident besides the heap when both were first sampled'],
    ['rest', 'stacks, and what the tracker does not see'],
    ['files', 'pages of files, shared memory'],
]);

/** @param {Series[]} all @param {string} name */
const find = (all, name) => all.find((series) => series.name === name && series.at.length);

/**
 * The series of a run, where RSS has the samples of the captured process too, if it was the only one; what is in
 * the bands is not among them. Bands come last, those that have anything, all at the same moments.
 * @param {Series[]} all
 * @returns {Series[]}
 */
export function splitResident(all) {
    const captured = find(all, 'rss_captured');
    const heap = find(all.filter(({ lane }) => lane), 'heap'); // device memory has a lane of its own
    const files = find(all, 'rss_file');
    const shared = find(all, 'rss_shmem');
    const sampled = find(all, 'rss');
    const isOne = !find(all, 'processes')?.max.some((count) => count > 1);
    // Of several processes, resident memory is that of all, and the heap that of one.
    if (!sampled || !(heap || files) || (heap && !isOne)) return all;
    const rss = captured ? withPeaks(sampled, captured.at, captured.max) : sampled;
    const moments = [...rss.at, ...(heap?.at ?? [])].sort((a, b) => a - b);
    /** Not a number: it is not known yet. */
    const valueAt = (/** @type {Series | undefined} */ series, /** @type {number} */ ms) =>
        series ? series.max[pointAt(series, ms)] : 0;
    const at = /** @type {number[]} */ ([]);
    const bytes = /** @type {number[][]} */ (PARTS.map(() => []));
    let highest = 0;
    let base = -1;
    for (const ms of moments) {
        const held = valueAt(heap, ms);
        const paged = valueAt(files, ms) + valueAt(shared, ms);
        let left = valueAt(rss, ms);
        if (!(left + held + paged >= 0)) continue;
        const take = (/** @type {number} */ wanted) => {
            const part = Math.min(left, wanted);
            left -= part;
            return part;
        };
        const ofFiles = take(paged);
        take(held);
        highest = Math.max(highest, held);
        if (base < 0) base = heap ? left : 0;
        const ofBase = take(base);
        [take(highest - held), ofBase, left, ofFiles].forEach((value, part) => bytes[part].push(value));
        at.push(ms);
    }
    const bands = PARTS.flatMap(([name, note], part) => {
        const max = Float64Array.from(bytes[part]);
        const isOwn = !heap && name === 'rest';
        const title = isOwn ? 'own' : name;
        const words = { name, title, short: title, note: isOwn ? 'neither files nor shared' : note };
        const found = { ...rss, ...words, isBand: true, at: Float64Array.from(at), min: max, mean: max, max };
        return max.some(Boolean) ? found : [];
    });
    const others = all.filter(({ name }) => !/^rss_(captured|file|anon|shmem)$/.test(name));
    return others.map((series) => (series === sampled ? rss : series)).concat(bands);
}
