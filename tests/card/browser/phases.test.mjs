// SPDX-License-Identifier: Apache-2.0
/* Phases of a run: bands over the lanes and a table; a click makes one the window. */
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { assertAccessible } from '../support/axe.mjs';
import { cardOf, profileIn, sample, soon, stopBrowser, text, withCard } from '../support/browser.mjs';

const folder = mkdtempSync(join(tmpdir(), 'profrender-phases-'));
after(async () => {
    await stopBrowser();
    rmSync(folder, { recursive: true });
});

const HOSTILE = '</script><img src=x onerror=alert(1)>';
const { series } = profileIn(cardOf(sample('daily-sales.bin')));
const start = series[0].at[0] / 1000;
const lines = [
    { type: 'start', version: 1, t: start, argv: ['x'] },
    { type: 'mark', ts: 3, mark: 'load' },
    { type: 'mark', ts: 4.5, mark: HOSTILE },
    { type: 'mark', ts: 6, mark: 'forecast' },
    { type: 'end', t: start + 9.3, wall: 9.3, exit: 0, signal: null },
];
writeFileSync(join(folder, 'timeline.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
const sampled = Array.from({ length: 94 }, (_, i) => ({ ts: i / 10, rss_mb: 50 + i }));
writeFileSync(join(folder, 'run.jsonl'), lines.concat(sampled).map((line) => `${JSON.stringify(line)}\n`).join(''));
const alone = cardOf(join(folder, 'run.jsonl'));
rmSync(join(folder, 'run.jsonl'));
copyFileSync(sample('daily-sales.bin'), join(folder, 'memray.bin'));
const card = cardOf(folder);

const WIDE = { width: 1440, height: 1000 };

test('the table has the look of all tables where a run has no profile, too', () =>
    withCard(alone, WIDE, async (page) => {
        const lookOf = (selector) =>
            page.locator(selector).first().evaluate((cell) => {
                const { textAlign, paddingLeft, fontWeight, whiteSpace } = getComputedStyle(cell);
                return [textAlign, paddingLeft, fontWeight, whiteSpace];
            });
        assert.deepEqual(await lookOf('.phases thead th'), ['left', '12px', '500', 'nowrap']);
        assert.deepEqual(await lookOf('.phases td.r'), ['right', '12px', '400', 'nowrap']);
    }));

test('a band for each phase, as wide as it is long, and none where it has no room', () =>
    withCard(card, WIDE, async (page) => {
        const bands = page.locator('.band');
        assert.deepEqual(await bands.allInnerTexts(), ['\u2026', 'load', HOSTILE, 'forecast']);
        const boxes = await bands.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().width));
        assert.ok(Math.abs(boxes[0] / boxes[1] - 2) < 0.1, boxes.join());
        assert.match(await bands.nth(1).getAttribute('title'), /^load: 1\.50 s, from 3(\.00\d)? s after the start$/);
    }));

test('a click makes a phase the window, and another one takes it back', () =>
    withCard(card, WIDE, async (page) => {
        await page.locator('.band', { hasText: 'forecast' }).click();
        await soon(async () => assert.match(await page.evaluate(() => location.hash), /window=b\d+/));
        assert.equal(await page.locator('.band[aria-pressed=true]').innerText(), 'forecast');
        const total = await text(page, '.crumbs .push b');
        await page.locator('.phases summary').click();
        const row = page.locator('.phases tr', { hasText: 'forecast' });
        assert.ok((await row.innerText()).includes(total), total);
        await page.locator('.band', { hasText: 'forecast' }).click();
        await soon(async () => assert.doesNotMatch(await page.evaluate(() => location.hash), /window=/));
        await row.locator('button').click();
        await soon(async () => assert.match(await page.evaluate(() => location.hash), /window=b\d+/));
    }));

test('without a profile a band zooms the axis, and the table is open', () =>
    withCard(alone, WIDE, async (page) => {
        const width = async () => (await page.locator('.band').nth(1).boundingBox()).width;
        const before = await width();
        await page.locator('.band', { hasText: 'load' }).click();
        await soon(async () => assert.ok((await width()) > 5 * before));
        assert.ok(await page.getByRole('button', { name: 'Whole run' }).isVisible());
        assert.equal(await page.locator('.phases tbody tr').count(), 4);
        assert.ok(await page.locator('.phases tbody').isVisible());
    }));

test('cards with phases are accessible, wide and narrow', async () => {
    for (const [width, colorScheme] of [
        [1280, 'light'],
        [390, 'dark'],
    ])
        await assertAccessible(`file://${card}`, { width, colorScheme });
});
