// SPDX-License-Identifier: Apache-2.0
/*
 * Cards in a real Chromium. A page opened here records every request, every console message and every error;
 * `quiet()` asserts that there were none.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { readHeat } from '../../../assets/src/payload/heat.js';
import { readTimeOrder } from '../../../assets/src/payload/order.js';
import { decodePayload } from '../../../assets/src/payload/profile.js';
import { CHROMIUM } from '../../support/chromium.mjs';

const READERS = { order: readTimeOrder, heat: readHeat, whole: (columns) => columns.get('nodes.whole') };

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
export const PROGRAM = process.env.PROFRENDER ?? join(ROOT, 'build/profrender');
const MAKE_CAPTURE = join(ROOT, 'build/tests/make_capture');

/** A folder that is removed after the tests. */
const folder = mkdtempSync(join(tmpdir(), 'profrender-card-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

const run = (program, ...words) =>
    execFileSync(program, words, { cwd: ROOT, maxBuffer: 2 ** 30, encoding: 'utf8', stdio: 'pipe' });

/** A sample of the repository, by the beginning of its name. */
export const sample = (name) => join(ROOT, 'samples', name);

/** The card of a capture. @param {string} capture @param {...string} options @returns {string} its path */
export function cardOf(capture, ...options) {
    const path = join(folder, `card-${Math.random().toString(36).slice(2)}.html`);
    run(PROGRAM, 'card', capture, '-o', path, ...options);
    return path;
}

/** The card of a difference. @param {string} before @param {string} after @returns {string} its path */
export function differenceOf(before, after) {
    const path = join(folder, `difference-${Math.random().toString(36).slice(2)}.html`);
    run(PROGRAM, 'diff', before, after, '-o', path);
    return path;
}

/** The data that a card shows first: of a large one its largest nodes. @param {string} html */
const firstText = (html) => /id="pr-payload">([^<]*)</.exec(html)[1];

/** The data of a card, as text. @param {string} path */
export function payloadIn(path) {
    const html = readFileSync(path, 'utf8');
    const rest = [...html.matchAll(/class="rest">([^<]*)</g)].map(([, text]) => text);
    return rest.join('') || firstText(html);
}

/** The data of a card. @param {string} path */
export const profileIn = (path) => decodePayload(payloadIn(path), READERS);

/** What it shows first. @param {string} path */
export const firstIn = (path) => decodePayload(firstText(readFileSync(path, 'utf8')), READERS);

/** Captures with this name ending from a collection next to the repository, if it exists. */
export function collected(...endings) {
    const all = join(ROOT, '../shared/captures/memray');
    const names = existsSync(all) ? readdirSync(all) : [];
    return names.filter((name) => endings.some((ending) => name.endsWith(ending))).map((name) => join(all, name));
}

/** A capture that no real program writes. @param {string} kind @param {number} size */
export function madeCapture(kind, size) {
    const path = join(folder, `${kind}-${size}.bin`);
    if (!existsSync(path)) run(MAKE_CAPTURE, kind, String(size), path);
    return path;
}

/** What the program exports for a view. @param {string} capture @param {string} view @param {...string} options */
export const exported = (capture, view, ...options) =>
    JSON.parse(run(PROGRAM, 'export', capture, '--view', view, '--format', 'json', ...options));

/** @param {string} name @param {string} html @returns {string} path */
export function saved(name, html) {
    const path = join(folder, name);
    writeFileSync(path, html);
    return path;
}

/** Nothing here takes long; however busy the machine is, only what never happens is an error. */
const PATIENCE_MS = 120_000;
const LOOKS_AGAIN_MS = 20;

/**
 * The effect of some actions (Back, a touch, scrolling) comes soon, not at once: repeats the assertion until it holds.
 * @template T
 * @param {() => Promise<T>} assertion
 * @returns {Promise<T>}
 */
export async function soon(assertion) {
    const end = Date.now() + PATIENCE_MS;
    for (;;) {
        try {
            return await assertion();
        } catch (error) {
            if (Date.now() > end) throw error;
            await new Promise((done) => setTimeout(done, LOOKS_AGAIN_MS));
        }
    }
}

let browser = null;

export async function startBrowser() {
    browser ??= await chromium.launch({
        executablePath: CHROMIUM,
        timeout: PATIENCE_MS,
        env: { ...process.env, TMPDIR: '/tmp' }, // the path of its socket must be short
        args: [
            '--headless',
            '--no-sandbox',
            '--disable-gpu',
            '--disable-quic',
            '--no-first-run',
            '--disable-background-networking',
            '--disable-component-update',
            '--disable-sync',
            // A quarter of a page's work is else done by threads that compile what runs once.
            '--js-flags=--single-threaded',
        ],
    });
    return browser;
}

export async function stopBrowser() {
    await browser?.close();
    browser = null;
}

/**
 * @param {string} path  of an HTML file
 * @param {object} [options]  width and height, hash, colorScheme, scripts (false: off), hasTouch, prepare: called with
 *     the page before it goes there
 */
export async function open(
    path,
    {
        width = 1280,
        height = 800,
        hash = '',
        colorScheme = 'light',
        scripts = true,
        hasTouch = false,
        prepare = async () => {},
    } = {},
) {
    const context = await (
        await startBrowser()
    ).newContext({ viewport: { width, height }, colorScheme, javaScriptEnabled: scripts, hasTouch });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    await prepare(page);
    const noise = [];
    const own = pathToFileURL(path).href;
    page.on('console', (message) => noise.push(`console: ${message.text()}`));
    page.on('pageerror', (error) => noise.push(`error: ${error.message}`));
    page.on('dialog', (dialog) => {
        noise.push(`dialog: ${dialog.message()}`);
        dialog.dismiss();
    });
    page.on(
        'request',
        (request) =>
            request.url().split('#')[0] !== own &&
            !request.url().startsWith('data:') &&
            noise.push(`request: ${request.url()}`),
    );
    await page.goto(own + hash);
    return {
        page,
        /** No requests, no messages, no errors. */
        quiet: () => assert.deepEqual(noise, []),
        close: () => context.close(),
    };
}

/** Opens a card, does something, and checks that it was silent. */
export async function withCard(path, options, act) {
    const card = await open(path, options);
    try {
        await act(card.page);
        card.quiet();
    } finally {
        await card.close();
    }
}

/**
 * The processor time of a page's thread for something, in ms: it does not depend on how busy the machine is.
 * @param {import('playwright-core').Page} page
 * @param {() => Promise<unknown>} act
 */
export async function costMs(page, act) {
    const client = await page.context().newCDPSession(page);
    const used = async () => {
        const { metrics } = await client.send('Performance.getMetrics');
        return 1000 * metrics.find(({ name }) => name === 'ThreadTime').value;
    };
    await client.send('Performance.enable');
    const before = await used();
    await act();
    const cost = (await used()) - before;
    await client.detach();
    assert.ok(cost > 0, 'it cost nothing');
    return cost;
}

/** The graph's own description. */
export const graphAccount = (page) =>
    page.$eval('.graph', ({ dataset }) => ({
        frames: Number(dataset.frames),
        frameSum: Number(dataset.frameSum),
        smaller: Number(dataset.smaller),
        smallerSum: Number(dataset.smallerSum),
    }));

/** Where the flamegraph is in the window, once it is scrolled into it: clicks by place reach what is visible only. */
export async function graphBox(page) {
    const canvas = page.locator('.flame canvas');
    await canvas.scrollIntoViewIfNeeded();
    return canvas.boundingBox();
}

/**
 * Zooms in the graph: a click selects, two zoom.
 * @param {import('playwright-core').Page} page
 * @param {number} x share of the width
 * @param {number} row
 */
export async function clickBox(page, x, row) {
    const box = await graphBox(page);
    await page.mouse.dblclick(box.x + box.width * x, box.y + 1 + 22 * row + 10);
}

/** The address as the page itself sees it: page.url() is updated later. */
export const address = (page) => page.evaluate(() => location.href);

/**
 * A finger that taps repeatedly, with a tenth of a second between taps by the clock of the events: how long the machine
 * takes to deliver them does not matter.
 * @param {import('playwright-core').Page} page
 * @param {{x: number, y: number}} place
 * @param {number} times
 */
export async function tap(page, place, times = 1) {
    const client = await page.context().newCDPSession(page);
    const start = Date.now() / 1000;
    for (let at = 0; at < times; at++) {
        const send = (type, touchPoints, after) =>
            client.send('Input.dispatchTouchEvent', { type, touchPoints, timestamp: start + at / 10 + after });
        await send('touchStart', [place], 0);
        await send('touchEnd', [], 0.03);
    }
    await client.detach();
}

/** Opens what is closed at first: what was captured, notes, the rest of findings and figures. */
export const openAll = (page) =>
    page.evaluate(() => {
        for (const part of document.querySelectorAll('.about, .notes details, .more')) part.open = true;
    });

export const text = (page, selector) => page.locator(selector).first().innerText();
