// SPDX-License-Identifier: Apache-2.0
/* Each state of a capture is described in words, with and without scripts. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { cardOf, madeCapture, sample, stopBrowser, text, withCard } from '../support/browser.mjs';

after(stopBrowser);

const STATES = [
    {
        state: 'empty',
        card: () => cardOf(madeCapture('empty', 1)),
        says: [
            ['#profile', /No allocations in this capture/],
            ['.stats', /Peak RSS\s*not recorded\s*no memory sample in the capture/],
        ],
    },
    {
        state: 'cut short',
        card: () => cardOf(sample('killed-py3.12-memray1.20.0-default.bin')),
        says: [
            ['.banner.cut h2', /^The capture is incomplete: the first 100 ms were recorded$/],
            ['.banner.cut', /up to byte 16,211 .*no end mark/],
            ['.stats', /Not freed at the end\s*unknown\s*341 KiB was held when the capture ended/],
            ['#t-leaks', /^Still in use\s*341 KiB/],
            ['footer', /read up to byte 16,211/],
        ],
    },
    {
        state: 'damaged',
        card: () => cardOf(sample('json_dict-py3.12-memray1.20.0-default+cut-half.bin')),
        says: [
            ['.banner.cut h2', /^The capture is incomplete: the first 17\.0 ms of 80\.0 ms could be read$/],
            ['.banner.cut', /byte 7,990 .*LZ4 block .*cut short/],
        ],
    },
    {
        state: 'huge',
        card: () => cardOf(madeCapture('wide', 2000), '--max-nodes', '500'),
        says: [['footer', /1,503 smaller frames are summed up in 1 box, totals are exact/]],
    },
];

test('the lanes of a cut capture say from when on they are not known', async () => {
    const card = cardOf(sample('json_dict-py3.12-memray1.20.0-default+cut-half.bin'));
    await withCard(card, {}, async (page) => {
        const words = await page.locator('#tl').getAttribute('aria-label');
        assert.match(words, /RSS is not known after 17\.0 ms\. Heap is not known after 17\.0 ms\./);
    });
    await withCard(card, { scripts: false }, async (page) => {
        assert.equal(await page.locator('.lane-plot text', { hasText: 'not known after 17.0 ms' }).count(), 2);
    });
    await withCard(cardOf(sample('daily-sales.bin')), {}, async (page) => {
        assert.doesNotMatch(await page.locator('#tl').getAttribute('aria-label'), /not known/);
    });
});

for (const { state, card, says } of STATES) {
    test(`a capture that is ${state} says so`, async () => {
        const path = card();
        for (const scripts of [true, false])
            await withCard(path, { scripts }, async (page) => {
                for (const [place, words] of says) assert.match(await text(page, place), words, `scripts ${scripts}`);
            });
    });
}
