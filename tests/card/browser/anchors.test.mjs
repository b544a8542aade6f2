// SPDX-License-Identifier: Apache-2.0
/* Links in notes: to seconds of the run, a tab and a function, and those that Share copies. */
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { cardOf, openAll, sample, soon, stopBrowser, text, withCard } from '../support/browser.mjs';

const folder = mkdtempSync(join(tmpdir(), 'profrender-anchors-'));
after(async () => {
    await stopBrowser();
    rmSync(folder, { recursive: true });
});

const links = [
    '[spike](#window=5.5-5.7&view=peak&frame=nan_to_num)',
    '[leak](#view=leaks&frame=training_slice)',
    '[nowhere](#window=9-1&view=no&frame=%3Cscript%3E)',
];
copyFileSync(sample('daily-sales.bin'), join(folder, 'memray.bin'));
writeFileSync(join(folder, 'notes.md'), links.join('\n\n'));
const card = cardOf(folder);

test('a link in notes opens seconds of the run, a tab and a function', () =>
    withCard(card, { width: 1440, height: 900 }, async (page) => {
        await openAll(page);
        await page.getByRole('link', { name: 'spike' }).click();
        await soon(async () => assert.equal(await text(page, '.side .name'), 'nan_to_num'));
        const fields = page.locator('.win input');
        const [from, to] = await fields.evaluateAll((all) => all.map(({ value }) => parseFloat(value)));
        assert.ok(from <= 5.5 && from > 5.3 && to >= 5.7 && to < 5.9, `${from} to ${to}`);
        await page.getByRole('link', { name: 'leak' }).click();
        await soon(async () => assert.equal(await text(page, '.side .name'), 'training_slice'));
        assert.match(await text(page, '.tabs [aria-selected=true]'), /^Not freed/);
    }));

test('a link to what is not there changes nothing else', () =>
    withCard(card, { width: 1440, height: 900 }, async (page) => {
        const before = await text(page, '.side .name');
        await openAll(page);
        await page.getByRole('link', { name: 'nowhere' }).click();
        await soon(async () => assert.match(await page.evaluate(() => location.hash), /nowhere|view=no|tab=/));
        assert.equal(await text(page, '.side .name'), before);
    }));
