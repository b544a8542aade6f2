// SPDX-License-Identifier: Apache-2.0
/*
 * The data island of the card, decoded: packs of base64, zstd, a JSON head, columns. No other module knows the
 * encoding; it is written down in doc/formats/payload.md.
 *
 * The program is trusted to have written the payload, a browser extension or an editor is not trusted to have left it
 * whole: what does not add up is an Error, and the page stays the static one.
 */
import { decompress } from 'fzstd';
import { stringAt, subtreeEnds } from './model/profile.js';
import { withPeaks } from './model/series.js';
import { NEVER, peakTimes } from './model/time.js';

const VERSION = 2;

/** @param {string} what */
const wrong = (what) => new Error(`the data of this page: ${what}`);

/**
 * @typedef {object} Column
 * @property {string} type
 * @property {number} count
 * @property {Uint8Array} bytes
 */

/**
 * @typedef {Omit<import('./model/profile.js').Metric, 'value' | 'count'>} MetricHead
 *
 * @typedef {object} Head
 * @property {number} version
 * @property {[string, string, number, number][]} columns
 * @property {MetricHead[]} metrics
 * @property {{tid: string, name: number, process: number}[]} threads
 * @property {{pid: string, name: number}[]} processes
 * @property {string[]} allocators
 * @property {{name: string, title: string, unit: string, note?: string, limit?: number,
 *     quiet?: boolean, unknownFrom?: number}[]} series
 * @property {number | null} startMs
 * @property {number | null} endMs
 * @property {{value: number, atMs: number} | null} heapPeak
 * @property {number} [binsRecorded]
 * @property {{metric: number, resolutionNs: number}} [time]
 * @property {number} nodeCount
 * @property {string} rootLabel
 * @property {boolean} folded
 */

/**
 * @param {string} text  of the data island
 * @returns {import('./model/profile.js').Profile}
 */
export function decodePayload(text) {
    const [profile, bins, changes] = text.trim().split(' ');
    const { head, columns } = unpack(profile);
    if (bins) unpack(bins).columns.forEach((column, name) => columns.set(name, column));
    /** What facts have in the bins: half of the data of a large run, and not needed before the first window. */
    const columnsInTime = () => (changes ? unpack(changes).columns : columns);
    const strings = readStrings(columns);
    const tree = readTree(columns, head.nodeCount);
    const frames = readFrames(columns);
    const facts = readFacts(columns);
    const series = readSeries(head, columns);
    const history = readHistory(head, columns, series, () => readChanges(columnsInTime(), facts.count));
    return {
        rootLabel: head.rootLabel,
        folded: head.folded,
        startMs: head.startMs,
        endMs: head.endMs,
        strings,
        frames,
        tree,
        facts,
        metrics: head.metrics.map((metric, i) =>
            readMetric(metric, columns.get(`metric.${i}.value`), columns.get(`metric.${i}.count`)),
        ),
        exact: readExact(head, columns),
        threads: threadNames(head, strings),
        allocators: head.allocators,
        heapPeak: head.heapPeak,
        series: history
            ? series.map((s) => (isHeap(s) ? withPeaks(s, history.bins.peakMs, history.bins.peak) : s))
            : series,
        history,
        time: readTimeOrder(head, columns, facts),
    };
}

/**
 * The island of sources: JSON, packed as the other one.
 * @param {string} base64
 * @returns {import('./model/source.js').Sources}
 */
export const decodeSources = (base64) => JSON.parse(new TextDecoder().decode(decompress(bytesOfBase64(base64.trim()))));

/**
 * @param {string} text
 * @returns {Uint8Array}
 */
function bytesOfBase64(text) {
    const native = /** @type {{fromBase64?: (text: string) => Uint8Array}} */ (/** @type {unknown} */ (Uint8Array))
        .fromBase64;
    if (native) return native(text);
    const binary = atob(text);
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
    return bytes;
}

/**
 * @param {string} base64
 * @returns {{head: Head, columns: Map<string, Column>}}
 */
function unpack(base64) {
    const bytes = decompress(bytesOfBase64(base64));
    const headBytes = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
    const head = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + headBytes)));
    if (head.version !== VERSION)
        throw wrong(`version ${head.version} in the place of ${VERSION}`);
    const columns = new Map();
    let at = 4 + headBytes;
    for (const [name, type, count, size] of head.columns) {
        columns.set(name, { type, count, bytes: bytes.subarray(at, at + size) });
        at += size;
    }
    if (at !== bytes.length) throw wrong(`${bytes.length} bytes in the place of ${at}`);
    return { head, columns };
}

/**
 * @param {Map<string, Column>} columns
 * @param {string} name
 */
function need(columns, name) {
    const column = columns.get(name);
    if (!column) throw wrong(`no ${name}`);
    return column;
}

/**
 * A column of numbers below 2^32.
 * @param {Column} column
 * @returns {Uint32Array}
 */
function integers({ type, count, bytes }) {
    const out = new Uint32Array(count);
    let at = 0;
    let before = 0;
    for (let i = 0; i < count; i++) {
        let byte = bytes[at++];
        let value = byte & 0x7f;
        let shift = 7;
        for (; byte & 0x80; shift += 7) {
            byte = bytes[at++];
            value |= (byte & 0x7f) << shift;
        }
        out[i] = before = type === 'dv' ? before + ((value >>> 1) ^ -(value & 1)) : value;
    }
    return checked(out, at, bytes);
}

/**
 * A column of any numbers; those beyond 2^53 lose their last bits.
 * @param {Column} column
 * @returns {Float64Array}
 */
function numbers({ type, count, bytes }) {
    const out = new Float64Array(count);
    const signed = type !== 'uv';
    let at = 0;
    let before = 0;
    for (let i = 0; i < count; i++) {
        let byte = bytes[at++];
        let value = byte & 0x7f;
        let scale = 128;
        for (; byte & 0x80; scale *= 128) {
            byte = bytes[at++];
            value += (byte & 0x7f) * scale;
        }
        if (signed) value = value % 2 === 0 ? value / 2 : -(value + 1) / 2;
        out[i] = before = type === 'dv' ? before + value : value;
    }
    return checked(out, at, bytes);
}

/**
 * @template T
 * @param {T} out
 * @param {number} used
 * @param {Uint8Array} bytes
 * @returns {T}
 */
function checked(out, used, bytes) {
    if (used !== bytes.length) throw wrong('a column is damaged');
    return out;
}

/**
 * @param {Map<string, Column>} columns
 * @returns {import('./model/profile.js').Strings}
 */
function readStrings(columns) {
    const lengths = integers(need(columns, 'strings.length'));
    const { bytes } = need(columns, 'strings.bytes');
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
    const at = new Uint32Array(lengths.length + 1);
    let units = 0;
    let next = 0;
    for (let i = 0, pos = 0; i < lengths.length; i++) {
        for (next += lengths[i]; pos < next; pos++) units += utf16Units(bytes[pos]);
        at[i + 1] = units;
    }
    if (next !== bytes.length || units !== text.length) throw wrong('names are damaged');
    return { text, at };
}

/**
 * How many UTF-16 units begin with this byte of UTF-8.
 * @param {number} byte
 */
function utf16Units(byte) {
    return (byte & 0xc0) === 0x80 ? 0 : byte >= 0xf0 ? 2 : 1;
}

/**
 * @param {Map<string, Column>} columns
 * @returns {import('./model/profile.js').Frames}
 */
function readFrames(columns) {
    const names = integers(need(columns, 'frames.function'));
    return {
        count: names.length,
        function: names,
        file: integers(need(columns, 'frames.file')),
        line: integers(need(columns, 'frames.line')),
        kind: need(columns, 'frames.kind').bytes,
    };
}

/**
 * @param {Map<string, Column>} columns
 * @param {number} count
 * @returns {import('./model/profile.js').Tree}
 */
function readTree(columns, count) {
    const parent = new Uint32Array(count);
    const frame = new Uint32Array(count);
    const smaller = new Uint32Array(count);
    const up = integers(need(columns, 'nodes.up'));
    for (let n = 1; n < count; n++) parent[n] = n - up[n - 1];
    frame.set(integers(need(columns, 'nodes.frame')), 1);
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
 * @returns {import('./model/profile.js').Facts}
 */
function readFacts(columns) {
    const leaf = integers(need(columns, 'facts.leaf'));
    return {
        count: leaf.length,
        leaf,
        thread: integers(need(columns, 'facts.thread')),
        allocator: columns.get('facts.allocator')?.bytes ?? null,
    };
}

/** @param {{name: string}} series */
const isHeap = ({ name }) => name === 'heap';

/**
 * The series; samples of the heap miss what lies between them, its highest point is known.
 * @param {Head} head
 * @param {Map<string, Column>} columns
 * @returns {import('./model/profile.js').Series[]}
 */
function readSeries({ series, heapPeak }, columns) {
    return series.map((one, i) => {
        const read = {
            ...one,
            note: one.note ?? '',
            at: numbers(need(columns, `series.${i}.at`)),
            min: numbers(need(columns, `series.${i}.min`)),
            mean: numbers(need(columns, `series.${i}.mean`)),
            max: numbers(need(columns, `series.${i}.max`)),
        };
        return isHeap(one) && heapPeak ? withPeaks(read, [heapPeak.atMs], [heapPeak.value]) : read;
    });
}

/**
 * The time bins; what facts have in them is decoded when the first window is chosen.
 * @param {Head} head
 * @param {Map<string, Column>} columns
 * @param {import('./model/profile.js').Series[]} series
 * @param {() => ReturnType<typeof readChanges>} read
 * @returns {import('./model/time.js').History | null}
 */
function readHistory({ binsRecorded, heapPeak }, columns, series, read) {
    if (!columns.has('bins.start')) return null;
    const start = numbers(need(columns, 'bins.start'));
    const spans = {
        count: start.length,
        start,
        end: numbers(need(columns, 'bins.end')),
        peak: numbers(need(columns, 'bins.peak')),
    };
    /** @type {ReturnType<typeof readChanges> | undefined} */
    let changes;
    return {
        bins: { ...spans, peakMs: peakTimes(spans, series.find(isHeap), heapPeak) },
        recorded: binsRecorded ?? start.length,
        get steps() {
            return (changes ??= read()).steps;
        },
        get moves() {
            return (changes ??= read()).moves;
        },
    };
}

/**
 * @param {Map<string, Column>} columns
 * @param {number} facts
 */
const readChanges = (columns, facts) => ({ steps: readSteps(columns, facts), moves: readMoves(columns, facts) });

/**
 * @param {Map<string, Column>} columns
 * @param {number} facts
 * @returns {import('./model/time.js').Steps}
 */
function readSteps(columns, facts) {
    const first = firstOf(need(columns, 'steps.count'), facts);
    const bin = integers(need(columns, 'steps.bin'));
    const bytes = numbers(need(columns, 'steps.bytes'));
    const count = numbers(need(columns, 'steps.allocations'));
    for (const column of [bin, bytes, count]) sumWithin(first, column);
    return { first, bin, bytes, count };
}

/**
 * @param {Map<string, Column>} columns
 * @param {number} facts
 * @returns {import('./model/time.js').Moves}
 */
function readMoves(columns, facts) {
    const first = firstOf(need(columns, 'moves.count'), facts);
    const from = integers(need(columns, 'moves.from'));
    const to = integers(need(columns, 'moves.to'));
    sumWithin(first, from);
    for (let i = 0; i < to.length; i++) to[i] = to[i] ? from[i] + to[i] : NEVER;
    return {
        first,
        from,
        to,
        bytes: numbers(need(columns, 'moves.bytes')),
        count: numbers(need(columns, 'moves.allocations')),
    };
}

/**
 * Where the rows of each fact begin.
 * @param {Column} counts
 * @param {number} facts
 */
function firstOf(counts, facts) {
    const many = integers(counts);
    const first = new Uint32Array(facts + 1);
    if (many.length !== facts) throw wrong('the history is damaged');
    for (let fact = 0; fact < facts; fact++) first[fact + 1] = first[fact] + many[fact];
    return first;
}

/**
 * Differences become values, from the first row of each fact on.
 * @param {Uint32Array} first
 * @param {Uint32Array | Float64Array} column
 */
function sumWithin(first, column) {
    if (column.length !== first[first.length - 1]) throw wrong('the history is damaged');
    for (let fact = 0; fact + 1 < first.length; fact++) {
        for (let i = first[fact] + 1; i < first[fact + 1]; i++) column[i] += column[i - 1];
    }
}

/**
 * The figures of functions that a file has itself; null where the tree is not an estimate.
 * @param {Head} head
 * @param {Map<string, Column>} columns
 * @returns {import('./model/exact.js').Exact | null}
 */
function readExact({ metrics }, columns) {
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
 * What ran when; decoded when it is first looked at.
 * @param {Head} head
 * @param {Map<string, Column>} columns
 * @param {import('./model/profile.js').Facts} facts
 * @returns {import('./model/timeorder.js').TimeOrder | null}
 */
function readTimeOrder({ time }, columns, facts) {
    if (!time) return null;
    /** @type {import('./model/timeorder.js').Stretches | undefined} */
    let stretches;
    return {
        ...time,
        get stretches() {
            return (stretches ??= readStretches(columns, facts));
        },
    };
}

/**
 * @param {Map<string, Column>} columns
 * @param {import('./model/profile.js').Facts} facts
 * @returns {import('./model/timeorder.js').Stretches}
 */
function readStretches(columns, facts) {
    const fact = integers(need(columns, 'stretches.fact'));
    const start = numbers(need(columns, 'stretches.gap'));
    const duration = numbers(need(columns, 'stretches.duration'));
    const thread = fact.map((f) => facts.thread[f]);
    if (start.length !== fact.length || duration.length !== fact.length || fact.some((f) => f >= facts.count))
        throw wrong('the order of time is damaged');
    for (let i = 1; i < fact.length; i++) {
        if (thread[i] === thread[i - 1]) start[i] += start[i - 1] + duration[i - 1];
    }
    return { count: fact.length, fact, thread, start, duration };
}

/**
 * A metric, whose columns are decoded when its tab is opened.
 * @param {Head['metrics'][number]} metric
 * @param {Column | undefined} values
 * @param {Column | undefined} counts
 * @returns {import('./model/profile.js').Metric}
 */
function readMetric(metric, values, counts) {
    /** @type {Float64Array | undefined} */
    let value;
    /** @type {Float64Array | null | undefined} */
    let count;
    return {
        ...metric,
        get value() {
            if (!values) throw wrong(`no values of ${metric.name}`);
            return (value ??= numbers(values));
        },
        get count() {
            return (count ??= counts ? numbers(counts) : null);
        },
    };
}

/**
 * @param {Head} head
 * @param {import('./model/profile.js').Strings} strings
 */
function threadNames(head, strings) {
    const several = head.processes.length > 1;
    return head.threads.map(({ tid, name, process }) => {
        const own = stringAt(strings, name) || `thread ${tid}`;
        return several ? `${own}, process ${head.processes[process].pid}` : own;
    });
}
