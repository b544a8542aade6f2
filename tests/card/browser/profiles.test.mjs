// SPDX-License-Identifier: Apache-2.0
/*
 * Cards of CPU profiles and of other memory tools: tabs by what was measured, the program's totals, exact
 * tables next to an estimated tree, several kinds of input on one card, a list when there are many metrics.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
    cardOf,
    graphAccount,
    PROGRAM,
    profileIn,
    ROOT,
    sample,
    saved,
    stopBrowser,
    text,
    withCard,
} from '../support/browser.mjs';

after(stopBrowser);

const document = (...words) => JSON.parse(execFileSync(PROGRAM, words, { cwd: ROOT, encoding: 'utf8' }));
const tabsOf = (page) => page.locator('[role=tab]').evaluateAll((tabs) => tabs.map((tab) => tab.dataset.tab));

test('in each tab of each profile, boxes and smaller frames add up to the total of the metric', async () => {
    const names = readdirSync(join(ROOT, 'samples/cpu')).filter((name) => name !== 'expected.json');
    assert.ok(names.length > 10);
    for (const name of names) {
        const card = cardOf(sample(`cpu/${name}`));
        const { metrics, history, heat } = profileIn(card);
        await withCard(card, {}, async (page) => {
            const tabs = await page
                .locator('[role=tab][data-metric]')
                .evaluateAll((all) => all.map(({ dataset }) => [dataset.tab, Number(dataset.metric)]));
            // Of allocations one by one, what was allocated is in the table only, unless it has a heat map.
            const isOneByOne = history?.recorded && metrics.some(({ name: metric }) => metric === 'allocated');
            const untold = isOneByOne && !heat ? 1 : 0;
            assert.equal(tabs.length, metrics.length - untold, name);
            for (const [tab, metric] of tabs) {
                await page.locator(`#t-${tab}`).evaluate((button) => button.click()); // of many, some are in a list
                const { frameSum, smallerSum } = await graphAccount(page);
                assert.equal(frameSum + smallerSum, metrics[metric].total, `${name}, ${tab}`);
                assert.doesNotMatch(await text(page, '#profile'), /allocat.*(?:time|samples)/i);
            }
        });
    }
});

test('the table of an estimated tree has the figures that the program has', async () => {
    const input = sample('cpu/fanout.yappi.pstats');
    const { rows } = document('table', input, '--json', '--sort', 'self', '--limit', '5');
    await withCard(cardOf(input), { hash: '#tab=table&sort=-self&hide=nothing' }, async (page) => {
        assert.match(await text(page, '.banner.note'), /tree is estimated, the table is exact/i);
        const shown = page.locator('.tbl tbody tr:has(th, td:nth-child(4))');
        for (const [i, { function: name, self_count: calls }] of rows.entries()) {
            const row = await shown.nth(i).innerText();
            const shownAs = name === '<genexpr>' ? 'generator expression' : name; // where its function is not known
            assert.ok(row.startsWith(shownAs), `${row}: ${name}`);
            assert.ok(row.includes(calls.toLocaleString('en-US')), `${row}: ${calls} calls`);
        }
    });
});

test('memory and time are on one card, and a window leaves time as it is', async () => {
    const memory = sample('threads_named-py3.13-memray1.20.0-default.bin');
    const time = sample('cpu/fanout.pyi.speedscope.json');
    const card = cardOf(memory, time);
    const { total } = profileIn(card).metrics.find(({ name }) => name === 'cpu');
    const alone = document('export', time).total_weight;
    assert.equal(total, Math.round(alone * 1e9));
    await withCard(card, { hash: '#tab=cpu&window=b0:b1' }, async (page) => {
        assert.deepEqual(await tabsOf(page), ['cpu', 'peak', 'leaks', 'temporary']);
        const { frameSum, smallerSum } = await graphAccount(page);
        assert.equal(frameSum + smallerSum, total);
        assert.doesNotMatch(await text(page, '.side'), /Allocator/);
        await page.locator('#t-peak').click();
        assert.match(await text(page, '.side'), /Allocator/);
    });
});

/** A profile.proto with that number of sample types, as bytes. */
function manyMetrics(count) {
    const varint = (n) => (n < 128 ? [n] : [(n & 127) | 128, ...varint(n >> 7)]);
    const number = (field, n) => [...varint(field << 3), ...varint(n)];
    const bytes = (field, content) => [...varint((field << 3) | 2), ...varint(content.length), ...content];
    const all = Array.from({ length: count }, (_, i) => i);
    return Uint8Array.from([
        ...all.flatMap((i) => bytes(1, [...number(1, 3 + i), ...number(2, 2)])),
        ...bytes(2, [...bytes(1, [1]), ...bytes(2, all.flatMap((i) => varint(100 + i)))]),
        ...bytes(4, [...number(1, 1), ...bytes(4, number(1, 1))]),
        ...bytes(5, [...number(1, 1), ...number(2, 1)]),
        ...['', 'main', 'count', ...all.map((i) => `event ${i}`)].flatMap((word) => bytes(6, Buffer.from(word))),
    ]);
}

test('of many metrics some have tabs, and a list has the others', async () => {
    await withCard(cardOf(saved('many.pb', manyMetrics(12))), {}, async (page) => {
        assert.equal(await page.locator('[role=tab][data-metric]:visible').count(), 5);
        await page.locator('.moretabs select').selectOption('event-8');
        assert.equal(await page.locator('[role=tab][aria-selected=true]').innerText(), 'event 8108');
        const { frameSum } = await graphAccount(page);
        assert.equal(frameSum, 108);
        await page.keyboard.press('1');
        assert.equal(await page.locator('#t-event-8:visible').count(), 0);
    });
});

test('frames that py-spy puts on top are the runner; of my code the one that keeps most is looked at first', () =>
    withCard(cardOf(sample('nightly')), {}, async (page) => {
        const tree = await page.locator('#tree').innerText();
        assert.match(tree, /\d+ start-up frames, start-up, total 3\.27 s/);
        assert.doesNotMatch(tree, /memray|rich|textual/); // what memray imports for itself
        const aside = await page.locator('.left .aside').first().innerText();
        assert.match(aside, /^memray’s own start-up took 1\.\d+ s of 3\.27 s/);
        assert.equal(await page.locator('.side .name').innerText(), 'train');
        // Below allocations it has no business. The figure of the peak leads there.
        await page.locator('.stat', { hasText: 'Peak heap' }).locator('a').click();
        assert.equal(await page.locator('#t-peak').getAttribute('aria-selected'), 'true');
        assert.equal(await page.locator('.aside:visible').count(), 0);
        await page.keyboard.press('1');
        assert.ok((await page.locator('.aside:visible').count()) > 0);
    }));

test('where some metrics are in a list, no tab is under it; time without a stack is not start-up', async () => {
    await withCard(cardOf(sample('cpu/shop.jfr.zst')), {}, async (page) => {
        await page.locator('.notes summary').click();
        const about = await page.locator('.notes .md').evaluate((one) => getComputedStyle(one).paddingLeft);
        assert.equal(about, '16px', 'what is folded about the profile');
        const list = await page.locator('.moretabs').boundingBox();
        const last = await page.locator('[role=tab]:visible').last().boundingBox();
        assert.ok(last.x + last.width <= list.x, `${last.x + last.width}, ${list.x}`);
    });
    await withCard(cardOf(sample('cpu/etl.pyspy.speedscope.json')), {}, async (page) => {
        const whose = await page.locator('.mini > div', { hasText: 'Whose code' }).innerText();
        assert.match(whose, /no code\s+16\.3.%/); // "(no stack)" in the terminal
        assert.doesNotMatch(whose, /start-up/);
    });
});
