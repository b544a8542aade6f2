// SPDX-License-Identifier: Apache-2.0
/*
 * One call of the program. It is told { program, args, files } and answers { read } while it works, then
 * { status, messages, output }. Ending the worker is how a call is cancelled.
 */
import { call } from './call.js';

const TELL_EVERY_MS = 100;

/** @param {Blob} file */
const contentOf = (file) => ({
    size: file.size,
    read: (from, to) => new Uint8Array(new FileReaderSync().readAsArrayBuffer(file.slice(from, to))),
});

/** @param {{ data: { program: BufferSource, args: string[], files: { path: string, file: Blob }[] } }} message */
self.onmessage = async ({ data: { program, args, files } }) => {
    let read = 0;
    let told = 0;
    const onread = (bytes) => {
        read += bytes;
        if (performance.now() < told + TELL_EVERY_MS) return;
        told = performance.now();
        self.postMessage({ read });
    };
    const given = files.map(({ path, file }) => ({ path, content: contentOf(file) }));
    const { output, ...answer } = await call(await WebAssembly.compile(program), args, given, onread);
    self.postMessage({ ...answer, output: new Blob(output, { type: 'text/html' }) });
};
