// SPDX-License-Identifier: Apache-2.0
/* What holds for every page, in each theme and width: axe finds nothing in it, and nothing is wider than the window. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { startBrowser } from './browser.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * @param {string} address
 * @param {{width: number, colorScheme: 'light' | 'dark'}} look
 * @param {string} [message]
 */
export async function assertAccessible(address, { width, colorScheme }, message) {
    // The policy would block axe itself.
    const browser = await startBrowser();
    const viewport = { width, height: 800 };
    // Colours in transition belong to no state.
    const reducedMotion = 'reduce';
    const context = await browser.newContext({ viewport, colorScheme, reducedMotion, bypassCSP: true });
    const page = await context.newPage();
    await page.goto(address);
    await page.evaluate(axe);
    const found = await page.evaluate(async () => {
        const { violations } = await window.axe.run({ resultTypes: ['violations'] });
        return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target).join(', ')}`);
    });
    assert.deepEqual(found, [], message);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), message);
    await context.close();
}
