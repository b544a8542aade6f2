// SPDX-License-Identifier: Apache-2.0
/*
 * The drop page in Chromium, from disk: dropped samples become the cards that the native program writes, and nothing
 * leaves the page.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';
import * as pages from './pages.mjs';
import { CHROMIUM, PAGE, ROOT, drop, leak, native, nativeIn, sample, savedCard } from './pages.mjs';
import { scratch, serve, skip } from './pages.mjs';

const MOST_BYTES = 1_172_000;

let browser;
before(async () => {
    if (!skip) browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
});
after(() => browser?.close());

const onPage = (work) => pages.onPage(browser, work);

for (const name of [
    'daily-sales.bin',
    'leaky-py3.12-memray1.19.3-aggregate.bin',
    'json_dict-py3.12-memray1.20.0-default+cut-half.bin',
])
    test(`${name}: the saved card is the native one, byte for byte`, { skip }, async () => {
        const { requests, errors } = await onPage(async (page) => {
            await drop(page, sample(name));
            const card = await savedCard(page);
            assert.ok(card.equals(native('card', '--native', 'off', '-o', '-', '--', name)));
            await page.frameLocator('#card').locator('h1').waitFor(); // it runs in its frame
        });
        assert.deepEqual({ requests, errors }, { requests: [], errors: [] });
    });

test('two files: one card, then their difference', { skip }, async () => {
    const names = ['threads_named-py3.13-memray1.20.0-default.bin', 'threads_named-py3.8-memray1.19.1-default.bin'];
    await onPage(async (page) => {
        await page.setInputFiles('#choose', names.map(sample));
        const card = await savedCard(page);
        assert.ok(card.equals(native('card', '--native', 'off', '-o', '-', '--', ...names)));
        await page.click('#other');
        await page.locator('#other', { hasText: 'As one card' }).waitFor();
        assert.ok((await savedCard(page)).equals(native('diff', '-o', '-', '--format', 'html', '--', ...names)));
        assert.equal(await page.locator('#cards li').count(), 2);
    });
});

test('a folder, chosen or dropped, is a run; two are a difference', { skip }, async () => {
    const run = join(scratch, 'run');
    const later = join(scratch, 'later');
    for (const folder of [run, later]) cpSync(sample('nightly'), folder, { recursive: true });
    await onPage(async (page) => {
        await page.setInputFiles('#folder', run);
        const card = nativeIn(scratch, 'card', '--native', 'off', '-o', '-', '--', 'run');
        assert.ok((await savedCard(page)).equals(card));
        const client = await page.context().newCDPSession(page);
        const data = { items: [], files: [run, later], dragOperationsMask: 1 };
        for (const type of ['dragEnter', 'dragOver', 'drop'])
            await client.send('Input.dispatchDragEvent', { type, x: 100, y: 100, data });
        await page.locator('#name', { hasText: 'run → later' }).waitFor();
        const difference = nativeIn(scratch, 'diff', '-o', '-', '--format', 'html', '--', 'run', 'later');
        assert.ok((await savedCard(page)).equals(difference));
    });
});

test('a file that no reader knows: the error of the program', { skip }, async () => {
    const path = join(scratch, 'letter.bin');
    writeFileSync(path, 'Dear Sir, ');
    await onPage(async (page) => {
        await drop(page, path);
        await page.locator('#error').waitFor({ state: 'visible' });
        assert.match(await page.locator('#error').innerText(), /letter\.bin: no known format/);
        assert.equal(await page.locator('#result').isVisible(), false);
    });
});

test('nothing leaves the page or the card, whatever a script tries', { skip }, async () => {
    const { address, asked, close } = await serve();
    await onPage(async (page) => {
        await page.click('#sample');
        await page.frameLocator('#card').locator('h1').waitFor();
        await page.evaluate(leak, address);
        const frame = page.frames().find((one) => one !== page.mainFrame());
        await frame.evaluate(leak, address);
    });
    await close();
    assert.deepEqual(asked, []);
});

test('pasted text is a file', { skip }, async () => {
    await onPage(async (page) => {
        await page.evaluate(() => {
            const clipboardData = new DataTransfer();
            clipboardData.setData('text/plain', 'main;read 7\nmain;write 3\n');
            document.dispatchEvent(new ClipboardEvent('paste', { clipboardData }));
        });
        await page.frameLocator('#card').locator('h1').waitFor();
        assert.equal(await page.locator('#name').innerText(), 'pasted.txt');
    });
});

test('a call can be cancelled, and another file follows', { skip }, async () => {
    const large = join(scratch, 'large.bin');
    execFileSync(join(ROOT, 'build/tests/make_capture'), ['live', '1000000', large]);
    await onPage(async (page) => {
        await page.setInputFiles('#choose', large);
        await page.locator('#progress').waitFor({ state: 'visible' });
        await page.click('#cancel');
        assert.equal(await page.locator('#progress').isVisible(), false);
        await drop(page, sample('daily-sales.bin'));
        await savedCard(page);
        assert.equal(await page.locator('#cards li').count(), 1);
    });
});

test('the page is one small file', { skip }, () => {
    assert.ok(readFileSync(PAGE).length < MOST_BYTES);
});
