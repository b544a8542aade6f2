// SPDX-License-Identifier: Apache-2.0
/*
 * The profile, read from the columns of the data island (doc/formats/payload.md). What is only needed later, in a
 * window or in another tab, is decoded when it is first asked for.
 *
 * The program is trusted to have written the payload; a browser extension or an editor is not trusted to have left it
 * intact. What does not add up is an Error, and the page stays static.
 */
import { NO_THREAD, stringAt, subtreeEnds } from '../model/profile.js';
import { isHeap, timeSpan, withPeaks } from '../model/series.js';
import { readChanges, readHistory } from './history.js';
import { bytesOfBase64, integers, need, numbers, unpack, wrong } from './unpack.js';

/** @typedef {import('./unpack.js').Column} Column */
/** @typedef {import('./unpack.js').Head} Head */

/**
 * Of what ran when: in pages of profiles that know it.
 * @typedef {object} Readers
 * @property {typeof import('./order.js').readTimeOrder} [order]
 * @property {typeof import('./heat.js').readHeat} [heat]
 * @property {(columns: Map<string, Column>) => ArrayLike<number> | undefined} [whole]  of a large page
 */

/**
 * @param {string} text  of the data island
 * @param {Readers} [readers]  where the page has them
 * @returns {import('../model/profile.js').Profile}
 */
export const decodePayload = (text, readers) =>
    readProfile(
        text.split(' ').map((pack) => () => unpack(bytesOfBase64(pack))),
        readers,
    );

/**
 * @param {(() => import('./unpack.js').Pack)[]} packs
 * @param {Readers} [readers]
 * @returns {import('../model/profile.js').Profile}
 */
export function readProfile(packs, readers) {
    // The heat map is the last of an even number: the others are one or three.
    const heat = packs.length % 2 ? undefined : packs.pop();
    const [profile, bins, changes] = packs;
    const { head, columns } = profile();
    if (bins) bins().columns.forEach((column, name) => columns.set(name, column));
    /** What facts have in the bins: half of the data of a large run, and not needed before the first window. */
    const columnsInTime = () => (changes ? changes().columns : columns);
    const strings = readStrings(columns, 'strings');
    const tree = readTree(columns, head['nodeCount']);
    const frames = readFrames(columns);
    const facts = readFacts(columns);
    const series = readSeries(head, columns);
    const history = readHistory(head, columns, series, () => readChanges(columnsInTime(), facts.count));
    const span = timeSpan({ series, startMs: head['startMs'], endMs: head['endMs'] });
    if (history) history.bins.run = span;
    const map = heat && readers?.heat?.(heat(), facts, span);
    return {
        whole: readers?.whole?.(columns),
        rootLabel: head['rootLabel'],
        folded: head['folded'],
        startMs: head['startMs'],
        endMs: head['endMs'],
        strings,
        packages: columns.has('packages.length') ? readStrings(columns, 'packages') : NO_STRINGS,
        frames,
        tree,
        facts,
        metrics: head['metrics'].map((metric, i) =>
            readMetric(metric, columns.get(`metric.${i}.value`), columns.get(`metric.${i}.count`)),
        ),
        exact: readExact(head, columns),
        threads: threadNames(head, strings),
        allocators: head['allocators'],
        heapPeak: head['heapPeak'],
        phases: (head['phases'] ?? []).map((phase) => ({
            name: stringAt(strings, phase['name']),
            from: phase['from'],
            to: phase['to'],
        })),
        failure: head['failure'] === undefined ? null : stringAt(strings, head['failure']),
        series: history
            ? series.map((s) => (isHeap(s) ? withPeaks(s, history.bins.peakMs, history.bins.peak) : s))
            : series,
        history: history ?? map?.history ?? null,
        time: readers?.order?.(head, columns, facts) ?? null,
        heat: map ?? null,
    };
}

/** Of a card from before there were packages, which may be met for a difference. */
const NO_STRINGS = { text: '', at: new Uint32Array(2) };

/** @param {Map<string, Column>} columns @param {string} name @param {number} count  of zeros without the column */
const integersOr = (columns, name, count) =>
    columns.has(name) ? integers(need(columns, name)) : new Uint32Array(count);

/**
 * @param {Map<string, Column>} columns
 * @param {'strings' | 'packages'} which
 * @returns {import('../model/profile.js').Strings}
 */
function readStrings(columns, which) {
    const lengths = integers(need(columns, `${which}.length`));
    const { bytes } = need(columns, `${which}.bytes`);
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
    const at = new Uint32Array(lengths.length + 1);
    let units = 0;
    let next = 0;
    for (let i = 0, pos = 0; i < lengths.length; i++) {
        for (next += lengths[i]; pos < next; pos++) units += utf16Units(bytes[pos]);
        at[i + 1] = units;
    }
    if (next !== bytes.length || units !== text.length) throw wrong('damaged');
    return { text, at };
}

/**
 * How many UTF-16 units begin with this UTF-8 byte.
 * @param {number} byte
 */
function utf16Units(byte) {
    return (byte & 0xc0) === 0x80 ? 0 : byte >= 0xf0 ? 2 : 1;
}

/**
 * @param {Map<string, Column>} columns
 * @returns {import('../model/profile.js').Frames}
 */
function readFrames(columns) {
    const names = integers(need(columns, 'frames.function'));
    return {
        count: names.length,
        function: names,
        file: integers(need(columns, 'frames.file')),
        line: integers(need(columns, 'frames.line')),
        begin: integersOr(columns, 'frames.begin', names.length),
        shown: integersOr(columns, 'frames.shown', 0),
        kind: need(columns, 'frames.kind').bytes,
        package: integersOr(columns, 'frames.package', names.length),
    };
}

/**
 * @param {Map<string, Column>} columns
 * @param {number} count
 * @returns {import('../model/profile.js').Tree}
 */
function readTree(columns, count) {
    const parent = new Uint32Array(count);
    const frame = new Uint32Array(count);
    const smaller = new Uint32Array(count);
    integers(need(columns, 'nodes.up'), parent.subarray(1));
    for (let n = 1; n < count; n++) parent[n] = n - parent[n];
    integers(need(columns, 'nodes.frame'), frame.subarray(1));
    if (columns.has('folded.node')) {
        const many = integers(need(columns, 'folded.count'));
        integers(need(columns, 'folded.node')).forEach((n, i) => {
            smaller[n] = many[i];
        });
    }
    return { count, parent, frame, smaller, end: subtreeEnds(parent) };
}

/**
 * @param {Map<string, Column>} columns
 * @returns {import('../model/profile.js').Facts}
 */
function readFacts(columns) {
    const leaf = integers(need(columns, 'facts.leaf'));
    /** @type {Uint32Array | undefined} */
    let thread;
    return {
        count: leaf.length,
        leaf,
        get thread() {
            return (thread ??= integers(need(columns, 'facts.thread')));
        },
        allocator: columns.get('facts.allocator')?.bytes ?? null,
    };
}

/**
 * The series; samples of the heap miss what is between them, but its highest point is known.
 * @param {Head} head
 * @param {Map<string, Column>} columns
 * @returns {import('../model/profile.js').Series[]}
 */
function readSeries({ 'series': series, 'heapPeak': heapPeak }, columns) {
    return series.map((one, i) => {
        const read = {
            name: one['name'],
            title: one['title'],
            unit: one['unit'],
            lane: one['lane'],
            short: one['short'],
            note: one['note'] ?? '',
            limit: one['limit'],
            quiet: one['quiet'],
            unknownFrom: one['unknownFrom'],
            at: numbers(need(columns, `series.${i}.at`)),
            min: numbers(need(columns, `series.${i}.min`)),
            mean: numbers(need(columns, `series.${i}.mean`)),
            max: numbers(need(columns, `series.${i}.max`)),
        };
        return isHeap(read) && heapPeak ? withPeaks(read, [heapPeak.atMs], [heapPeak.value]) : read;
    });
}

/**
 * The figures of functions from the file itself; null if the tree is not an estimate.
 * @param {Head} head
 * @param {Map<string, Column>} columns
 * @returns {import('../model/exact.js').Exact | null}
 */
function readExact({ 'metrics': metrics }, columns) {
    if (!columns.has('exact.frame')) return null;
    const figures = (/** @type {number} */ i, /** @type {string} */ what) =>
        numbers(need(columns, `exact.${i}.${what}`));
    return {
        frame: integers(need(columns, 'exact.frame')),
        thread: integers(need(columns, 'exact.thread')),
        of: metrics.map((_, i) =>
            columns.has(`exact.${i}.self`)
                ? {
                      self: figures(i, 'self'),
                      total: figures(i, 'total'),
                      selfCount: figures(i, 'selfCount'),
                      totalCount: figures(i, 'totalCount'),
                  }
                : null,
        ),
    };
}

/**
 * A metric, whose columns are decoded when its tab is opened.
 * @param {import('./unpack.js').MetricHead} metric
 * @param {Column | undefined} values
 * @param {Column | undefined} counts
 * @returns {import('../model/profile.js').Metric}
 */
function readMetric(metric, values, counts) {
    /** @type {Float64Array | undefined} */
    let value;
    /** @type {Float64Array | null | undefined} */
    let count;
    return {
        name: metric['name'],
        title: metric['title'],
        unit: metric['unit'],
        countName: metric['countName'],
        total: metric['total'],
        totalCount: metric['totalCount'],
        allocators: metric['allocators'],
        base: metric['base'],
        get value() {
            if (!values) throw wrong(`no ${metric['name']}`);
            return (value ??= numbers(values));
        },
        get count() {
            return (count ??= counts ? numbers(counts) : null);
        },
    };
}

/**
 * @param {Head} head
 * @param {import('../model/profile.js').Strings} strings
 */
function threadNames(head, strings) {
    const several = head['processes'].length > 1;
    return head['threads'].map(({ 'tid': tid, 'name': name, 'process': process }) => {
        const own = stringAt(strings, name) || (tid === '0' ? NO_THREAD : `thread ${tid}`);
        return several ? `process ${head['processes'][process]['pid']}, ${own}` : own;
    });
}
