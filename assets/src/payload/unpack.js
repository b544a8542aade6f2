// SPDX-License-Identifier: Apache-2.0
/*
 * The data island, unpacked: packs of base64 and zstd become a JSON head and columns of numbers. The encoding is
 * described in doc/formats/payload.md; only payload/ knows it.
 */
import { decompress, unpacking } from './zstd.js';

const VERSION = 2;
/** Unpacked as far as what is shown. */
const LARGE = 1 << 24;

/** @param {string} what */
export const wrong = (what) => new Error(`the data of this page: ${what}`);

/**
 * @typedef {object} Column
 * @property {string} type
 * @property {number} count
 * @property {Uint8Array} bytes
 * @property {number} end  where they end in their pack
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
export function bytesOfBase64(text) {
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

/**
 * @typedef {object} Pack
 * @property {Head} head
 * @property {Map<string, Column>} columns
 * @property {(end: number) => Uint8Array} upTo  unpacks as far as that
 */

/**
 * @param {Uint8Array} packed
 * @returns {Pack}
 */
export function unpack(packed) {
    const upTo = unpacking(packed);
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
            end,
            get bytes() {
                return upTo(end).subarray(from, end);
            },
        });
    }
    if (at !== length) throw wrong('damaged');
    // Half of a large one is of metrics that nobody has asked for yet.
    if (length < LARGE) upTo(length);
    return { head, columns, upTo };
}

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
 * A column of numbers below 2^32.
 * @param {Column} column
 * @param {Uint32Array} [out]  where they go
 * @returns {Uint32Array}
 */
export function integers({ type, count, bytes }, out = new Uint32Array(count)) {
    if (isOfBytes(bytes, count)) out.set(bytes);
    else {
        let at = 0;
        for (let i = 0; i < count; i++) {
            let byte = bytes[at++];
            let value = byte & 0x7f;
            for (let shift = 7; byte & 0x80; shift += 7) {
                byte = bytes[at++];
                value |= (byte & 0x7f) << shift;
            }
            out[i] = value;
        }
        checked(out, at, bytes);
    }
    if (type === 'dv') {
        let sum = 0;
        for (let i = 0; i < count; i++) out[i] = sum = (sum + ((out[i] >>> 1) ^ -(out[i] & 1))) | 0;
    }
    return out;
}

/** Whether a column has a byte for each number. @param {Uint8Array} bytes @param {number} count */
function isOfBytes(bytes, count) {
    let all = 0;
    if (bytes.length !== count) return false;
    for (let i = 0; i < count; i++) all |= bytes[i];
    return all < 0x80;
}

/**
 * A column of any numbers; those beyond 2^53 lose their last bits.
 * @param {Column} column
 * @returns {Float64Array}
 */
export function numbers({ type, count, bytes }) {
    const out = new Float64Array(count);
    const isSigned = type !== 'uv';
    let at = 0;
    for (let i = 0; i < count; i++) {
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
    if (type === 'dv') for (let i = 1; i < count; i++) out[i] += out[i - 1];
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
    if (used !== bytes.length) throw wrong('damaged');
    return out;
}

/**
 * The island of sources: JSON, packed like the profile.
 * @param {string} base64
 * @returns {import('../model/source.js').Sources}
 */
export const decodeSources = (base64) => readJson(decompress(bytesOfBase64(base64.trim())));
