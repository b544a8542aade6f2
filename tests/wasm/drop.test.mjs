// SPDX-License-Identifier: Apache-2.0
/*
 * The drop page in Chromium, from disk: dropped samples become the cards that the native program writes, and nothing
 * leaves the page.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PAGE = join(ROOT, 'build/wasm/drop.html');
const PROGRAM = join(ROOT, 'build/profrender');
const CHROMIUM =
    process.env.CHROMIUM ?? ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((path) => existsSync(path));
const MOST_BYTES = 1_030_000;
const LIMIT_MS = 120_000;
const skip = existsSync(PAGE) ? false : 'build/wasm/drop.html was not built: make wasm says why';
const sample = (name) => join(ROOT, 'samples', name);
const scratch = mkdtempSync(join(tmpdir(), 'profrender-drop-'));

let browser;
before(async () => {
    if (!skip) browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
});
after(async () => {
    await browser?.close();
    rmSync(scratch, { recursive: true, force: true });
});

/** Opens the page, collects what it asks of others and what goes wrong, and gives it to WORK. */
async function onPage(work, address = pathToFileURL(PAGE).href) {
    const page = await browser.newPage({ acceptDownloads: true });
    page.setDefaultTimeout(LIMIT_MS);
    const requests = [];
    const errors = [];
    page.on('request', (request) => {
        if (!/^(?:blob|data|about):/.test(request.url()) && request.url() !== address) requests.push(request.url());
    });
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => errors.push(message.text()));
    await page.goto(address);
    await work(page, { requests, errors });
    await page.close();
    return { requests, errors };
}

/** Drops files, as a hand does: a drop event with the files themselves. */
async function drop(page, ...paths) {
    const files = paths.map((path) => [basename(path), readFileSync(path).toString('base64')]);
    await page.evaluate((given) => {
        const transfer = new DataTransfer();
        for (const [name, text] of given)
            transfer.items.add(new File([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))], name));
        document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
    }, files);
}

async function savedCard(page) {
    await page.locator('#result').waitFor({ state: 'visible' });
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('#save')]);
    return readFileSync(await download.path());
}

const nativeIn = (cwd, ...words) => execFileSync(PROGRAM, words, { cwd, maxBuffer: 2 ** 28 });
const native = (...words) => nativeIn(dirname(sample('x')), ...words);

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
    const asked = [];
    const server = createServer((request, answer) => {
        asked.push(request.url);
        answer.end();
    }).listen(0, '127.0.0.1');
    await new Promise((done) => server.once('listening', done));
    const target = `http://127.0.0.1:${server.address().port}`;
    const leak = async (address) => {
        const tries = [
            () => fetch(`${address}/fetch`, { mode: 'no-cors' }),
            () => navigator.sendBeacon(`${address}/beacon`, 'x'),
            () => new WebSocket(address.replace('http', 'ws')),
            () => document.body.append(Object.assign(new Image(), { src: `${address}/image` })),
            () => document.body.append(Object.assign(document.createElement('script'), { src: `${address}/script` })),
            () => document.body.append(Object.assign(document.createElement('iframe'), { src: `${address}/frame` })),
        ];
        for (const attempt of tries)
            try {
                await attempt();
            } catch {
                continue;
            }
        await new Promise((done) => setTimeout(done, 500));
    };
    await onPage(async (page) => {
        await page.click('#sample');
        await page.frameLocator('#card').locator('h1').waitFor();
        await page.evaluate(leak, target);
        const frame = page.frames().find((one) => one !== page.mainFrame());
        await frame.evaluate(leak, target);
    });
    server.close();
    assert.deepEqual(asked, []);
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
