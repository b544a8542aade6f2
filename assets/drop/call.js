// SPDX-License-Identifier: Apache-2.0
/* One call of the program, in the thread that asks for it. */
import { Fd, PreopenDirectory, WASI } from '@bjorn3/browser_wasi_shim';
import { Sink, folderOf } from './files.js';

/**
 * @param {WebAssembly.Module} program
 * @param {string[]} args  without the name of the program
 * @param {{ path: string, content: import('./files.js').Content }[]} files  paths have no empty part and no ".."
 * @param {(bytes: number) => void} [onread]  called with what was just read
 * @returns {Promise<{ status: number, messages: string, output: Uint8Array[] }>}
 */
export async function call(program, args, files, onread = () => {}) {
    const output = [];
    const text = new TextDecoder();
    let messages = '';
    const streams = [
        new Fd(),
        new Sink((bytes) => output.push(bytes)),
        new Sink((bytes) => (messages += text.decode(bytes, { stream: true }))),
        new PreopenDirectory('/', folderOf(files, onread)),
    ];
    const wasi = new WASI(['profrender', ...args], [], streams, { debug: false });
    const instance = await WebAssembly.instantiate(program, { wasi_snapshot_preview1: wasi.wasiImport });
    const status = wasi.start(/** @type {any} */ (instance));
    return { status, messages, output };
}
