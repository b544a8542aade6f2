// SPDX-License-Identifier: Apache-2.0
/* The page says what the program says, whatever the names are. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, test } from 'node:test';
import {
    ROOT,
    cardOf,
    exported,
    graphAccount,
    madeCapture,
    sample,
    soon,
    stopBrowser,
    text,
    withCard,
} from '../support/browser.mjs';

after(stopBrowser);

const VIEWS = { peak: 'peak', leaks: 'leaks', temporary: 'temporary' };

for (const name of readdirSync(`${ROOT}/samples`).filter((file) => file.endsWith('.bin'))) {
    test(`drawn and smaller frames are the program's total, in each view: ${name}`, async () => {
        const capture = sample(name);
        await withCard(cardOf(capture), {}, async (page) => {
            const tabs = await page.locator('[role=tab]').evaluateAll((all) => all.map((tab) => tab.dataset.tab));
            for (const tab of tabs.filter((t) => t in VIEWS)) {
                const { total_size: total } = exported(capture, VIEWS[tab]);
                await page.locator(`[data-tab=${tab}]`).click();
                if (total === 0) {
                    assert.match(await text(page, '.nothing'), /Nothing/);
                    continue;
                }
                for (const by of ['Functions', 'Lines']) {
                    await page
                        .locator('#panel-graph, .bar')
                        .getByRole('button', { name: by, exact: true })
                        .first()
                        .or(page.getByTitle(`A frame for each ${by === 'Lines' ? 'line' : 'function'}`))
                        .first()
                        .click();
                    const drawn = await graphAccount(page);
                    assert.equal(drawn.frameSum + drawn.smallerSum, total, `${tab}, ${by}`);
                }
                const exact = await page.locator('.crumbs b span').getAttribute('title');
                assert.equal(Number(exact.replace(/\D/g, '')), total);
                const side = await page
                    .locator('.mini .list')
                    .last()
                    .locator('.num span')
                    .evaluateAll((all) => all.map((e) => Number(e.title.split(' of ')[0].replace(/\D/g, ''))));
                assert.equal(
                    side.reduce((a, b) => a + b, 0),
                    total,
                );
            }
        });
    });
}

test('whose code it is depends on no view, and is the same on a phone', async () => {
    const card = cardOf(sample('daily-sales.bin'));
    const said = new Set();
    const note = async (page) => {
        const words = await page.locator('.mini').textContent();
        said.add(/Whose code.*?library[\d.\s]+%/.exec(words)?.[0]);
    };
    await withCard(card, {}, async (page) => {
        await note(page);
        await page.keyboard.press('h');
        await note(page);
        const before = await graphAccount(page);
        await page.getByRole('button', { name: 'My code' }).click();
        await soon(async () => assert.notDeepEqual(await graphAccount(page), before));
        await note(page);
    });
    await withCard(card, { width: 390, height: 844 }, note);
    assert.equal(said.size, 1, [...said].join('; '));
    assert.ok(![...said].includes(undefined));
});

test('hostile names run nothing, hide nothing, and widen nothing', async () => {
    const card = cardOf(madeCapture('hostile', 1_000_000));
    for (const options of [{}, { width: 390 }, { scripts: false }]) {
        await withCard(card, options, async (page) => {
            assert.notEqual(await page.title(), 'ran');
            assert.equal(await page.locator('img, object, iframe, [onload], [onerror]').count(), 0);
            assert.ok(
                await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
                JSON.stringify(options),
            );
            if (options.scripts === false) return;
            if (options.width) await page.locator('.opener').click();
            await page.getByRole('button', { name: 'My code' }).click();
            await page.locator('.tabline').getByText('Table', { exact: true }).click();
            await page.getByRole('button', { name: 'Filters' }).click();
            for (const part of ['</script><img src=x', '__proto__', 'constructor', '<!--<script>']) {
                await page.getByLabel('name contains').fill(part);
                assert.ok(
                    (await page.locator('.tbl tbody th').allInnerTexts()).some((name) => name.includes(part)),
                    part,
                );
            }
            await page.getByLabel('name contains').fill('');
            const names = await page.locator('.tbl tbody th').allInnerTexts();
            assert.ok(names.length > 20);
            assert.ok(names.every((name) => !/[\x00-\x08\x0b-\x1f\x7f\u2028\u202a-\u202e\u2066-\u2069]/.test(name)));
            const widest = await page
                .locator('.tbl tbody th button')
                .evaluateAll((all) => Math.max(...all.map((name) => name.offsetWidth)));
            assert.ok(widest < 400, `a name is ${widest} px wide`);
            await page.locator('.tbl tbody th button').nth(3).click();
            assert.ok(await page.locator('.side').isVisible());
            await page.locator('#q').fill('/</script>|W{5}/');
            assert.match(await text(page, '#q + output'), /frame/);
            await page.locator('#q').press('Enter');
            await page.mouse.move(200, 300);
            assert.ok(
                await page.evaluate(() => document.documentElement.scrollHeight < 20_000),
                'no name makes the page endless',
            );
            assert.notEqual(await page.title(), 'ran');
            assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
        });
    }
});

test('0 is a number with its unit, what is unknown is said to be so', async () => {
    await withCard(cardOf(madeCapture('empty', 1)), {}, async (page) => {
        const stats = (await page.locator('.stat').allInnerTexts()).map((stat) => stat.replace(/\s+/g, ' '));
        assert.ok(stats.some((stat) => stat.startsWith('Peak heap 0 B')), stats.join('; '));
        assert.ok(stats.some((stat) => stat.startsWith('Peak RSS not recorded')), stats.join('; '));
    });
    await withCard(cardOf(sample('killed-py3.12-memray1.20.0-default.bin')), {}, async (page) => {
        assert.match(await text(page, '.stats'), /Not freed at the end\s+unknown/);
    });
});

test('a capture without an allocation says so and has no graph', async () => {
    await withCard(cardOf(madeCapture('empty', 1)), {}, async (page) => {
        assert.match(await text(page, '#profile'), /No allocations/);
        assert.equal(await page.locator('[data-mount=graph]').count(), 0);
    });
});
