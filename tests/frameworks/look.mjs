// SPDX-License-Identifier: Apache-2.0
/*
 * What a person sees of a card in the page of a framework: `node look.mjs '{"url": ...}'`, the result as JSON.
 *
 *     url       address of the framework's page
 *     click     selector of what is clicked first, as a tab of that page
 *     cookies   cookies of the browser: [{"name", "value", "url"}]
 *     scheme    "light" or "dark"; "page": what the page around a frame says is not overridden
 *     picture   a file for a screenshot
 *     wait      selector that must be in the page before the card is looked for
 *
 * Each card: its title, state and open tab, whether that is a table, how many boxes its graph has, how high it is
 * drawn, what it asked the network for, and what it could read of the page around it.
 */
import { startBrowser, stopBrowser } from '../card/support/browser.mjs';

const PATIENCE_MS = 60_000;
const asked = JSON.parse(process.argv[2]);
const browser = await startBrowser();
const viewport = { width: 1400, height: 1200 };
const colorScheme = asked.scheme === 'page' ? null : (asked.scheme ?? 'light');
const context = await browser.newContext({ colorScheme, viewport });
if (asked.cookies) await context.addCookies(asked.cookies);
const page = await context.newPage();
const requests = [];
page.on('request', (request) => requests.push(request.url()));
await page.goto(asked.url);
if (asked.wait) await page.waitForSelector(asked.wait, { timeout: PATIENCE_MS });
if (asked.click) await page.locator(asked.click).click();

/** The frame of the first card that can be seen. */
async function cardFrame() {
    for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await page.waitForTimeout(100)) {
        for (const frame of page.frames()) {
            const seen = await frame.locator('#pr-payload').count().catch(() => 0);
            const owner = frame.parentFrame() && seen ? await frame.frameElement() : null;
            if (seen && (!owner || (await owner.isVisible()))) return frame;
        }
    }
    return null;
}

function drawn() {
    const graph = document.querySelector('.graph');
    const table = document.querySelector('#panel-table tbody tr');
    return Number(graph?.dataset.frames) > 0 || Boolean(table);
}

function account() {
    const attempt = (read) => {
        try {
            return read();
        } catch (error) {
            return error.name;
        }
    };
    const canvas = document.querySelector('.flame canvas');
    return {
        title: document.title,
        state: document.documentElement.dataset.state,
        tab: document.querySelector('[role=tab][aria-selected=true]')?.dataset.tab,
        frames: Number(document.querySelector('.graph')?.dataset.frames ?? 0),
        height: canvas?.getBoundingClientRect().height ?? 0,
        table: document.querySelector('#panel-table')?.checkVisibility() ?? false,
        rows: document.querySelectorAll('#panel-table tbody tr').length,
        text: document.body.innerText,
        background: getComputedStyle(document.documentElement).backgroundColor,
        cookie: attempt(() => document.cookie),
        storage: attempt(() => String(localStorage.length)),
        parent: attempt(() => (parent === window ? 'none' : parent.document.title)),
    };
}

let found = null;
const frame = await cardFrame();
if (frame) {
    await frame.waitForFunction(drawn, null, { timeout: PATIENCE_MS });
    await page.waitForTimeout(300);
    found = await frame.evaluate(account);
}
if (asked.picture) await page.screenshot({ path: asked.picture });
console.log(JSON.stringify({ card: found, requests, text: await page.evaluate(() => document.body.innerText) }));
await stopBrowser();
