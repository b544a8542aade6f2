// SPDX-License-Identifier: Apache-2.0
/* Figures and the words of buttons are whole at every width, and no page is wider than its window. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { PROGRAM, cardOf, sample, stopBrowser, withCard } from '../support/browser.mjs';

const folder = mkdtempSync(join(tmpdir(), 'profrender-cut-'));
after(async () => {
    await stopBrowser();
    rmSync(folder, { recursive: true });
});

/** @param {string} before @param {string} after */
function differenceOf(before, after) {
    const path = join(folder, 'difference.html');
    execFileSync(PROGRAM, ['diff', sample(before), sample(after), '-o', path], { stdio: 'pipe' });
    return path;
}

const WIDTHS = [1440, 1280, 768, 390];
const cards = {
    'large numbers': () => cardOf(sample('cpu/hashtab.perf.folded')),
    'a heap dump': () => cardOf(sample('heap/shelf.hprof.zst')),
    'a heat map': () => cardOf(sample('cpu/fanout.pyspy.trace.json')),
    'a failed run': () => cardOf(sample('nightly')),
    'a difference': () =>
        differenceOf('json_dict-py3.8-memray1.1.0-default.bin', 'json_dict-py3.13-memray1.18.0-default.bin'),
};

/** What is in sight and does not fit. @param {import('playwright-core').Page} page */
const cutIn = (page) =>
    page.evaluate(() =>
        [...document.querySelectorAll('.seg button, .list .num, .ctree td, .stat .v, .ramp')]
            .filter((one) => one.getClientRects().length)
            .filter((one) => one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 6)
            .map((one) => `${one.className || one.tagName}: ${one.textContent}`),
    );

for (const [name, make] of Object.entries(cards)) {
    test(`no figure and no button is cut: ${name}`, async () => {
        const card = make();
        for (const width of WIDTHS)
            await withCard(card, { width, height: 900 }, async (page) => {
                assert.deepEqual(await cutIn(page), [], `${width} px`);
                const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
                assert.equal(beyond, 0, `${width} px`);
            });
    });
}
