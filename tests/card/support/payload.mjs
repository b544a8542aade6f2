// SPDX-License-Identifier: Apache-2.0
/*
 * A second writer of payloads (doc/formats/payload.md): the page can be tested without the program, on trees that no
 * capture has. The zstd frame holds raw blocks: larger, and nothing but a decoder is needed to read it.
 */

const RAW_BLOCK_MOST = 128 * 1024;
const RAW_BLOCK = 0;

/** @param {Uint8Array} bytes */
function zstdFrame(bytes) {
    const blocks = Math.max(1, Math.ceil(bytes.length / RAW_BLOCK_MOST));
    const out = new Uint8Array(4 + 1 + 8 + bytes.length + 3 * blocks);
    const view = new DataView(out.buffer);
    view.setUint32(0, 0xfd2fb528, true);
    out[4] = 0b11100000; // 8 bytes of content size, a single segment, no dictionary, no checksum
    view.setBigUint64(5, BigInt(bytes.length), true);
    let at = 13;
    for (let block = 0; block < blocks; block++) {
        const part = bytes.subarray(block * RAW_BLOCK_MOST, (block + 1) * RAW_BLOCK_MOST);
        const header = (block === blocks - 1 ? 1 : 0) | (RAW_BLOCK << 1) | (part.length << 3);
        out.set([header & 255, (header >> 8) & 255, header >> 16], at);
        out.set(part, at + 3);
        at += 3 + part.length;
    }
    return out;
}

/** Columns of varints. @param {string} type @param {ArrayLike<number>} values */
function column(type, values) {
    if (type === 'u8' || type === 'raw') return Uint8Array.from(values);
    const out = new Uint8Array(values.length * 8);
    let at = 0;
    let before = 0;
    for (let i = 0; i < values.length; i++) {
        let value = values[i];
        if (type === 'dv') [value, before] = [value - before, value];
        if (type !== 'uv') value = value < 0 ? -value * 2 - 1 : value * 2;
        for (; value >= 128; value = Math.floor(value / 128)) out[at++] = (value % 128) | 128;
        out[at++] = value;
    }
    return out.subarray(0, at);
}

/**
 * @param {object} head     all but `columns`
 * @param {[string, string, ArrayLike<number>][]} columns  name, type, values
 * @returns {string} base64
 */
export function encodePayload(head, columns) {
    const parts = columns.map(([name, type, values]) => ({
        name,
        type,
        count: values.length,
        bytes: column(type, values),
    }));
    const json = new TextEncoder().encode(
        JSON.stringify({
            version: 2,
            ...head,
            columns: parts.map(({ name, type, count, bytes }) => [name, type, count, bytes.length]),
        }),
    );
    const all = Buffer.alloc(4 + json.length + parts.reduce((sum, { bytes }) => sum + bytes.length, 0));
    all.writeUInt32LE(json.length);
    all.set(json, 4);
    let at = 4 + json.length;
    for (const { bytes } of parts) {
        all.set(bytes, at);
        at += bytes.length;
    }
    return Buffer.from(zstdFrame(all)).toString('base64');
}
