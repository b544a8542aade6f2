// SPDX-License-Identifier: Apache-2.0
/*
 * How fast a card is, by the clock of its page: when it can be used, how long an answer takes, how long no frame comes.
 * The tests take it as a backstop, tests/bench/card.mjs prints it.
 */
import { readFileSync } from 'node:fs';
import { open, startBrowser } from './browser.mjs';

/** Runs in the page before anything of its own: notes when it was first alive, and the time between frames. */
function watch() {
    const pace = { ready: 0, gap: 0 };
    let last = performance.now();
    const tick = () => {
        const now = performance.now();
        pace.gap = Math.max(pace.gap, now - last);
        last = now;
        if (!pace.ready && document.querySelector('[data-live]:not([hidden]) canvas, [data-live]:not([hidden]) .tbl'))
            pace.ready = now;
        requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
    globalThis.pace = pace;
}

/**
 * Opens a card that is watched.
 * @param {string} path  of an HTML file
 * @param {object} [options]  as of open()
 */
export const openWatched = (path, options = {}) => open(path, { ...options, before: watch });

/** When the page could be used, in ms after it was asked for. */
export async function readyAfter(page) {
    await page.waitForFunction(() => globalThis.pace.ready, undefined, { timeout: 120_000 });
    return page.evaluate(() => globalThis.pace.ready);
}

/** The longest time without a frame while ACT is done and shown, in ms. */
export async function longestGap(page, act) {
    const settle = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100))));
    await settle();
    await page.evaluate(() => Object.assign(globalThis.pace, { gap: 0 }));
    await act();
    await settle();
    return page.evaluate(() => globalThis.pace.gap);
}
