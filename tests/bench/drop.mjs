// SPDX-License-Identifier: Apache-2.0
/*
 * How long the drop page takes in Chromium, from the drop of a capture to its card: `node drop.mjs CAPTURE` prints
 * seconds, then zeros, as measure.c prints processor time and memory.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT, startBrowser, stopBrowser } from '../card/support/browser.mjs';

const PATIENCE_MS = 600_000;
const PAGE = pathToFileURL(join(ROOT, 'build/wasm/drop.html')).href;
const browser = await startBrowser();
const page = await browser.newPage();
page.setDefaultTimeout(PATIENCE_MS);
await page.goto(PAGE);
const begins = await page.evaluate(() => performance.now());
await page.setInputFiles('input[type=file]:not([webkitdirectory])', process.argv[2]);
await page.locator('#result').waitFor({ state: 'visible' });
const ends = await page.evaluate(() => performance.now());
await stopBrowser();
console.log((ends - begins) / 1000, 0, 0);
