// SPDX-License-Identifier: Apache-2.0
/*
 * One call of the program. It is told { program, args, files } and answers { read } while it works, then
 * { status, messages, output }. Ending the worker is how a call is cancelled.
 */
import { Fd, PreopenDirectory, WASI } from '@bjorn3/browser_wasi_shim';
import { Sink, folderOf } from './files.js';

const TELL_EVERY_MS = 100;

/** @param {{ data: { program: BufferSource, args: string[], files: { path: string, file: Blob }[] } }} message */
self.onmessage = async ({ data: { program, args, files } }) => {
    const output = [];
    const text = new TextDecoder();
    let messages = '';
    let read = 0;
    let told = 0;
    const onread = (bytes) => {
        read += bytes;
        if (performance.now() < told + TELL_EVERY_MS) return;
        told = performance.now();
        self.postMessage({ read });
    };
    const wasi = new WASI(['profrender', ...args], [], [
        new Fd(),
        new Sink((bytes) => output.push(bytes)),
        new Sink((bytes) => (messages += text.decode(bytes, { stream: true }))),
        new PreopenDirectory('/', folderOf(files, onread)),
    ], { debug: false });
    const { instance } = await WebAssembly.instantiate(program, { wasi_snapshot_preview1: wasi.wasiImport });
    const status = wasi.start(instance);
    self.postMessage({ status, messages, output: new Blob(output, { type: 'text/html' }) });
};
