// SPDX-License-Identifier: Apache-2.0
/* The package as a library, for node. Types: index.d.ts. */
import { readFile } from 'node:fs/promises';
import { load } from './index.mjs';

load(() => readFile(new URL('./profrender.wasm', import.meta.url)));

export * from './index.mjs';
