// SPDX-License-Identifier: Apache-2.0
/* Cards of a site: one is compared with the one before, from the card and from the index. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { PROGRAM, open, sample, soon, stopBrowser, text, withCard } from '../support/browser.mjs';

after(stopBrowser);

const folder = mkdtempSync(join(tmpdir(), 'profrender-site-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

const captures = ['json_dict-py3.9-memray1.2.0-default.bin', 'json_dict-py3.13-memray1.18.0-default.bin'];
for (const [at, capture] of captures.entries()) {
    const run = join(folder, `runs/night-${at + 1}`);
    mkdirSync(run, { recursive: true });
    copyFileSync(sample(capture), join(run, 'memory.bin'));
    const words = { schema: 'profrender/run/1', flow: 'sales', run: `00${at + 1}`, step: 'load' };
    writeFileSync(join(run, 'run.json'), JSON.stringify({ ...words, start_ms: 1763690400000 + at * 86400000 }));
}
execFileSync(PROGRAM, ['publish', join(folder, 'runs'), '-o', join(folder, 'site')], { stdio: 'pipe' });
const index = join(folder, 'site/index.html');
const [first, second] = readdirSync(join(folder, 'site/cards'))
    .sort()
    .map((name) => join(folder, 'site/cards', name));

/** Pages of the site lead to one another. */
async function withPage(path, options, act) {
    const { page, close } = await open(path, options);
    try {
        await act(page);
    } finally {
        await close();
    }
}

/** The page has become the difference, the first night before the second. */
async function assertCompared(page) {
    await soon(async () => assert.match(await text(page, '.verdict'), /\u2192/));
    assert.match(await text(page, '.title'), /Difference/);
    assert.match(await text(page, '.versus'), /Before .*2025-11-21 .*After .*2025-11-22 /s);
    assert.equal(await page.evaluate(() => sessionStorage.length), 0, 'nothing is left behind');
}

test('a card is compared with the one before by one click', async () => {
    await withPage(second, {}, async (page) => {
        await page.getByRole('link', { name: 'Compare with previous' }).click();
        await assertCompared(page);
        await page.getByRole('button', { name: 'Back to the card' }).click();
        await soon(async () => assert.equal(await page.locator('.verdict').count(), 0));
    });
});

test('so it is from the table of the index', async () => {
    await withPage(index, {}, async (page) => {
        await page.getByRole('link', { name: 'with 001', exact: true }).click();
        await assertCompared(page);
    });
});

test('the first run of a job has none before it, and the index says so', async () => {
    await withPage(first, {}, async (page) => {
        await page.getByRole('link', { name: 'Compare with previous' }).click();
        await soon(async () => assert.match(await text(page, 'tr.here'), /the first run of this job/));
    });
});

test('a bar and its share are on one line', () =>
    withPage(index, {}, async (page) => {
        const cell = page.locator('.list .to', { has: page.locator('.bar') }).first();
        const [bar, share] = await Promise.all([cell.locator('.bar').boundingBox(), cell.locator('b').boundingBox()]);
        assert.ok(bar.y + bar.height > share.y && bar.y < share.y + share.height, `${bar.y} ${share.y}`);
    }));

test('a browser that keeps cards apart says how to compare them', async () => {
    const broken = () =>
        Object.defineProperty(window, 'sessionStorage', { get: () => ({}) });
    await withPage(second, { prepare: (page) => page.addInitScript(broken) }, async (page) => {
        await page.getByRole('link', { name: 'Compare with previous' }).click();
        const told = /keeps local pages apart: use Compare\u2026.*profrender diff/s;
        await soon(async () => assert.match(await text(page, 'dialog[open]'), told));
    });
});

test('an address with anything but a card next to it leads nowhere', async () => {
    for (const name of ['../index.html', 'https://example.com/x.html', 'a/b.html', 'x.txt', '%2e%2e/x.html'])
        await withCard(second, { hash: `#against=${name}` }, async (page) => {
            await page.locator('.actions button').first().waitFor();
            assert.equal(new URL(page.url()).pathname.split('/').pop(), second.split('/').pop());
            assert.equal(await page.evaluate(() => sessionStorage.length), 0);
        });
});
