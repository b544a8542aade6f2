// SPDX-License-Identifier: Apache-2.0
/* The library of the package as one module: node platform/npm/bundle.mjs build/wasm/package/index.mjs */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

await build({
    entryPoints: [fileURLToPath(new URL('api.js', import.meta.url))],
    outfile: process.argv[2],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    charset: 'ascii',
    legalComments: 'none',
    logLevel: 'warning',
});
