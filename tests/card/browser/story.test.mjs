// SPDX-License-Identifier: Apache-2.0
/* The weight of what a card shows: what matters is in the first screens, the rest is one step away. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { cardOf, clickBox, openAll, sample, stopBrowser, text, withCard } from '../support/browser.mjs';

after(stopBrowser);
const failed = cardOf(sample('nightly'));
const daily = cardOf(sample('daily-sales.bin'));
const top = (page, selector) =>
    page.locator(selector).first().evaluate((one) => Math.round(one.getBoundingClientRect().top + scrollY));

test('the graph of a failed run begins in the second screen at most', async () => {
    await withCard(failed, { width: 1440, height: 900 }, async (page) =>
        assert.ok((await top(page, '.flame')) <= 1000, String(await top(page, '.flame'))),
    );
    await withCard(failed, { width: 390 }, async (page) =>
        assert.ok((await top(page, '.flame')) <= 1660, String(await top(page, '.flame'))),
    );
});

test('three findings, five figures, four lanes; more of each opens, with scripts or without', async () => {
    for (const scripts of [true, false]) {
        await withCard(failed, { scripts }, async (page) => {
            const seen = (selector) => page.locator(`${selector}:visible`).count();
            assert.equal(await seen('.findings li'), 3);
            assert.equal(await seen('.stat'), 5);
            const before = [await page.locator('.findings li').count(), await page.locator('.stat').count()];
            const told = await page.locator('.more > summary').allInnerTexts();
            assert.deepEqual(told.slice(0, 2), [`${before[0] - 3} more`, `${before[1] - 5} more`]);
            await openAll(page);
            assert.deepEqual([await seen('.findings li'), await seen('.stat')], before);
        });
    }
    await withCard(failed, {}, async (page) => {
        assert.ok((await page.locator('.gut .lane:not(.ax):visible').count()) <= 4);
        const more = page.locator('.lane.ax .link');
        assert.equal(await more.innerText(), '7 more lanes');
        const height = (await page.locator('#tl').boundingBox()).height;
        await more.click();
        assert.equal(await more.innerText(), 'Fewer lanes');
        assert.equal(await more.getAttribute('aria-expanded'), 'true');
        assert.equal(await page.locator('.gut .lane:not(.ax):visible').count(), 9);
        const lanes = await page.$$eval('.gut .lane', (all) => all.reduce((sum, one) => sum + one.offsetHeight, 0));
        const now = (await page.locator('#tl').boundingBox()).height;
        assert.ok(now > height);
        assert.equal(now, lanes, 'names and lines have the same height');
        await more.click();
        assert.equal((await page.locator('#tl').boundingBox()).height, height);
    });
});

test('figures of one line have no button', () =>
    withCard(cardOf(sample('cpu/wordcount.cpuprofile')), {}, async (page) => {
        assert.equal(await page.locator('.totals .more').count(), 0);
    }));

test('notes come before the figures, in a line; they open', () =>
    withCard(failed, {}, async (page) => {
        assert.ok((await top(page, '.notes')) < (await top(page, '.stats')));
        assert.match(await text(page, '.teaser'), /^Nightly sales, third night First run since/);
        assert.equal(await page.locator('.md').isVisible(), false);
        await page.locator('.notes summary').click();
        assert.ok(await page.locator('.md').isVisible());
    }));

test('one command follows the view', () =>
    withCard(daily, {}, async (page) => {
        const command = () => page.locator('.cmd.now code').innerText();
        const input = /^profrender table \S*daily-sales\.bin/.exec(await command())[0];
        assert.equal(await command(), input);
        await page.locator('[data-tab=leaks]').click();
        assert.equal(await command(), `${input} --metric leaked`);
        await page.evaluate(() => (location.hash = 'tab=leaks&window=b3:b17'));
        await page.waitForFunction(() => document.querySelector('.cmd.now code').textContent.includes('--window'));
        assert.equal(await command(), `${input} --metric leaked --window b3:b17`);
    }));

test('zooming moves nothing below the graph', () =>
    withCard(daily, { width: 1440 }, async (page) => {
        const before = await top(page, '.mini');
        await clickBox(page, 0.2, 5);
        await page.locator('.side .btn', { hasText: 'Zoom' }).click();
        assert.match(await page.evaluate(() => location.hash), /zoom=/);
        assert.equal(await top(page, '.mini'), before);
    }));
