#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
/*
 * The program as WebAssembly, run by node: the arguments, files and exit statuses are those of the native one.
 *
 *     node profrender.mjs card capture.bin
 *
 * PROFRENDER_WASM names another build of it.
 */
import { existsSync, readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { drives, posixPath, posixWord } from './windows.mjs';

// node 20 and 22 crash in garbage collection when the memory of a WASI program grows by hundreds of megabytes: their
// fast calls keep its old address. The flag has to be set before the module is loaded.
if (Number.parseInt(process.versions.node) < 24) setFlagsFromString('--no-turbo-fast-api-calls');
process.removeAllListeners('warning'); // that WASI is experimental
const { WASI } = await import('node:wasi');

const program = process.env.PROFRENDER_WASM ?? new URL('profrender.wasm', import.meta.url);
const isWindows = process.platform === 'win32';
const words = process.argv.slice(2);
const wasi = new WASI({
    version: 'preview1',
    args: ['profrender', ...(isWindows ? words.map((word) => posixWord(word, existsSync)) : words)],
    env: { ...process.env, PWD: isWindows ? posixPath(process.cwd()) : process.cwd() },
    preopens: isWindows ? drives(existsSync) : { '/': '/' },
    returnOnExit: true,
});
const { instance } = await WebAssembly.instantiate(readFileSync(program), { wasi_snapshot_preview1: wasi.wasiImport });
process.exitCode = wasi.start(instance);
