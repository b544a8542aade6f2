// SPDX-License-Identifier: Apache-2.0
/*
 * The data island, unpacked: packs of base64 and zstd become a JSON head and columns of numbers. The encoding is
 * described in doc/formats/payload.md; only payload/ knows it.
 */
import { decompress } from './zstd.js';

const VERSION = 2;

/** @param {string} what */
export const wrong = (what) => new Error(`the data of this page: ${what}`);

/**
 * @typedef {object} Column
 * @property {string} type
 * @property {number} count
 * @property {Uint8Array} bytes
 */

/**
 * @typedef {Omit<import('../model/profile.js').Metric, 'value' | 'count'>} MetricHead
 *
 * @typedef {object} Head
 * @property {number} version
 * @property {[string, string, number, number][]} columns
 * @property {MetricHead[]} metrics
 * @property {{tid: string, name: number, process: number}[]} threads
 * @property {{pid: string, name: number}[]} processes
 * @property {string[]} allocators
 * @property {{name: string, title: string, unit: string, note?: string, limit?: number, lane?: string, short?: string,
 *     quiet?: boolean, unknownFrom?: number}[]} series
 * @property {number | null} startMs
 * @property {number | null} endMs
 * @property {{value: number, atMs: number} | null} heapPeak
 * @property {number} [failure]  string, the exception that ended the run; 0 = it failed in another way
 * @property {{name: number, from: number, to: number}[]} [phases]
 * @property {number} [binsRecorded]
 * @property {{metric: number, resolutionNs: number, lacksClock: boolean}} [time]
 * @property {number} nodeCount
 * @property {string} rootLabel
 * @property {boolean} folded
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

/**
 * @param {string} base64
 * @returns {{head: Head, columns: Map<string, Column>}}
 */
export function unpack(base64) {
    const bytes = decompress(bytesOfBase64(base64));
    const headBytes = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
    const head = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + headBytes)));
    if (head.version !== VERSION) throw wrong(`version ${head.version}, not ${VERSION}`);
    const columns = new Map();
    let at = 4 + headBytes;
    for (const [name, type, count, size] of head.columns) {
        columns.set(name, { type, count, bytes: bytes.subarray(at, at + size) });
        at += size;
    }
    if (at !== bytes.length) throw wrong('damaged');
    return { head, columns };
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
 * @returns {Uint32Array}
 */
export function integers({ type, count, bytes }) {
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
export function numbers({ type, count, bytes }) {
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
    if (used !== bytes.length) throw wrong('damaged');
    return out;
}

/**
 * The island of sources: JSON, packed like the profile.
 * @param {string} base64
 * @returns {import('../model/source.js').Sources}
 */
export const decodeSources = (base64) => JSON.parse(new TextDecoder().decode(decompress(bytesOfBase64(base64.trim()))));
