// SPDX-License-Identifier: Apache-2.0
/* Every rounded number, in any tab and state of a page, shows its exact value on hover. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { PROGRAM, cardOf, clickBox, sample, stopBrowser, text, withCard } from '../support/browser.mjs';
import { roundedNumbers } from '../support/rounded.mjs';

const folder = mkdtempSync(join(tmpdir(), 'profrender-rounded-'));
after(stopBrowser);
after(() => rmSync(folder, { recursive: true }));

/** @param {...string} words @returns {string} */
function made(name, ...words) {
    const path = join(folder, name);
    execFileSync(PROGRAM, [...words, '-o', path], { stdio: 'pipe' });
    return path;
}

const MEMORY = sample('daily-sales.bin');
const PAGES = {
    'a memory capture': () => cardOf(MEMORY),
    'a failed run with all there is': () => cardOf(sample('nightly')),
    'a killed run': () => cardOf(sample('killed-py3.12-memray1.20.0-default.bin')),
    'a timeline alone': () => cardOf(sample('timeline/metaflow-ok.jsonl')),
    'the load of a host': () => cardOf(sample('timeline/host.sadf.json')),
    'calls that were counted': () => cardOf(sample('cpu/fanout.yappi.pstats')),
    'samples in the order of time': () => cardOf(sample('cpu/etl.pyspy.speedscope.json')),
    'a heap without time': () => cardOf(sample('cpu/hashtab.heaptrack.zst')),
    'a difference': () => made('difference.html', 'diff', MEMORY, sample('nightly/memray.bin')),
    'a difference of runs': () => made('runs.html', 'diff', sample('nightly'), sample('nightly')),
    'a difference of windows': () => made('windows.html', 'diff', MEMORY, '--base-window', '0:2', '--window', '6:9'),
};

/** @param {import('playwright-core').Page} page @param {string} where @param {number} [least] */
async function assertExact(page, where, least = 1) {
    const { seen, without, bare } = await roundedNumbers(page);
    assert.deepEqual(without, [], where);
    assert.deepEqual(bare, [], `${where}: a number without a unit`);
    assert.ok(seen >= least, `${where}: ${seen} numbers`);
}

for (const [name, make] of Object.entries(PAGES))
    test(`what is rounded says on hover what it is exactly: ${name}`, async () => {
        const path = make();
        await withCard(path, { scripts: false }, (page) => assertExact(page, 'without scripts', 2));
        await withCard(path, {}, async (page) => {
            const tabs = await page
                .locator('[role=tab]:visible')
                .evaluateAll((all) => all.map((tab) => tab.dataset.tab));
            await assertExact(page, 'as opened', 2);
            for (const tab of tabs) {
                await page.locator(`[data-tab=${tab}]`).click();
                await assertExact(page, tab, 8); // the fewest: a view whose calls fold to few rows
            }
            const inTime = page.getByRole('button', { name: 'Time order' });
            if (await inTime.isVisible()) {
                await inTime.click();
                await assertExact(page, 'in the order of time', 10);
            }
            const shares = page.locator('#diff-share:visible');
            if (await shares.count()) {
                await shares.check();
                await assertExact(page, 'shares', 10);
            }
        });
    });

test('what is rounded says on hover what it is exactly: two parts of a run, as amounts and as shares', async () => {
    await withCard(cardOf(MEMORY), { hash: '#window=b150:b220&against=b30:b80' }, async (page) => {
        await assertExact(page, 'amounts', 60);
        await page.locator('#diff-share').check();
        await assertExact(page, 'shares', 60);
    });
});

test('what is rounded says on hover what it is exactly: window, zoom, search, callers, sandwich, threads', async () => {
    await withCard(cardOf(MEMORY), { hash: '#window=b20:b90&q=concat' }, async (page) => {
        await assertExact(page, 'window and search', 20);
        await clickBox(page, 200, 3);
        await assertExact(page, 'zoom', 20);
        for (const order of ['Callers', 'Sandwich']) {
            await page.getByRole('button', { name: order, exact: true }).click();
            await assertExact(page, order, 20);
        }
        await page.locator('summary', { hasText: 'Threads' }).click();
        await assertExact(page, 'threads', 20);
    });
});

test('the tooltip of a frame has its exact numbers', async () => {
    await withCard(cardOf(MEMORY), {}, async (page) => {
        await page.locator('.flame canvas').hover({ position: { x: 90, y: 80 } });
        await page.locator('.tip').waitFor();
        const words = await text(page, '.tip');
        const [, total] = /([\d,]+) bytes, self [\d,]+ bytes?/.exec(words) ?? [];
        assert.ok(Number(total?.replaceAll(',', '')) > 1e6, words);
    });
});

test('what is rounded says on hover what it is exactly: the index of many runs', async () => {
    const site = join(folder, 'site');
    execFileSync(PROGRAM, ['publish', sample('.'), '-o', site], { stdio: 'pipe' });
    for (const scripts of [true, false])
        await withCard(join(site, 'index.html'), { scripts }, (page) => assertExact(page, `scripts: ${scripts}`, 20));
});
