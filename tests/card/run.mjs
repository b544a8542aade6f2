// SPDX-License-Identifier: Apache-2.0
/* The card in Chromium: each file of browser/ is a group of tests, the largest first: nobody waits for the last. */
import { readdirSync, statSync } from 'node:fs';
import { run } from 'node:test';
import { tap } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('browser', import.meta.url));
const files = readdirSync(folder)
    .filter((name) => name.endsWith('.test.mjs'))
    .map((name) => `${folder}/${name}`)
    .sort((a, b) => statSync(b).size - statSync(a).size);
run({ files, concurrency: 2 })
    .on('test:fail', () => {
        process.exitCode = 1;
    })
    .compose(tap)
    .pipe(process.stdout);
