// SPDX-License-Identifier: Apache-2.0
/* The table sorts, filters, scrolls, and links to the graph and back. */
import assert from 'node:assert/strict';
import { execSync } from 'node:child_process';
import { after, test } from 'node:test';
import {
    PROGRAM,
    address,
    cardOf,
    exported,
    sample,
    saved,
    soon,
    stopBrowser,
    text,
    withCard,
} from '../support/browser.mjs';
import { pageAround } from '../support/page.mjs';
import { payloadOf } from '../support/profile.mjs';

after(stopBrowser);

const SIZE = 1000;
const STACKS = Array.from({ length: SIZE }, (_, i) => [
    `main@app.py:1 > ${i % 3 ? '' : 'lib:'}f${String(i).padStart(4, '0')}@m${i % 7}.py:${i}`,
    1 + ((i * 7919) % 100_003),
    { count: 1 + (i % 5) },
]);
const card = saved('table.html', pageAround(payloadOf(STACKS.concat([['run:_run@runpy.py:1', 5]]))));

const column = (page, n) => page.locator(`.tbl tbody tr:not(.gap) > :nth-child(${n})`).allInnerTexts();
const header = (page, name) => page.locator('.tbl thead th').getByRole('button', { name, exact: true });
const names = (page) => column(page, 1);

const exact = (n) => (page) =>
    page
        .locator(`.tbl tbody tr:not(.gap) > :nth-child(${n}) > [title]`)
        .evaluateAll((all) => all.map((one) => Number(one.title.replace(/\D/g, ''))));
const OWNERS = ['my code', 'library'];
const FIRST_UP = ['Function', 'File', 'Owner'];
const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
/** The values of the visible rows in each column, in sorted order. */
const SORTED = [
    ['Function', names],
    ['File', (page) => column(page, 2)],
    ['Owner', async (page) => (await column(page, 3)).map((owner) => OWNERS.indexOf(owner))],
    ['Self', exact(4)],
    ['Total', exact(6)],
    ['Allocations', async (page) => (await column(page, 8)).map(Number)],
    ['Mean', exact(9)],
];

test('sorts by every column, both ways, and by keys', async () => {
    await withCard(card, { hash: '#tab=table' }, async (page) => {
        const heaviest = STACKS.slice()
            .sort((a, b) => b[1] - a[1])
            .map(([path]) => /f\d{4}/.exec(path)[0]);
        await header(page, 'Self').click();
        assert.deepEqual((await names(page)).slice(0, 10), heaviest.slice(0, 10));
        assert.equal(await page.locator('[aria-sort]').getAttribute('aria-sort'), 'descending');
        await page.keyboard.press('Enter');
        assert.equal(await page.locator('[aria-sort]').getAttribute('aria-sort'), 'ascending');
        await header(page, 'Function').click();
        assert.deepEqual((await names(page)).slice(0, 3), ['f0000', 'f0001', 'f0002']);
        await header(page, 'Allocations').click();
        assert.ok((await column(page, 8)).slice(1, 20).every((n) => n === '5'));
        for (const [name, cells] of SORTED) {
            const seen = [];
            const directions = ['ascending', 'descending'];
            for (const direction of FIRST_UP.includes(name) ? directions : directions.slice().reverse()) {
                await header(page, name).click();
                assert.equal(await page.locator('[aria-sort]').getAttribute('aria-sort'), direction, name);
                const sign = direction === 'ascending' ? 1 : -1;
                const values = await cells(page);
                const isSorted = values.every((value, i) => !i || sign * compare(value, values[i - 1]) >= 0);
                assert.ok(values.length > 20 && isSorted, `${name}, ${direction}: ${values}`);
                seen.push(values[0]);
            }
            assert.notEqual(seen[0], seen[1], `${name} has more than one value`);
        }
        assert.match(await address(page), /sort=mean/);
    });
});

test('filters by name, file, owner and least value; counts and sums what is left', async () => {
    await withCard(card, { hash: '#tab=table' }, async (page) => {
        assert.match(await text(page, '#panel-table .crumbs'), /1,002 functions|1,001 functions/);
        await page.getByRole('button', { name: 'Filters' }).click();
        await page.getByLabel('name contains').fill('F00');
        assert.match(await text(page, '#panel-table .crumbs'), /^100 of 1,00\d functions/);
        await page.getByLabel('file contains').fill('m3');
        const left = STACKS.filter((_, i) => i < 100 && i % 7 === 3);
        assert.equal((await names(page)).length, left.length);
        await page.getByLabel('Self at least').fill('40 KiB');
        assert.equal((await names(page)).length, left.filter(([, value]) => value >= 40 * 1024).length);
        await page.getByLabel('Self at least').fill('lots');
        assert.equal(await page.getByLabel('Self at least').getAttribute('aria-invalid'), 'true');
        assert.match(await page.getByLabel('Self at least').getAttribute('title'), /^Not an amount/);
        const percent = (left[left.length >> 1][1] / STACKS.reduce((sum, [, value]) => sum + value, 0)) * 100;
        await page.getByLabel('Self at least').fill(`${percent.toFixed(6)}%`);
        assert.equal(await page.getByLabel('Self at least').getAttribute('aria-invalid'), 'false');
        const some = (await names(page)).length;
        assert.ok(some > 0 && some < left.length, `${some} of ${left.length}`);
        await page.getByLabel('Self at least').fill('');
        await page.getByLabel('Owner', { exact: true }).selectOption('kernel');
        assert.match(await text(page, '.tfoot'), /No row/);
        await page.getByLabel('Owner', { exact: true }).selectOption('library');
        await page.getByLabel('name contains').fill('');
        await page.getByLabel('file contains').fill('');
        assert.match(await text(page, '#panel-table .crumbs'), /^334 of 1,00\d functions/);
    });
});

test('only rows in view exist, and scrolling shows the others', async () => {
    await withCard(card, { hash: '#tab=table&sort=name' }, async (page) => {
        assert.ok((await names(page)).length < 80);
        await page.locator('#panel-table .tblwrap').evaluate((wrap) => {
            wrap.scrollTop = wrap.scrollHeight;
        });
        await page.locator('#panel-table').getByText('f0999').waitFor();
        assert.ok((await names(page)).length < 80);
        await page.locator('#panel-table .tblwrap').evaluate((wrap) => {
            wrap.scrollTop = 500 * 28;
        });
        await page.locator('#panel-table').getByText('f0505').waitFor();
        assert.ok(await page.locator('#panel-table .tbl thead').isVisible());
    });
});

test('a row leads to its frame, and the selected frame is marked in the table', async () => {
    await withCard(card, { hash: '#tab=table' }, async (page) => {
        await page.locator('#q').fill('f0123');
        await page.getByRole('button', { name: 'f0123' }).click();
        assert.equal(await text(page, '.side .name'), 'f0123');
        assert.equal(await page.locator('[data-tab=peak]').getAttribute('aria-selected'), 'true');
        await page.locator('.tabline').getByText('Table', { exact: true }).click();
        assert.equal(await page.locator('tr[aria-selected=true] th').innerText(), 'f0123');
    });
});

test('on a phone names keep their room', async () => {
    await withCard(card, { width: 390, hash: '#tab=table' }, async (page) => {
        const widths = await page
            .locator('.tbl tbody tr:not(.gap)')
            .first()
            .locator('th, td')
            .evaluateAll((all) => all.map((cell) => cell.offsetWidth).filter(Boolean));
        assert.equal(widths.length, 3);
        assert.ok(widths[0] > 150, String(widths));
    });
});

test('groups by function, line and file; frames of the runner are rows when its box is open', async () => {
    await withCard(card, { hash: '#tab=table' }, async (page) => {
        await page.getByTitle('A row for each file').click();
        assert.match(await text(page, '#panel-table .crumbs'), /^8 of 9 files/);
        await page.locator('.menu summary').last().click();
        await page.getByRole('checkbox', { name: 'Start-up frames' }).uncheck();
        assert.match(await text(page, '#panel-table .crumbs'), /^9 files/);
        assert.ok((await names(page)).includes('runpy.py'));
    });
});

test("the table of a real capture adds up to the program's total", async () => {
    const capture = sample('daily-sales.bin');
    const { records, total_size: total } = exported(capture, 'leaks');
    await withCard(cardOf(capture), { hash: '#tab=leaks' }, async (page) => {
        await page.locator('.tabline').getByText('Table', { exact: true }).click();
        await header(page, 'Self').click();
        const bySelf = new Map();
        for (const {
            stack: [[name, file]],
            size,
        } of records.filter((record) => record.stack.length))
            bySelf.set(`${name} ${file}`, (bySelf.get(`${name} ${file}`) ?? 0) + size);
        const top = Math.max(...bySelf.values());
        const first = await page.locator('.tbl tbody tr:not(.gap) td:nth-child(4) span').first().getAttribute('title');
        assert.equal(Number(first.replace(/\D/g, '')), top);
        const whole = await page.locator('#panel-table .push b span').getAttribute('title');
        assert.equal(Number(whole.replace(/\D/g, '')), total);
    });
});

test('a path has as many of its folders as there is room for, also when the tab is opened later', async () => {
    await withCard(cardOf(sample('daily-sales.bin')), {}, async (page) => {
        await page.locator('.tabline').getByText('Table', { exact: true }).click();
        const own = page.locator('.tbl tbody tr', { hasText: 'lag_matrix' }).locator('td').first();
        assert.equal(await own.innerText(), '/srv/demo/sales/features.py');
        // The terminal line prints the rows of the card.
        for (const query of ['', 'concat']) {
            await page.locator('#q').fill(query);
            const line = () => text(page, '[data-mount=command]');
            await soon(async () => assert.equal((await line()).includes('concat'), query !== ''));
            const words = (await line()).replace('profrender', PROGRAM);
            const { rows } = JSON.parse(execSync(`${words} --json`, { encoding: 'utf8' }));
            const name = query || 'lag_matrix';
            const { total, total_count: count } = rows.find((row) => row.function === name);
            const shown = page.locator('#panel-table tbody tr', { has: page.getByText(name, { exact: true }) });
            const title = await shown.locator('td.r').nth(1).locator('[title]').first().getAttribute('title');
            assert.equal(Number(title.replace(/ bytes.*|\D/g, '')), total);
            assert.equal(await shown.getByText(String(count), { exact: true }).count(), 1, 'allocations, as the panel');
        }
    });
});

test('on a narrow window bars and means make room for paths', async () => {
    for (const width of [760, 950, 1280])
        await withCard(cardOf(sample('daily-sales.bin')), { width, hash: '#tab=table' }, async (page) => {
            const file = page.locator('#panel-table tbody tr:not(.gap) td.mono').first();
            const { width: wide } = await file.boundingBox();
            assert.ok(wide >= 60, `${wide} px of ${width}`);
            assert.equal(await page.locator('#panel-table tbody .barc').first().isVisible(), width === 1280);
        });
});

const daily = cardOf(sample('daily-sales.bin'));

test('each metric is a table, with what its rows hold of the others, as their own tables say', () =>
    withCard(daily, { width: 1440, hash: '#tab=leaks&view=table&q=training_slice' }, async (page) => {
        const titles = await page.locator('#panel-table thead th button').allInnerTexts();
        assert.deepEqual(titles.slice(-3), ['Peak', 'Temporary', 'Allocated']);
        const row = page.locator('#panel-table tbody tr', { hasText: 'training_slice' });
        const amount = async (cell) => /[\d.]+\s\wiB/.exec(await cell.innerText())[0].replace(/\s/, ' ');
        const held = await amount(row.locator('td').nth(-2));
        await header(page, 'Temporary').click();
        assert.match(await address(page), /sort=-in-temporary/);
        await page.reload();
        assert.equal(await page.locator('#panel-table [aria-sort]').innerText(), 'Temporary');
        await page.locator('[data-tab=temporary]').click();
        await soon(async () => assert.equal(await amount(row.locator('td').nth(4)), held));
    }));

test('functions with one name and file are told apart by the line where they begin', async () => {
    const capture = sample('line_tables-py3.10-memray1.20.0-default.bin');
    const { records } = exported(capture, 'peak');
    // Of a lambda that another one calls, both hold what is below it.
    const lambdas = (stack) => stack.filter(([called]) => called === '<lambda>').length;
    const held = records.reduce((sum, { size, stack }) => sum + size * lambdas(stack), 0);
    await withCard(cardOf(capture), { hash: '#tab=table' }, async (page) => {
        await page.getByRole('button', { name: 'Filters' }).click();
        await page.getByLabel('name contains').fill('lambda');
        const cells = (n, inner = '') => page.locator(`.tbl:visible tbody tr:not(.gap) > :nth-child(${n})${inner}`);
        const lines = ['68', '69', '73', '74', '75'];
        await soon(async () => assert.deepEqual(await cells(1).allInnerTexts(), lines.map(() => 'lambda')));
        const places = (await cells(2).allInnerTexts()).map((place) => /line_tables\.py:(\d+)$/.exec(place)?.[1]);
        assert.deepEqual(places.toSorted(), lines);
        const totals = await cells(6, ' > [title]').evaluateAll((all) => all.map(({ title }) => title));
        assert.equal(totals.reduce((sum, title) => sum + Number(title.replace(/\D/g, '')), 0), held);
    });
});
