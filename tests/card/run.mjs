// SPDX-License-Identifier: Apache-2.0
/*
 * The card in Chromium: each file of browser/ is a group of tests, the largest first: nobody waits for the last. They
 * run one more at a time than there are processors, as a page waits for about half of its time. The first one takes
 * longest, whatever its size: it looks at every element of many cards.
 */
import { readdirSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { run } from 'node:test';
import { tap } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('browser', import.meta.url));
const LONGEST = 'access.test.mjs';
const weight = (/** @type {string} */ path) => (path.endsWith(`/${LONGEST}`) ? Infinity : statSync(path).size);
const files = readdirSync(folder)
    .filter((name) => name.endsWith('.test.mjs'))
    .map((name) => `${folder}/${name}`)
    .sort((a, b) => (weight(a) < weight(b) ? 1 : -1));
run({ files, concurrency: Math.min(4, availableParallelism() + 1) })
    .on('test:fail', () => {
        process.exitCode = 1;
    })
    .compose(tap)
    .pipe(process.stdout);
