// SPDX-License-Identifier: Apache-2.0
/*
 * A2, A3, A4: large trees open, zoom and search. Here the work is counted and times have five times the room that the
 * points give; `make bench` measures them.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
    cardOf,
    graphAccount,
    madeCapture,
    profileIn,
    saved,
    stopBrowser,
    text,
    withCard,
} from '../support/browser.mjs';
import { pageAround } from '../support/page.mjs';
import { payloadOf, randomly } from '../support/profile.mjs';

after(stopBrowser);

const SLACK = 5;

/** Random stacks below a few entry points: COUNT leaves, ten frames deep. */
function manyStacks(count) {
    const random = randomly(42);
    return Array.from({ length: count }, (_, i) => [
        `main@app.py:1 > ${[7, 17, 40, 200, 5, 3]
            .map((n, d) => `${d % 2 ? 'lib:' : ''}step_${d}_${random(n)}@m${random(5)}.py:1`)
            .join(' > ')} > leaf_${i % 5000}@leaf.py:1`,
        1 + random(1e6),
    ]);
}

test('A2, A3: a large tree opens, zooms and searches in time', async () => {
    const stacks = manyStacks(150_000);
    const total = stacks.reduce((sum, [, value]) => sum + value, 0);
    const card = saved('large.html', pageAround(payloadOf(stacks)));
    const start = Date.now();
    await withCard(card, {}, async (page) => {
        await page.locator('.flame canvas').waitFor();
        const opened = await page.evaluate(() => performance.now());
        assert.ok(opened < 800 * SLACK, `opened after ${opened} ms of ${Date.now() - start}`);
        const drawn = await graphAccount(page);
        assert.equal(drawn.frameSum + drawn.smallerSum, total);
        assert.ok(drawn.frames < 20_000, `${drawn.frames} boxes`);
        assert.ok(drawn.smaller > 100_000);
        const zooms = await page.evaluate(() => {
            const canvas = document.querySelector('.flame canvas');
            const box = canvas.getBoundingClientRect();
            return Array.from({ length: 25 }, (_, i) => {
                const from = performance.now();
                const at = { bubbles: true, clientX: box.x + 60 + i * 7, clientY: box.y + 10 + 22 * (i % 6) };
                canvas.dispatchEvent(new MouseEvent('click', at));
                return performance.now() - from;
            }).sort((a, b) => a - b);
        });
        assert.ok(zooms[12] < 50 * SLACK, `zooms took ${zooms.map(Math.round).join(', ')} ms`);
        await page.keyboard.press('0');
        const search = await page.evaluate(() => {
            const input = document.querySelector('#q');
            const from = performance.now();
            input.value = 'leaf_49';
            input.dispatchEvent(new Event('input'));
            return performance.now() - from;
        });
        assert.ok(search < 150 * SLACK, `search ${search} ms`);
        assert.match(await text(page, '#q + output'), /frames/);
    });
});

test('A4: a stack of 100,000 frames is drawn, scrolled and walked', async () => {
    const depth = 100_000;
    const path = Array.from({ length: depth }, (_, i) => `f${i % 10}@deep.py:1`).join(' > ');
    await withCard(
        saved(
            'deep.html',
            pageAround(
                payloadOf([
                    [path, 5],
                    ['f0@deep.py:1', 2],
                ]),
            ),
        ),
        { height: 1400 },
        async (page) => {
            assert.deepEqual(await graphAccount(page), { frames: depth + 1, frameSum: 7, smaller: 0, smallerSum: 0 });
            assert.ok((await page.locator('.flame').boundingBox()).height < 900);
            await page.locator('.flame').evaluate((flame) => {
                flame.scrollTop = flame.scrollHeight;
            });
            const canvas = await page.locator('.flame canvas').boundingBox();
            await page.mouse.click(canvas.x + 50, canvas.y + canvas.height - 30);
            assert.match(await text(page, '.crumbs'), /…/);
            await page.locator('#q').fill('f9');
            assert.match(await text(page, '#q + output'), /^10,000 frames · 5 B · 71\.4 %$/);
            await page.locator('[data-tab=table]').click();
            assert.match(await text(page, '#panel-table .crumbs'), /^10 functions/);
        },
    );
});

test('A4: a timeline of 10,000,000 samples is some thousand points a lane', async () => {
    const card = cardOf(madeCapture('samples', 10_000_000));
    const { series, history } = profileIn(card);
    for (const { name, at } of series)
        assert.ok(at.length <= 4000 + history.bins.count, `${name} has ${at.length} points`);
    assert.ok(history.bins.count > 256 && history.bins.count <= 512);
    await withCard(card, { hash: '#window=b100:b200' }, async (page) => {
        assert.match(await text(page, '.win'), /b100:b200/);
        assert.ok((await page.locator('#tl').boundingBox()).height > 100);
        const fields = page.locator('.win input');
        assert.match(await fields.first().inputValue(), /^\d+:\d\d:\d\d$/);
    });
});

test('A4: captures of the program: deep, wide, many threads, many samples', async () => {
    for (const [kind, size] of [
        ['deep', 5000],
        ['wide', 50_000],
        ['threads', 500],
        ['samples', 200_000],
        ['stacks', 100_000],
    ]) {
        await withCard(cardOf(madeCapture(kind, size)), {}, async (page) => {
            assert.ok(await page.locator('.flame canvas, .empty').first().isVisible(), kind);
            assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), kind);
        });
    }
});
