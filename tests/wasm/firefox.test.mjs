// SPDX-License-Identifier: Apache-2.0
/* The drop page in Firefox, from disk and from a server: the native card, and nothing leaves. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { firefox } from 'playwright-core';
import { ON_DISK, PAGE, drop, leak, native, onPage, sample, serve, skip as notBuilt } from './pages.mjs';

const FIREFOX = process.env.FIREFOX ?? ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find((path) => existsSync(path));
const skip = notBuilt || (FIREFOX ? false : 'no Firefox on this machine');
const NAME = 'daily-sales.bin';

let browser;
before(async () => {
    // The Firefox of the system, by WebDriver BiDi.
    if (!skip) browser = await firefox.launch({ channel: 'moz-firefox', executablePath: FIREFOX, timeout: 120_000 });
});
after(() => browser?.close());

/** The card is the native one, it runs in its frame, and neither it nor the page reaches ADDRESS. */
async function holds(page, { address, asked }) {
    await page.frameLocator('#card').locator('h1').waitFor();
    const shown = await page.evaluate(() => document.getElementById('card').srcdoc);
    assert.ok(shown === native('card', '--native', 'off', '-o', '-', '--', NAME).toString());
    const before = asked.length;
    await page.evaluate(leak, address);
    const frame = page.frames().find((one) => one !== page.mainFrame());
    await frame.evaluate(leak, address);
    assert.deepEqual(asked.slice(before), []);
}

test('from disk: a dropped sample', { skip }, async () => {
    const server = await serve();
    await onPage(
        browser,
        async (page) => {
            await drop(page, sample(NAME));
            await holds(page, server);
        },
        ON_DISK,
    );
    await server.close();
});

test('from a server: a file that the address names', { skip }, async () => {
    const server = await serve({
        '/drop.html': (answer) => answer.setHeader('Content-Type', 'text/html').end(readFileSync(PAGE)),
        [`/${NAME}`]: (answer) => answer.end(readFileSync(sample(NAME))),
    });
    await onPage(browser, (page) => holds(page, server), `${server.address}/drop.html?url=${NAME}`);
    await server.close();
});
