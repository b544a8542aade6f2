// SPDX-License-Identifier: Apache-2.0
/* Lanes on one axis, one cursor, buttons to the peaks, values with units. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { cardOf, sample, saved, stopBrowser, text, withCard } from '../support/browser.mjs';
import { pageAround } from '../support/page.mjs';
import { payloadOf } from '../support/profile.mjs';

after(stopBrowser);

const MIB = 2 ** 20;
const at = Array.from({ length: 101 }, (_, i) => i * 1000);
const series = [
    {
        name: 'rss',
        title: 'RSS',
        unit: 'bytes',
        at,
        value: at.map((ms) => (ms === 40_000 ? 900 * MIB : 100 * MIB + ms * 1000)),
    },
    { name: 'heap', title: 'Heap', unit: 'bytes', at, value: at.map((ms) => (ms === 65_000 ? 500 * MIB : 50 * MIB)) },
];
const card = saved('timeline.html', pageAround(payloadOf([['main', 5]], { series, startMs: 0, endMs: 100_000 })));
const values = (page) => page.locator('.lane .c').allInnerTexts();

test('the cursor begins at the peak of the heap, and buttons lead to the peaks', async () => {
    await withCard(card, {}, async (page) => {
        assert.deepEqual((await values(page)).slice(0, 2), ['162 MiB', '500 MiB']);
        await page.getByRole('button', { name: 'Peak RSS 0:40' }).click();
        assert.deepEqual((await values(page)).slice(0, 2), ['900 MiB', '50.0 MiB']);
        await page.getByRole('button', { name: 'Peak heap 1:05' }).click();
        assert.deepEqual((await values(page)).slice(0, 2), ['162 MiB', '500 MiB']);
        assert.match(await page.locator('.lane .c').nth(1).getAttribute('title'), /^524,288,000 bytes$/);
    });
});

test('the cursor follows the pointer and the keys', async () => {
    await withCard(card, {}, async (page) => {
        const box = await page.locator('#tl').boundingBox();
        await page.mouse.move(box.x + 11, box.y + 30);
        assert.equal((await values(page))[0], '100 MiB');
        await page.locator('#tl').focus();
        await page.keyboard.press('ArrowRight');
        assert.equal((await values(page))[0], '101 MiB');
        await page.keyboard.press('p');
        assert.equal((await values(page))[1], '500 MiB');
    });
});

test('the lanes are described to those who cannot see them', async () => {
    await withCard(card, {}, async (page) => {
        assert.match(
            await page.locator('#tl').getAttribute('aria-label'),
            /Highest: RSS 900 MiB at 0:40; Heap 500 MiB at 1:05\./,
        );
    });
});

test('a lane without a point says so', async () => {
    const empty = saved(
        'no-points.html',
        pageAround(payloadOf([['main', 5]], { series: [{ ...series[0], at: [], value: [] }] })),
    );
    await withCard(empty, {}, async (page) => assert.deepEqual(await values(page), ['no data']));
});

test('the lanes of a real capture end with the peaks of its stats', async () => {
    await withCard(cardOf(sample('daily-sales.bin')), {}, async (page) => {
        const stats = await text(page, '.stats');
        for (const value of (await values(page)).slice(0, 2)) assert.match(value, /^[\d.]+ (MiB|GiB)$/);
        assert.ok(stats.replace(/\s+/g, ' ').includes((await values(page))[1]));
    });
});
