// SPDX-License-Identifier: Apache-2.0
/*
 * How fast a card is, by two clocks of its page: elapsed time, which a busy machine stretches, and the processor time
 * of the page's main thread, which it hardly affects. Tests look at the second, as a backstop;
 * tests/bench/card.mjs prints both.
 */
import { open } from './browser.mjs';

/** A page that is not ready by then has no time. */
const PATIENCE_MS = 120_000;
/** After this time without a click or a key, nothing is in progress. */
const REST_MS = 100;

/** Runs in the page before anything of its own: records when it first ran, and the longest time between frames. */
function watch() {
    const pace = { ready: 0, gap: 0 };
    let last = performance.now();
    const tick = () => {
        const now = performance.now();
        pace.gap = Math.max(pace.gap, now - last);
        last = now;
        if (!pace.ready && document.querySelector('[data-live]:not([hidden]) :is(.flame canvas, .tbl button)'))
            pace.ready = now;
        requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
    Object.assign(globalThis, { pace });
}

/**
 * The cost of something.
 * @typedef {object} Cost
 * @property {number} gapMs   the longest time without a frame
 * @property {number} workMs  processor time of the main thread
 */

/**
 * Opens a card and follows what it costs.
 * @param {string} path
 * @param {object} [options]  as of open()
 */
export async function openPaced(path, options = {}) {
    let client;
    const card = await open(path, {
        ...options,
        prepare: async (page) => {
            await page.addInitScript(watch);
            client = await page.context().newCDPSession(page);
            await client.send('Performance.enable', { timeDomain: 'threadTicks' });
        },
    });
    const { page } = card;
    const workMs = async () => {
        const { metrics } = await client.send('Performance.getMetrics');
        return metrics.find(({ name }) => name === 'TaskDuration').value * 1000;
    };
    const rest = () =>
        page.evaluate((ms) => new Promise((done) => requestAnimationFrame(() => setTimeout(done, ms))), REST_MS);
    await page.waitForFunction(() => globalThis.pace.ready, undefined, { timeout: PATIENCE_MS });
    const opened = { ms: await page.evaluate(() => globalThis.pace.ready), workMs: await workMs() };
    return {
        ...card,
        /** When it could be used, after it was requested. */
        opened,
        /** @param {() => Promise<unknown>} act @returns {Promise<Cost>} */
        async cost(act) {
            await rest();
            await page.evaluate(() => Object.assign(globalThis.pace, { gap: 0 }));
            const before = await workMs();
            await act();
            await rest();
            return { gapMs: await page.evaluate(() => globalThis.pace.gap), workMs: (await workMs()) - before };
        },
        /** When all nodes of a large page were there, after it was requested; at once on others. */
        whole: async () => {
            await page.waitForFunction(() => !document.querySelector('[inert]'), undefined, { timeout: PATIENCE_MS });
            return page.evaluate(() => performance.now());
        },
        /** The page's heap, with all arrays, in bytes. */
        heapBytes: () => page.evaluate(() => performance.memory.usedJSHeapSize),
    };
}

/** Clicks into the graph, in several places and rows, then back to the root. @returns {(() => Promise<unknown>)[]} */
export function zooms(page) {
    const clicks = Array.from({ length: 8 }, (_, i) => async () => {
        const box = await page.locator('.flame canvas').first().boundingBox();
        await page.mouse.click(box.x + 60 + 37 * i, box.y + 12 + 22 * (1 + ((3 * i) % 9)));
    });
    const show = () =>
        page
            .locator('.flame')
            .first()
            .evaluate((flame) => flame.scrollIntoView({ block: 'end' })); // not below the tabs, which stay in view
    return [show, ...clicks, () => page.keyboard.press('0')];
}

/** Turns the wheel over an element. */
export async function scroll(page, selector, byPx) {
    const box = await page.locator(selector).boundingBox();
    await page.mouse.move(box.x + box.width / 3, box.y + Math.min(200, box.height / 2));
    for (let turn = 0; turn < 30; turn++) {
        await page.mouse.wheel(0, byPx);
        await page.evaluate(() => new Promise(requestAnimationFrame));
    }
}

/** Searches as typing does, and waits while the page reports that it is searching; returns what is found. */
export async function search(page, words) {
    await page.evaluate((value) => {
        const input = document.querySelector('#q');
        input.value = value;
        input.dispatchEvent(new Event('input'));
    }, words);
    await page.waitForFunction(() => !/^Searching/.test(document.querySelector('#q + output').textContent));
    return page.locator('#q + output').innerText();
}

/** Presses a key, and waits while the page reports that it builds a tree of callers. */
export async function turn(page, key) {
    await page.keyboard.press(key);
    await page.waitForFunction(() => !/^Building/.test(document.querySelector('.crumbs .push').textContent));
}

/** Sets an end of the window. @param {'first' | 'last'} end @param {string} moment */
export const setWindow = (page, end, moment) =>
    page.evaluate(
        ([id, value]) => {
            const field = document.getElementById(`w-${id}`);
            field.value = value;
            field.dispatchEvent(new Event('change'));
        },
        [end, moment],
    );

/** Sorts the table by a column. @param {number} column */
export const sortBy = (page, column) =>
    page.evaluate((n) => document.querySelectorAll('#panel-table thead th button')[n].click(), column);
