// SPDX-License-Identifier: Apache-2.0
/* The package as a library, for browsers, workers and bundlers; node.mjs is the same for node. Types: index.d.ts. */
import { call } from '../../assets/drop/call.js';

export class ProfrenderError extends Error {
    /** @param {string} message @param {number} status */
    constructor(message, status) {
        super(message);
        this.name = 'ProfrenderError';
        this.status = status;
    }
}

async function fetched() {
    const address = new URL('./profrender.wasm', import.meta.url);
    const answer = await fetch(address);
    if (!answer.ok) throw new Error(`${address}: the server answers ${answer.status}`);
    return answer.arrayBuffer();
}

let source = fetched;
/** @type {Promise<WebAssembly.Module> | null} */
let compiled = null;

export function load(program) {
    source = typeof program === 'function' ? program : async () => program;
    compiled = null;
}

/** The program, compiled once; a failure is not kept. @returns {Promise<WebAssembly.Module>} */
function module() {
    compiled ??= source()
        .then((program) => (program instanceof WebAssembly.Module ? program : WebAssembly.compile(program)))
        .catch((why) => {
            compiled = null;
            throw why;
        });
    return compiled;
}

/** Also of another realm, such as a frame's. @param {unknown} value */
const isBytes = (value) => ArrayBuffer.isView(value) ||
    Object.prototype.toString.call(value) === '[object ArrayBuffer]';

function contentOf(path, value) {
    if (!isBytes(value)) throw new TypeError(`${path}: bytes are an ArrayBuffer or a view of one`);
    if (path.split('/').some((part) => !part || part === '.' || part === '..'))
        throw new TypeError(`${JSON.stringify(path)}: a path has names only, divided by /`);
    const bytes = ArrayBuffer.isView(value)
        ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
        : new Uint8Array(value);
    return { path, content: { size: bytes.length, read: (from, to) => bytes.subarray(from, to) } };
}

function joined(pieces) {
    const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const piece of pieces) {
        all.set(piece, at);
        at += piece.length;
    }
    return all;
}

export async function run(args, files = {}) {
    const given = Object.entries(files).map(([path, bytes]) => contentOf(path, bytes));
    const answer = await call(await module(), args.map(String), given);
    return { ...answer, output: joined(answer.output) };
}

export async function render(input, { difference = false, title, theme, args = [] } = {}) {
    const files = isBytes(input) ? { capture: input } : input;
    const names = [...new Set(Object.keys(files).map((path) => path.split('/')[0]))];
    const words = difference ? ['diff', '--format', 'html', '-o', '-'] : ['card', '--native', 'off', '-o', '-'];
    if (title !== undefined) words.push(`--title=${title}`);
    if (theme !== undefined) words.push(`--theme=${theme}`);
    const { status, messages, output } = await run([...words, ...args, '--', ...names], files);
    if (status !== 0) throw new ProfrenderError(messages.trim() || `the program ended with status ${status}`, status);
    return { html: new TextDecoder().decode(output), messages };
}
