// SPDX-License-Identifier: Apache-2.0
/* On a phone, and for whoever is new: a sheet for what was tapped, a toolbar of one row, and what the words mean. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { cardOf, differenceOf, sample, soon, stopBrowser, text, withCard } from '../support/browser.mjs';

after(stopBrowser);

const card = cardOf(sample('nightly'));
const PHONE = { width: 390, height: 844, hasTouch: true };
const isSeen = (page, selector) => page.locator(selector).isVisible();

test('a phone begins with the own code as rows; a link and a wide screen with the graph', async () => {
    await withCard(card, PHONE, async (page) => {
        await soon(async () => assert.ok(await isSeen(page, '.ctree')));
        assert.ok(!(await isSeen(page, '.flame canvas')));
        const owners = await page.locator('.ctree tbody .sw').evaluateAll((all) => all.map((one) => one.className));
        assert.ok(owners.length > 3 && owners.every((name) => / o-[mrof]$/.test(name)), owners.join());
    });
    for (const look of [{ ...PHONE, hash: '#tab=peak' }, { width: 1280 }])
        await withCard(card, look, (page) => soon(async () => assert.ok(await isSeen(page, '.flame canvas'))));
});

test('tabs and search stay in view, one below the other', () =>
    withCard(card, { ...PHONE, hash: '#tab=peak' }, async (page) => {
        await page.locator('.side').scrollIntoViewIfNeeded();
        await page.evaluate(() => scrollBy(0, 600));
        await soon(async () => {
            const [tabs, bar] = await Promise.all(
                ['.tabline', '.bar'].map((one) => page.locator(one).first().boundingBox()),
            );
            assert.ok(tabs.y === 0 && Math.abs(bar.y - tabs.height) <= 1, `${tabs.y} ${tabs.height} ${bar.y}`);
        });
        const bottom = async () => {
            const { y, height } = await page.locator('.flame').first().boundingBox();
            return y + height;
        };
        assert.ok((await bottom()) < 0, 'the graph is above the screen');
        await page.locator('#t-leaks').click();
        await soon(async () => assert.ok((await bottom()) > 90, 'what the tab shows is in view'));
    }));

test('names in the rows have most of the width', async () => {
    await withCard(cardOf(sample('daily-sales.bin')), PHONE, async (page) => {
        const isWhole = (name) =>
            page
                .locator('.ctree tbody th', { hasText: new RegExp(`^\\W*${name}\\b`) })
                .first()
                .evaluate((one) => one.scrollWidth <= one.clientWidth);
        for (const name of ['lag_matrix', 'scaled', 'tills'])
            await soon(async () => assert.ok(await isWhole(name), name));
    });
});

test('the command for a terminal has the width of its panel; what leads to more is below it', () =>
    withCard(cardOf(sample('timeline/etl.mprof.dat')), PHONE, async (page) => {
        const boxOf = (selector) => page.locator(selector).first().boundingBox();
        const [panel, command, more] = await Promise.all(['.terminal', '.cmd.now', '.terminal summary'].map(boxOf));
        assert.ok(panel.width - command.width < 4, `${command.width} of ${panel.width}`);
        assert.ok(more.y >= command.y + command.height && panel.width - more.width < 4);
    }));

test('two buttons of peaks have one row, and RSS the name that its lane has', () =>
    withCard(cardOf(sample('cpu/hashtab.heaptrack.zst')), PHONE, async (page) => {
        await soon(async () => assert.equal(await page.locator('.jumps .btn:visible').count(), 2));
        const buttons = await page.locator('.jumps .btn:visible').evaluateAll((all) =>
            all.map((one) => [one.offsetTop, one.textContent.replace(/ [^ ]+ ms$/, '')]));
        assert.deepEqual(buttons.map(([, words]) => words).sort(), ['Peak RSS', 'Peak heap']);
        assert.equal(buttons[0][0], buttons[1][0]);
    }));

test('four buttons of peaks take two rows', async () => {
    const samples = ['json_dict-py3.9-memray1.2.0-default.bin', 'json_dict-py3.9-memray1.6.0-default.bin'];
    await withCard(differenceOf(...samples.map(sample)), PHONE, async (page) => {
        await soon(async () => assert.equal(await page.locator('.jumps .btn:visible').count(), 4));
        const tops = await page.locator('.jumps .btn:visible').evaluateAll((all) => all.map((one) => one.offsetTop));
        assert.equal(new Set(tops).size, 2, tops.join());
    });
});

test('where the panel of the frame leaves little width, whose code is below the other two lists', async () => {
    for (const [width, columns] of [[1100, 2], [1280, 2], [1440, 3]])
        await withCard(cardOf(sample('daily-sales.bin')), { width, hash: '#tab=temporary' }, async (page) => {
            await soon(async () => assert.equal(await page.locator('.mini > div:visible').count(), 3));
            const lists = await page.locator('.mini > div').evaluateAll((all) => all.map((one) => one.offsetLeft));
            assert.equal(new Set(lists).size, columns, `${width}: ${lists.join()}`);
        });
});

test('three lists below the rows are one below the other, and their names are there', async () => {
    await withCard(cardOf(sample('cpu/wordcount.cpuprofile')), PHONE, async (page) => {
        await soon(async () => assert.equal(await page.locator('.mini > div:visible').count(), 3));
        const lists = await page.locator('.mini > div').evaluateAll((all) => all.map((one) => one.offsetLeft));
        assert.equal(new Set(lists).size, 1, lists.join());
    });
});

test('what is tapped is named at the lower edge, with its size and what can be done; it closes', async () => {
    await withCard(card, PHONE, async (page) => {
        const row = page.locator('.ctree tr', { hasText: 'stable_bucket' }).first();
        assert.ok(!(await isSeen(page, '.sheet')));
        await row.tap();
        await soon(async () => assert.match(await text(page, '.sheet .name'), /^stable_bucket/));
        assert.match(await text(page, '.sheet .much'), /^[\d.,]+ m?s [\d.]+ %$/);
        const edge = await page.locator('.sheet').evaluate((one) => one.getBoundingClientRect().bottom);
        assert.ok(edge <= 844 && edge > 800, String(edge));
        await page.locator('.sheet').getByRole('button', { name: 'Zoom' }).tap();
        await soon(async () => assert.match(await text(page, '.crumbs li:last-child'), /^stable_bucket/));
        await page.locator('.sheet').getByRole('button', { name: 'Close' }).tap();
        await soon(async () => assert.ok(!(await isSeen(page, '.sheet'))));
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 390));
    });
    await withCard(card, { width: 1280 }, async (page) => {
        await page.locator('.mini button').first().click();
        assert.ok(!(await isSeen(page, '.sheet')));
    });
});

test('a tap on the frame that is selected already opens the sheet, too', async () => {
    await withCard(card, { ...PHONE, hash: '#tab=peak' }, async (page) => {
        await page.locator('.flame canvas').scrollIntoViewIfNeeded();
        const name = await text(page, '.side .name');
        const box = await page.locator('.flame canvas').boundingBox();
        for (let row = 1; row < 12 && !(await isSeen(page, '.sheet')); row++)
            if (row * 22 < box.height) await page.touchscreen.tap(box.x + 40, box.y + row * 22 + 11);
        await soon(async () => assert.ok(await isSeen(page, '.sheet')));
        assert.ok(name);
    });
});

test('the toolbar is one row; the rest is a sheet', async () => {
    await withCard(card, { ...PHONE, hash: '#tab=peak' }, async (page) => {
        const high = () => page.locator('.bar').evaluate((one) => one.getBoundingClientRect().height);
        const before = await high();
        assert.ok(before < 64, String(before));
        await page.getByRole('button', { name: 'View' }).tap();
        await soon(async () => assert.ok(await isSeen(page, '.bar .parts')));
        assert.equal(await high(), before);
        const { bottom, height } = await page.locator('.bar .parts').evaluate((one) => one.getBoundingClientRect());
        assert.ok(Math.abs(bottom - 844) < 1 && height < 400, `${bottom} ${height}`);
        await page.locator('.bar summary', { hasText: 'Threads' }).tap();
        const pop = page.locator('.bar details[open] .pop');
        await soon(async () => assert.ok((await pop.boundingBox()).y >= 0));
    });
});

test('a label says what its word means: on hover, by keyboard and to a finger', async () => {
    await withCard(card, { width: 1280 }, async (page) => {
        const label = page.locator('.stat .term', { hasText: 'Peak heap' });
        assert.match(await label.getAttribute('title'), /requested/);
        assert.match(await page.locator('.kv .term', { hasText: 'Self' }).getAttribute('title'), /own code/);
        assert.equal(await page.locator('.stat .term', { hasText: 'Wall time' }).count(), 0);
        await label.focus();
        assert.match(await text(page, '[role=tooltip]:not([hidden]):not(.graph .tip)'), /requested/);
        await page.keyboard.press('Escape');
        assert.equal(await page.getByText(/had requested and not yet/).locator('visible=true').count(), 0);
    });
    await withCard(card, PHONE, async (page) => {
        await page.locator('.stat .term', { hasText: 'Peak RSS' }).tap();
        const tip = page.locator('[role=tooltip]', { hasText: 'resident' });
        await soon(async () => assert.ok(await tip.isVisible()));
        const { x, width } = await tip.boundingBox();
        assert.ok(x >= 0 && x + width <= 390, `${x} ${width}`);
    });
});

test('tabs, lanes, heads of tables and what the view adds up explain their words, too', async () => {
    const tip = '[role=tooltip]:not(.graph .tip)';
    await withCard(card, { width: 1280, hash: '#tab=peak' }, async (page) => {
        for (const [control, words] of [
            ['#t-peak', /highest value/],
            ['#t-temporary', /before the next allocation/],
            ['.lane .term:text("RSS")', /resident memory/],
            ['.lane .term:text("heap")', /requested/],
            ['.crumbs .term', /highest value/],
        ])
            assert.match(await page.locator(control).first().getAttribute('title'), words, control);
        await page.locator('#t-peak').focus();
        await page.keyboard.press('ArrowRight');
        await page.keyboard.press('ArrowRight');
        await soon(async () => assert.match(await text(page, tip), /before the next allocation/));
        await page.locator('.tabline').getByText('Table', { exact: true }).click();
        await soon(async () => assert.equal(await page.locator(tip).count(), 0));
        const self = page.locator('#panel-table thead button', { hasText: 'Self' });
        assert.match(await self.getAttribute('title'), /own code/);
        await self.click();
        assert.equal(await page.locator(tip).count(), 0, 'a click sorts');
    });
    await withCard(card, PHONE, async (page) => {
        for (const [label, words] of [
            ['.lane .term', /resident|requested/],
            ['.ctree thead .term', /everything it called/],
        ]) {
            await page.locator(label).first().tap();
            await soon(async () => assert.match(await text(page, tip), words, label));
        }
    });
});

test('help tells how to read the graph, the words and the keys; without scripts all but the keys', async () => {
    await withCard(card, { width: 1280 }, async (page) => {
        await page.keyboard.press('?');
        const words = await text(page, 'dialog[open]');
        for (const part of [/boxes below it are what it called/, /resident memory/, /PSS/, /Keys/, /my code/])
            assert.match(words, part);
        assert.ok(await page.locator('dialog[open] .ice').isVisible());
        await page.keyboard.press('Escape');
        await soon(async () => assert.equal(await page.locator('dialog[open]').count(), 0));
    });
    await withCard(card, { scripts: false }, async (page) => {
        await page.locator('.howto summary').click();
        assert.match(await text(page, '.howto'), /resident memory/);
        assert.doesNotMatch(await text(page, '.howto'), /Keys/);
    });
});
