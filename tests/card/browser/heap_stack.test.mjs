// SPDX-License-Identifier: Apache-2.0
/* The lane of the heap: a stack of functions, or what the selected frame or the one under the pointer holds. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { cardOf, graphBox, sample, soon, stopBrowser, text, withCard } from '../support/browser.mjs';

after(stopBrowser);

const WIDE = { width: 1440, height: 1000 };
const daily = cardOf(sample('daily-sales.bin'));
const entries = (page) => page.locator('.layer').allInnerTexts();
const picture = (page) => page.$eval('#tl', (canvas) => canvas.toDataURL());

/** The legend, once the lane is drawn. */
const legend = (page) =>
    soon(async () => {
        const all = await entries(page);
        assert.ok(all.length > 1, 'no legend');
        return all;
    });

test('the heap is a stack of functions, which at its peak have the figures of findings and tab, and the rest', () =>
    withCard(daily, WIDE, async (page) => {
        const all = await legend(page);
        assert.ok(all.length >= 4 && all.length <= 7, all.join());
        assert.match(all[0], /^lag_matrix\s*25[23] MiB$/);
        assert.match(all.at(-1), /^the rest/);
        const colours = await page.$$eval('.layer .sw', (marks) =>
            marks.map((mark) => getComputedStyle(mark).backgroundColor),
        );
        assert.equal(new Set(colours).size, all.length, colours.join());
        const exact = await page.$$eval('.layer', (list) => list.map(({ title }) => title));
        const heap = await page.locator('.tabs [aria-selected=true] span').getAttribute('title');
        const figures = exact.map((words) => /: ([\d,]+) bytes of ([\d,]+ bytes)$/.exec(words));
        figures.forEach(([, , whole]) => assert.equal(whole, heap));
        const sum = figures.reduce((all, [, part]) => all + Number(part.replaceAll(',', '')), 0);
        assert.equal(sum, Number(heap.replace(/\D/g, '')));
    }));

test('the values follow the cursor, and the layer under the pointer is named', () =>
    withCard(daily, WIDE, async (page) => {
        const before = await legend(page);
        const box = await page.locator('#tl').boundingBox();
        await page.mouse.move(box.x + box.width * 0.8, box.y + 140);
        await soon(async () => assert.notDeepEqual(await entries(page), before));
        await soon(async () => assert.match(await page.locator('#tl').getAttribute('title'), /: [\d,]+ bytes of /));
        const named = await page.locator('.layer.on').getAttribute('title');
        assert.equal(named, await page.locator('#tl').getAttribute('title'));
        await page.mouse.move(box.x + box.width * 0.8, box.y + 25);
        await soon(async () => assert.equal(await page.locator('.layer.on').count(), 0));
    }));

test('a layer leads to its function, whose life takes the place of the stack until a person asks for all again', () =>
    withCard(daily, WIDE, async (page) => {
        const all = await legend(page);
        const stack = await picture(page);
        await page.locator('.layer', { hasText: 'training_slice' }).click();
        assert.equal(await text(page, '.side .name'), 'training_slice');
        assert.match(await text(page, '.side .kv'), /Total\s+99\.9 MiB/);
        await soon(async () => assert.match((await entries(page))[1], /^heap without it/));
        assert.match((await entries(page))[0], /^training_slice\s*7\.\d+ MiB|^training_slice\s*0 B/);
        assert.notEqual(await picture(page), stack);
        await page.locator('.win .btn').first().click();
        await page.getByRole('button', { name: 'Largest functions' }).click();
        await soon(async () => assert.deepEqual(await entries(page), all));
    }));

test('the frame under the pointer shows its life while it is there', () =>
    withCard(daily, WIDE, async (page) => {
        const all = await legend(page);
        const box = await graphBox(page);
        await page.mouse.move(box.x + 40, box.y + 1 + 22 * 4 + 10);
        await soon(async () => assert.match((await entries(page))[0], /^lag_matrix\s*253 MiB/));
        assert.match((await entries(page))[1], /^heap without it/);
        await page.mouse.move(box.x + 40, box.y - 60);
        await soon(async () => assert.deepEqual(await entries(page), all));
    }));

test('where the tab has no history, a layer opens the one that has', () =>
    withCard(cardOf(sample('nightly')), WIDE, async (page) => {
        const all = await legend(page);
        assert.match(all[0], /^train/);
        await page.locator('.layer').first().click();
        assert.equal(await page.locator('[data-tab=peak]').getAttribute('aria-selected'), 'true');
        assert.equal(await text(page, '.side .name'), 'train');

        // The heap begins at 1.55 s: a window before that stays what was dragged, and what has no data there says so.
        const { x, y, width } = await page.locator('#tl').boundingBox();
        const at = (share) => x + share * width;
        await page.mouse.move(at(0.15), y + 60);
        await page.mouse.down();
        await page.mouse.move(at(0.4), y + 60, { steps: 4 });
        await page.mouse.up();
        const fields = await page.locator('.win input').evaluateAll((list) => list.map(({ value }) => value));
        const edges = fields.map(parseFloat);
        assert.ok(edges[0] > 0.3 && edges[0] < 0.5 && edges[1] > 1 && edges[1] < 1.3, edges.join());
        assert.match(await text(page, '[data-tab=peak]'), /no data/);
        assert.match(await text(page, '.crumbs'), /no data in/);
        assert.equal(await text(page, '.nothing'), 'This view has no data in this part of the run.');
        await soon(async () => {
            for (const entry of await entries(page)) assert.match(entry, /no data$/);
        });
    }));
