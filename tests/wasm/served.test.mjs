// SPDX-License-Identifier: Apache-2.0
/*
 * The drop page from a server: files that its address names, from that server only; nothing leaves the page once it
 * has them; and without a network it is there again.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';
import { CHROMIUM, FOLDER, PAGE, drop, leak, native, onPage, sample, savedCard, serve, skip } from './pages.mjs';

const NAMES = ['threads_named-py3.13-memray1.20.0-default.bin', 'threads_named-py3.8-memray1.19.1-default.bin'];
const BLANK = 'daily sales.bin';

let browser;
before(async () => {
    if (!skip) browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
});
after(() => browser?.close());

const file = (path, type) => (answer) => answer.setHeader('Content-Type', type).end(readFileSync(path));

/** The page and some files, as a folder of artifacts has them. */
function site(more = {}) {
    const captures = NAMES.map((name) => [`/runs/${name}`, file(sample(name), 'application/octet-stream')]);
    return serve({
        '/runs/drop.html': file(PAGE, 'text/html'),
        '/runs/offline.js': file(join(FOLDER, 'offline.js'), 'text/javascript'),
        [`/runs/${encodeURIComponent(BLANK)}`]: file(sample('daily-sales.bin'), 'application/octet-stream'),
        ...Object.fromEntries(captures),
        ...more,
    });
}

async function problem(page) {
    await page.locator('#error').waitFor({ state: 'visible' });
    assert.equal(await page.locator('#progress').isVisible(), false);
    return page.locator('#error').innerText();
}

test('the address names a file: its card, and then nothing leaves, not even to that server', { skip }, async () => {
    const { address, asked, close } = await site();
    await onPage(
        browser,
        async (page) => {
            await page.frameLocator('#card').locator('h1').waitFor();
            assert.equal(await page.locator('#name').innerText(), BLANK);
            const before = asked.length;
            await page.evaluate(leak, address);
            await page
                .frames()
                .find((one) => one !== page.mainFrame())
                .evaluate(leak, address);
            assert.deepEqual(asked.slice(before), []);
        },
        `${address}/runs/drop.html?url=${encodeURIComponent(encodeURIComponent(BLANK))}`,
    );
    await close();
});

test('two files are one card, or their difference', { skip }, async () => {
    const { address, close } = await site();
    const query = NAMES.map((name) => `url=${name}`).join('&');
    const cardOf = async (more) => {
        let card;
        const work = async (page) => (card = await savedCard(page));
        await onPage(browser, work, `${address}/runs/drop.html?${query}${more}`);
        return card;
    };
    assert.ok((await cardOf('')).equals(native('card', '--native', 'off', '-o', '-', '--', ...NAMES)));
    assert.ok((await cardOf('&difference')).equals(native('diff', '-o', '-', '--format', 'html', '--', ...NAMES)));
    await close();
});

test('another server is never asked', { skip }, async () => {
    const other = await serve({ '/x.bin': file(sample('daily-sales.bin'), 'application/octet-stream') });
    const { address, asked, close } = await site({
        '/runs/away.bin': (answer) => answer.writeHead(302, { Location: `${other.address}/x.bin` }).end(),
    });
    for (const [url, expected] of [
        [`${other.address}/x.bin`, /only files of 127\.0\.0\.1:\d+ can be opened/],
        [`//${other.address.slice('http://'.length)}/x.bin`, /only files of/],
        ['javascript:alert(1)', /only files of/],
        ['data:text/plain,main;f 1', /only files of/],
        [address.replace('//', '//name:word@') + '/runs/x', /only files of/],
        ['http://[', /only files of/],
        ['away.bin', /^away\.bin: the server cannot be reached, or redirects elsewhere$/],
        ['gone.bin', /^gone\.bin: the server answers 404 Not Found$/],
    ])
        await onPage(
            browser,
            async (page) => {
                assert.match(await problem(page), expected);
                await drop(page, sample('daily-sales.bin')); // the page is of use still
                await page.frameLocator('#card').locator('h1').waitFor();
                const before = asked.length;
                await page.evaluate(leak, address);
                assert.deepEqual(asked.slice(before), []);
            },
            `${address}/runs/drop.html?url=${encodeURIComponent(url)}`,
        );
    assert.deepEqual(other.asked, []);
    await Promise.all([close(), other.close()]);
});

test('what comes slowly can be cancelled, and another file follows', { skip }, async () => {
    const { address, close } = await site({ '/runs/slow.bin': (answer) => answer.write('x'.repeat(100_000)) });
    await onPage(
        browser,
        async (page) => {
            await page.locator('#step', { hasText: 'slow.bin: 0.1 MB from the server' }).waitFor();
            await page.click('#cancel');
            assert.equal(await page.locator('#progress').isVisible(), false);
            await drop(page, sample('daily-sales.bin'));
            await page.frameLocator('#card').locator('h1').waitFor();
            assert.equal(await page.locator('#error').isVisible(), false);
        },
        `${address}/runs/drop.html?url=slow.bin`,
    );
    await close();
});

test('without a network the page is there again; nothing else of the server is kept', { skip }, async () => {
    const { address, close } = await site();
    await onPage(
        browser,
        async (page) => {
            await page.evaluate(() => navigator.serviceWorker.ready);
            const client = await page.context().newCDPSession(page);
            const { installabilityErrors } = await client.send('Page.getInstallabilityErrors');
            const why = installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito');
            assert.deepEqual(why, []);
            await close();
            await page.reload();
            await page.click('#sample');
            await page.frameLocator('#card').locator('h1').waitFor();
            const kept = await page.evaluate(async () => {
                const names = await caches.keys();
                const lists = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
                return lists.flat().map(({ url }) => new URL(url).pathname);
            });
            assert.deepEqual(kept, ['/runs/drop.html']);
            await assert.rejects(page.goto(`${address}/runs/${NAMES[0]}`), /ERR_CONNECTION_REFUSED/);
        },
        `${address}/runs/drop.html`,
    );
});
