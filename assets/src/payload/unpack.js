// SPDX-License-Identifier: Apache-2.0
/*
 * The data island, unpacked: packs of base64 and zstd become a JSON head and columns of numbers. The encoding is
 * described in doc/formats/payload.md; only payload/ knows it.
 */
import { finish, inParts } from '../lib/slices.js';
import { decompress, unpacking } from './zstd.js';

const VERSION = 2;
/** Unpacked as far as what is shown. */
const LARGE = 1 << 24;
/** Unpacked before a loop stops. */
const STEP = 1 << 17;

/** @param {string} what */
export const wrong = (what) => new Error(`the data of this page: ${what}`);

/**
 * @typedef {object} Column
 * @property {string} type
 * @property {number} count
 * @property {Uint8Array} bytes
 * @property {() => Generator<undefined, void>} unpacking  of the bytes, in parts
 */

/**
 * What is JSON, with its names in quotes: no other may be put in their place (assets/shortened.mjs). `failure` is the
 * number of a string, the exception that ended the run; 0: it failed in another way.
 * @typedef {{'name': string, 'title': string, 'unit': string, 'countName': string | null, 'total': number,
 *     'totalCount': number, 'allocators'?: boolean, 'base'?: number}} MetricHead
 * @typedef {{'name': string, 'title': string, 'unit': string, 'note'?: string, 'limit'?: number, 'lane'?: string,
 *     'short'?: string, 'quiet'?: boolean, 'unknownFrom'?: number}} SeriesHead
 * @typedef {{'name': number, 'from': number, 'to': number}} PhaseHead
 * @typedef {{'metric': number, 'count': number}} LayerHead
 * @typedef {{'resolutionNs': number, 'lacksClock': boolean, 'layers': LayerHead[]}} TimeHead
 * @typedef {{'version': number, 'columns': [string, string, number, number][], 'metrics': MetricHead[],
 *     'threads': {'tid': string, 'name': number, 'process': number}[], 'processes': {'pid': string}[],
 *     'allocators': string[], 'series': SeriesHead[], 'startMs': number | null, 'endMs': number | null,
 *     'heapPeak': {value: number, atMs: number} | null, 'failure'?: number, 'phases'?: PhaseHead[],
 *     'binsRecorded'?: number, 'time'?: TimeHead, 'nodeCount': number, 'rootLabel': string, 'folded': boolean}} Head
 */

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

/** @param {Uint8Array} bytes */
const readJson = (bytes) => JSON.parse(new TextDecoder().decode(bytes));

/** Pieces of base64, each of whole bytes. @param {string[]} pieces @returns {Generator<undefined, Uint8Array>} */
function* joining(pieces) {
    const bytes = new Uint8Array(pieces.join('').length);
    let at = 0;
    for (const piece of pieces) {
        const part = bytesOfBase64(piece);
        bytes.set(part, at);
        at += part.length;
        yield;
    }
    return bytes.subarray(0, at);
}

/**
 * A pack, as work in parts.
 * @param {string[]} pieces
 * @returns {Generator<undefined, {head: Head, columns: Map<string, Column>}>}
 */
export function* readingPack(pieces) {
    const upTo = unpacking(yield* joining(pieces));
    const { buffer, length } = upTo(4);
    const headBytes = new DataView(buffer).getUint32(0, true);
    const head = readJson(upTo(4 + headBytes).subarray(4, 4 + headBytes));
    if (head['version'] !== VERSION) throw wrong(`version ${head['version']}, not ${VERSION}`);
    const columns = /** @type {Map<string, Column>} */ (new Map());
    let at = 4 + headBytes;
    for (const [name, type, count, size] of head['columns']) {
        const from = at;
        const end = (at += size);
        columns.set(name, {
            type,
            count,
            get bytes() {
                return upTo(end).subarray(from, end);
            },
            *unpacking() {
                for (let part = from; part < end; part += STEP) yield /** @type {any} */ (upTo(part));
            },
        });
    }
    if (at !== length) throw wrong('damaged');
    // Half of a large one is of metrics that nobody has asked for yet.
    if (length < LARGE) upTo(length);
    return { head, columns };
}

/** @param {string[]} pieces */
export const unpack = (pieces) => finish(readingPack(pieces));

/**
 * @param {Map<string, Column>} columns
 * @param {string} name
 */
export function need(columns, name) {
    const column = columns.get(name);
    if (!column) throw wrong(`no ${name}`);
    return column;
}

/**
 * A column of numbers below 2^32, as work in parts.
 * @param {Column} column
 * @param {Uint32Array} [out]  where they go
 * @returns {Generator<undefined, Uint32Array>}
 */
export function* readingIntegers(column, out = new Uint32Array(column.count)) {
    yield* column.unpacking();
    const { type, count, bytes } = column;
    if (isOfBytes(bytes, count)) out.set(bytes);
    else {
        let start = 0;
        yield* inParts(0, count, (from, to) => {
            let at = start;
            for (let i = from; i < to; i++) {
                let byte = bytes[at++];
                let value = byte & 0x7f;
                for (let shift = 7; byte & 0x80; shift += 7) {
                    byte = bytes[at++];
                    value |= (byte & 0x7f) << shift;
                }
                out[i] = value;
            }
            start = at;
        });
        checked(out, start, bytes);
    }
    if (type === 'dv') {
        let sum = 0;
        for (let i = 0; i < count; i++) out[i] = sum = (sum + ((out[i] >>> 1) ^ -(out[i] & 1))) | 0;
    }
    return out;
}

/** The same at once. @param {Column} column @param {Uint32Array} [out] */
export const integers = (column, out) => finish(readingIntegers(column, out));

/** Whether a column has a byte for each number. @param {Uint8Array} bytes @param {number} count */
function isOfBytes(bytes, count) {
    let all = 0;
    if (bytes.length !== count) return false;
    for (let i = 0; i < count; i++) all |= bytes[i];
    return all < 0x80;
}

/**
 * A column of any numbers, as work in parts; those beyond 2^53 lose their last bits.
 * @param {Column} column
 * @returns {Generator<undefined, Float64Array>}
 */
export function* readingNumbers(column) {
    yield* column.unpacking();
    const { type, count, bytes } = column;
    const out = new Float64Array(count);
    const isSigned = type !== 'uv';
    let start = 0;
    yield* inParts(0, count, (from, to) => {
        let at = start;
        for (let i = from; i < to; i++) {
            let byte = bytes[at++];
            let value = byte & 0x7f;
            // Up to four bytes are an integer of the machine.
            for (let shift = 7; byte & 0x80 && shift < 28; shift += 7) {
                byte = bytes[at++];
                value |= (byte & 0x7f) << shift;
            }
            out[i] = isSigned ? (value >>> 1) ^ -(value & 1) : value;
            if (byte & 0x80) {
                let large = value;
                for (let scale = 2 ** 28; byte & 0x80; scale *= 128) {
                    byte = bytes[at++];
                    large += (byte & 0x7f) * scale;
                }
                out[i] = isSigned ? (large % 2 === 0 ? large / 2 : -(large + 1) / 2) : large;
            }
        }
        start = at;
    });
    if (type === 'dv') for (let i = 1; i < count; i++) out[i] += out[i - 1];
    return checked(out, start, bytes);
}

/** The same at once. @param {Column} column */
export const numbers = (column) => finish(readingNumbers(column));

/**
 * @template T
 * @param {T} out
 * @param {number} used
 * @param {Uint8Array} bytes
 * @returns {T}
 */
function checked(out, used, bytes) {
    if (used !== bytes.length) throw wrong('damaged');
    return out;
}

/**
 * The island of sources: JSON, packed like the profile.
 * @param {string} base64
 * @returns {import('../model/source.js').Sources}
 */
export const decodeSources = (base64) => readJson(decompress(bytesOfBase64(base64.trim())));
