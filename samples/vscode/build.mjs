// SPDX-License-Identifier: Apache-2.0
/* The extension in dist/: node build.mjs. Needs the package of `make wasm`, and esbuild, which the checkout has. */
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const PROGRAM = '../../build/wasm/package/';

if (!existsSync(here(`${PROGRAM}index.mjs`))) throw new Error('run `make wasm` in the checkout first');
mkdirSync(here('dist'), { recursive: true });
const common = {
    bundle: true,
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
    alias: { profrender: here(`${PROGRAM}index.mjs`) },
};
// One file for node and for the browser: what only node has is asked for where it runs.
await build({
    ...common,
    entryPoints: [here('src/extension.js')],
    outfile: here('dist/extension.js'),
    format: 'cjs',
    external: ['vscode', 'node:worker_threads'],
    loader: { '.page.js': 'text' },
});
await build({
    ...common,
    entryPoints: [here('src/worker.js')],
    outfile: here('dist/worker.js'),
    format: 'iife',
    external: ['node:worker_threads'],
    define: { 'import.meta.url': '"profrender:"' },
});
for (const name of ['profrender.wasm', 'LICENSE', 'licenses'])
    cpSync(here(PROGRAM + name), here(`dist/${name}`), { recursive: true });
