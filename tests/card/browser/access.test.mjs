// SPDX-License-Identifier: Apache-2.0
/* A12, A13: axe finds nothing in any tab, theme and width. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { cardOf, sample, startBrowser, stopBrowser } from '../support/browser.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const good = cardOf(sample('daily-sales.bin'));
const cut = cardOf(sample('killed-py3.12-memray1.20.0-default.bin'));
const estimated = cardOf(sample('cpu/fanout.yappi.pstats'));
const inOrder = cardOf(sample('cpu/fanout.pyi.speedscope.json'));
const failed = cardOf(sample('nightly'));
const lanes = cardOf(sample('timeline/multi.mprof.dat'));
const VIEWS = [
    [good, '#tab=peak&q=a'],
    [good, '#tab=leaks&split=1&window=b30:b90'],
    [good, '#tab=table'],
    [good, '#tab=peak&order=sandwich'],
    [good, '#tab=temporary&order=callers'],
    [cut, ''],
    [estimated, '#tab=cpu'],
    [inOrder, '#tab=cpu&order=time'],
    [failed, ''],
    [lanes, ''],
];

after(stopBrowser);

for (const colorScheme of ['light', 'dark']) {
    for (const width of [1280, 390]) {
        test(`A12: axe finds nothing at ${width} px, ${colorScheme}`, async () => {
            for (const [card, hash] of VIEWS) {
                // The policy would keep axe itself out.
                const browser = await startBrowser();
                const viewport = { width, height: 800 };
                const context = await browser.newContext({ viewport, colorScheme, bypassCSP: true });
                const page = await context.newPage();
                await page.goto(pathToFileURL(card).href + hash);
                await page.evaluate(axe);
                const found = await page.evaluate(async () => {
                    const { violations } = await window.axe.run({ resultTypes: ['violations'] });
                    return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target).join(', ')}`);
                });
                assert.deepEqual(found, [], hash);
                assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), hash);
                await context.close();
            }
        });
    }
}
