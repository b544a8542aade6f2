// SPDX-License-Identifier: Apache-2.0
/* The card of a table: it has no script, runs nothing of a stranger's, asks for nothing, and everyone can read it. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { assertAccessible } from '../support/axe.mjs';
import { PROGRAM, ROOT, open, saved, stopBrowser } from '../support/browser.mjs';

after(stopBrowser);

const orders = `${ROOT}samples/tables/orders.csv`;
const ATTACK = `"><script>document.title='ran'</script><img src=x onerror="document.title='ran'">`;
const inCsv = (text) => `"${text.replaceAll('"', '""')}"`;

function frameOf(table, ...options) {
    const path = saved(`frame-${Math.random().toString(36).slice(2)}.html`, '');
    execFileSync(PROGRAM, ['frame', '-q', table, '-o', path, ...options], { stdio: 'pipe' });
    return path;
}

/** A table with more columns than are shown, and one of which every name and value attacks. */
const wide = saved('wide.csv', Array.from({ length: 3 }, (_, row) =>
    Array.from({ length: 700 }, (_, column) => (row ? row * column : `c${column}`)).join()).join('\n'));
const hostile = saved('hostile.csv', [`${inCsv(ATTACK)},b`, ...Array.from({ length: 30 }, (_, i) =>
    `${inCsv(ATTACK + (i % 3))},${inCsv('\u202e' + ATTACK)}`)].join('\n'));

for (const colorScheme of ['light', 'dark'])
    for (const width of [1440, 390])
        test(`axe finds nothing, and nothing is wider than the window: ${colorScheme}, ${width} px`, async () => {
            for (const table of [orders, hostile])
                await assertAccessible(pathToFileURL(frameOf(table)).href, { width, colorScheme }, table);
        });

test('what a table contains is text: it runs nothing and asks for nothing', async () => {
    const path = frameOf(hostile, '--title', ATTACK);
    const html = readFileSync(path, 'utf8');
    assert.ok(!/<script|<img|onerror="|javascript:/i.test(html));
    assert.match(html, /default-src 'none'/);
    assert.ok(!html.includes('script-src'));
    const { page, quiet, close } = await open(path);
    assert.notEqual(await page.title(), 'ran');
    assert.ok((await page.locator('body').innerText()).includes("<script>document.title='ran'</script>"));
    quiet();
    await close();
});

test('on a phone every figure is on one line', async () => {
    const { page, quiet, close } = await open(frameOf(orders), { scripts: false, width: 390, height: 800 });
    const high = await page.locator('.pairs dd').evaluateAll((all) => all.filter((dd) =>
        dd.textContent.length < 12 && dd.offsetHeight > 30).map((dd) => dd.textContent));
    assert.deepEqual(high, []);
    assert.ok(await page.locator('.of-two .pairs dd').count() > 5);
    quiet();
    await close();
});

/** Dates with a time of day, and enough rows that their numbers have a comma. */
const moments = saved('moments.csv', ['when,x', ...Array.from({ length: 1200 }, (_, i) =>
    `${new Date(1.75e12 + i * 7777777).toISOString().slice(0, 19)},${i % 7}`)].join('\n'));

for (const width of [1440, 390])
    test(`no date is cut, and figures and numbers of rows are on one line: ${width} px`, async () => {
        const { page, quiet, close } = await open(frameOf(moments), { scripts: false, width, height: 900 });
        const texts = (all, test) => page.locator(all).evaluateAll((found, test) => found.filter((one) => {
            const text = document.createRange(); // a cell is as high as the label next to it
            text.selectNodeContents(one);
            return test === 'cut' ? one.scrollWidth > one.clientWidth : text.getBoundingClientRect().height > 30;
        }).map((one) => one.textContent), test);
        assert.deepEqual(await texts('#c1 .values tbody th', 'cut'), []);
        if (width > 390) assert.deepEqual(await texts('#c1 .values tbody th', 'high'), []);
        assert.deepEqual(await texts('#c1 .pairs dd', 'high'), []);
        assert.deepEqual(await texts('.cells tbody th', 'high'), []);
        assert.ok(await page.locator('#c1 .values tbody th').count() >= 10);
        quiet();
        await close();
    });

test('findings lead to the column that they are about, by keyboard and without a script', async () => {
    const { page, quiet, close } = await open(frameOf(orders), { scripts: false });
    const link = page.locator('.found a', { hasText: 'email' }).first();
    await link.focus();
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.hash === '#c8');
    assert.ok(await page.locator('#c8').isVisible());
    assert.match(await page.locator('#c8').innerText(), /customer\d+@example\.com/);
    quiet();
    await close();
});

test('the contents lead to each section and column, and stay in sight, without a script', async () => {
    for (const width of [1440, 390]) {
        const { page, quiet, close } = await open(frameOf(orders), { scripts: false, width, height: 700 });
        const links = page.locator('nav.contents a');
        const targets = await links.evaluateAll((all) =>
            all.map((link) => [link.textContent, link.getAttribute('href')]));
        assert.deepEqual(targets.filter(([, id]) => !/^#c\d/.test(id)).map(([name]) => name),
            ['Findings', 'Columns', 'Correlations', 'Pairs', 'Missing values', 'Repeated rows', 'Rows']);
        assert.equal(targets.length, 7 + 11);
        for (const [, id] of targets) assert.equal(await page.locator(id).count(), 1, id);
        await page.locator('nav.contents a', { hasText: 'Correlations' }).click();
        assert.ok((await page.locator('nav.contents').boundingBox()).y >= 0, 'the contents stay in sight');
        const head = await page.locator('#correlations').boundingBox();
        const line = width < 1200 ? (await page.locator('nav.contents').boundingBox()).height : 0;
        assert.ok(head.y >= line - 1 && head.y < 200, `${head.y} below ${line}`);
        quiet();
        await close();
    }
});

test('a histogram has axes, with the rows of its highest bar and the range of its values', async () => {
    const { page, close } = await open(frameOf(orders));
    const column = page.locator('#c6');
    const ticks = async (axis) => (await column.locator(`.points .${axis} text`).allTextContents())
        .map((text) => Number(text.replaceAll(',', '')));
    const document = JSON.parse(execFileSync(PROGRAM, ['frame', '-q', '--json', orders]));
    const { quantiles, histogram } = document.columns[5].numbers;
    const up = await ticks('up'), across = await ticks('across');
    assert.ok(up.length > 1 && up[0] === 0 && up.at(-1) <= Math.max(...histogram.counts), up);
    assert.ok(across.length > 1 && across[0] >= quantiles.min && across.at(-1) <= quantiles.max, across);
    await close();
});

/** Two categories with long names, of which one decides the other and the number, and a number that is 0 or 1. */
const long = (name) => `${name} with a name that is longer than its column`;
const kinds = saved('kinds.csv', ['Kind of animal,Where it was seen first,Body mass in grams,seen,day,same',
    ...Array.from({ length: 60 }, (_, i) => [
        long(i % 3 ? 'Otter' : 'Adelie penguin'), i % 3 ? 'river' : 'ice', i % 3 ? 8000 + i : 4000 + i,
        Number(i % 4 > 1), `2024-03-${String(i % 28 + 1).padStart(2, '0')}`, i % 9 ? 'x' : ''].join())].join('\n'));

test('long values and long names of columns are not cut', async () => {
    for (const width of [1440, 390]) {
        const { page, close } = await open(frameOf(kinds), { scripts: false, width });
        const cut = await page.locator('.of-two .values th, .matrix th').evaluateAll((all) =>
            all.filter((th) => th.scrollWidth > th.clientWidth).map((th) => th.textContent));
        assert.deepEqual(cut, []);
        assert.ok((await page.locator('#correlations thead').first().innerText()).includes('Body mass in grams'));
        await close();
    }
});

test('the lowest and highest values are named, and of a day the earliest and latest', async () => {
    const { page, close } = await open(frameOf(kinds), { scripts: false });
    const heads = (column) => page.locator(`#c${column} .ends thead th`).allInnerTexts();
    assert.deepEqual(await heads(3), ['Lowest', 'Rows', 'Highest', 'Rows']);
    assert.deepEqual(await heads(5), ['Earliest', 'Rows', 'Latest', 'Rows']);
    assert.deepEqual(await page.locator('#c4 .points .across text').allTextContents(), ['0', '1']);
    await close();
});

test('findings say what depends on a category, and in how many rows a value is the same', async () => {
    const { findings } = JSON.parse(execFileSync(PROGRAM, ['frame', '-q', '--json', kinds]));
    const of = (name) => findings.filter(({ column }) => column === name).map(({ text }) => text);
    assert.deepEqual(of('Where it was seen first'), ['is highly correlated with “Body mass in grams”: phi-k 0.998']);
    assert.deepEqual(of('Kind of animal'), ['is highly correlated with “Body mass in grams” and 1 more: phi-k 0.998']);
    assert.ok(of('same').includes('has the same value in all 53 rows that have one'));
    const { page, close } = await open(frameOf(kinds), { scripts: false });
    const bars = page.locator('.overview tr', { hasText: 'Kind of animal' }).locator('.mini rect');
    const [first, second] = await bars.evaluateAll((all) => all.map((bar) => bar.getBoundingClientRect().width));
    assert.ok(Math.abs(first / second - 2) < 0.05, `${first} and ${second}: 40 and 20 rows`);
    await close();
});

/** 20 rows of chance, of which phi-k is 0.807: a finding would be a false alarm. */
test('of a few rows, phi-k alone is not a finding', () => {
    const numbers = [24, 44, 47, 80, 52, 26, 51, 59, 71, 35, 48, 20, 83, 81, 15, 23, 0, 77, 50, 18];
    const few = saved('few.csv', ['kind,number',
        ...numbers.map((number, i) => `${'chhcgfgbbbheadfdedcc'[i]},${number}`)].join('\n'));
    const { findings, pairs } = JSON.parse(execFileSync(PROGRAM, ['frame', '-q', '--json', few]));
    assert.ok(pairs[0].phi_k > 0.8);
    assert.deepEqual(findings.map(({ kind }) => kind), ['unique']);
});

test('a column without values says so', async () => {
    const { page, close } = await open(frameOf(saved('no-rows.csv', 'a,b\n')), { scripts: false });
    assert.deepEqual(await page.locator('.column .parts').allInnerTexts(), ['No values.', 'No values.']);
    await close();
});

test('the page has the figures of the document', async () => {
    const document = JSON.parse(execFileSync(PROGRAM, ['frame', '-q', '--json', orders]));
    const { page, close } = await open(frameOf(orders));
    const rows = page.locator('.overview tbody tr');
    assert.equal(await rows.count(), document.columns.length);
    for (const [i, column] of document.columns.entries()) {
        const cells = await rows.nth(i).locator('th, td').allInnerTexts();
        assert.equal(cells[1], column.name);
        assert.equal(cells[4], column.distinct.value.toLocaleString('en'));
        if (column.numbers)
            assert.equal(await page.locator(`#c${i + 1} .hist rect`).count(),
                column.numbers.histogram.counts.filter((count) => count).length);
        const all = await page.locator(`#c${i + 1} .values:has(.bar) .r`).allInnerTexts();
        const others = await page.locator(`#c${i + 1} .others`).count();
        const sum = all.reduce((total, text) => total + Number(text.split(' ')[0].replaceAll(',', '')), 0);
        if (others) assert.equal(sum, column.count);
        assert.equal(others > 0, column.frequent[0]?.count > 1 && column.distinct.value > column.frequent.length);
    }
    await close();
});

test('the section of a column has its findings and the figures that follow from others', async () => {
    const document = JSON.parse(execFileSync(PROGRAM, ['frame', '-q', '--json', orders]));
    const spans = saved('spans.csv', `span,note\n${Array.from({ length: 30 }, (_, i) =>
        `PT${10 + i}M,${'\u0418'.repeat(1 + i % 4)} x${i}`).join('\n')}`);
    const { columns } = JSON.parse(execFileSync(PROGRAM, ['frame', '-q', '--json', spans]));
    const { page, close } = await open(frameOf(orders), { scripts: false });
    for (const [i, { name }] of document.columns.entries()) {
        const texts = await page.locator(`#c${i + 1} > .found li`).allInnerTexts();
        const expected = document.findings.filter(({ column }) => column === name).map(({ text }) => text);
        assert.deepEqual(texts.map((text) => text.toLowerCase()), expected.map((text) => text.toLowerCase()));
    }
    await close();
    const html = readFileSync(frameOf(spans), 'utf8');
    const [{ numbers: { cv } }, { lengths, characters }] = columns;
    const shown = (label) => Number(new RegExp(`<dt[^>]*>${label}</dt><dd>([\\d.]+)`).exec(html)[1]);
    assert.ok(cv > 0 && Math.abs(shown('Coefficient of variation') - cv) < 1e-6, `${cv}`);
    assert.equal(lengths.median, 6); // of 4, 5, 6 and 7 as often
    assert.ok(html.includes(`Most frequent of ${characters.different} different characters`));
    assert.ok(Math.abs(shown('Cyrillic') - characters.scripts.cyrillic / (lengths.mean * 30) * 100) < 0.1);
});

test('without values, none of them is in the page', () => {
    const html = readFileSync(frameOf(orders, '--redact', 'values'), 'utf8');
    const [header, ...lines] = readFileSync(orders, 'utf8').trim().split('\n');
    for (const name of header.split(',')) assert.ok(html.includes(name));
    const seen = lines.flatMap((line) => line.split(',')).filter((value) => /@|ORD-|\d{4}|express/.test(value));
    assert.ok(seen.length > 400);
    assert.deepEqual(seen.filter((value) => html.includes(value.replace(/^"|"$/g, ''))), []);
});

test('a wide table shows its first columns, and says so', async () => {
    const path = frameOf(wide);
    assert.ok(readFileSync(path).length < 1e6);
    const { page, close } = await open(path);
    assert.equal(await page.locator('.overview tbody tr').count(), 400);
    assert.match(await page.locator('#columns .caption').innerText(), /first 400 of 700 columns/);
    await close();
});

const steps = `${ROOT}samples/tables/steps.csv`;
const times = ['Name,Start,Finish,Kind', ...Array.from({ length: 40 }, (_, i) =>
    `${inCsv(ATTACK + (i % 5))},2026-01-01 00:00:${10 + i},2026-01-01 00:01:${10 + i},${inCsv(ATTACK)}`)].join('\n');
const hostileSteps = saved('hostile-steps.csv', times);
const views = [
    [orders, '--pairs', 'price,total', '--pairs', 'placed_at,price', '--pairs', 'country,paid'],
    [orders, '--pairs', 'paid,price'],
    [hostile, '--pairs', `${ATTACK},b`],
    [orders, '--redact', 'values', '--pairs', 'price,total'],
    [orders, '--as', 'table', '--sort', 'price'],
    [orders, '--as', 'box'],
    [orders, '--as', 'box', '--value', 'total', '--by', 'country'],
    [steps, '--as', 'gantt', '--group', 'Kind'],
    [hostileSteps, '--as', 'gantt', '--group', 'Kind'],
    [hostile, '--as', 'table'],
];

for (const [colorScheme, width] of [['light', 1440], ['dark', 390]])
    test(`rows, boxes and bars: axe finds nothing, nothing runs: ${colorScheme}, ${width} px`, async () => {
        for (const [table, ...options] of views) {
            const path = frameOf(table, ...options);
            await assertAccessible(pathToFileURL(path).href, { width, colorScheme }, `${table} ${options}`);
            assert.ok(!/<script|<img|onerror="|javascript:/i.test(readFileSync(path, 'utf8')));
        }
    });

test('bars are where their times are, and say them', async () => {
    const { page, quiet, close } = await open(frameOf(steps, '--as', 'gantt', '--group', 'Kind'), { scripts: false });
    const bars = page.locator('.lane rect');
    assert.equal(await bars.count(), 7);
    const [load, unknown, clean] = await Promise.all([0, 1, 2].map((i) => bars.nth(i).boundingBox()));
    assert.ok(load.x + load.width <= clean.x + 1 && unknown.x < load.x);
    const label = await bars.nth(0).locator('title').textContent();
    assert.match(label, /^load: 2026-11-18 03:12:44 to .*03:14:10, 00:01:26, io$/);
    assert.equal(await page.locator('.lane rect.open').count(), 2);
    await page.locator('summary').focus();
    await page.keyboard.press('Enter');
    assert.equal(await page.locator('.list tbody tr').count(), 7);
    quiet();
    await close();
});

test('on a phone no label of an axis covers another', async () => {
    const { page, close } = await open(frameOf(steps, '--as', 'gantt'), { width: 390 });
    const boxes = await page.locator('.axis text:visible').evaluateAll((texts) =>
        texts.map((text) => text.getBoundingClientRect()).map(({ left, right }) => ({ left, right })));
    assert.ok(boxes.length > 1);
    for (const [i, { left }] of boxes.slice(1).entries()) assert.ok(left > boxes[i].right, JSON.stringify(boxes));
    await close();
});

test('on a phone the name of a box is above it, not cut', async () => {
    for (const options of [[], ['--value', 'Body mass in grams', '--by', 'Where it was seen first']]) {
        const { page, close } = await open(frameOf(kinds, '--as', 'box', ...options), { scripts: false, width: 390 });
        const cut = await page.locator('.lane .label').evaluateAll((all) =>
            all.filter((label) => label.scrollWidth > label.clientWidth).map((label) => label.textContent));
        assert.deepEqual(cut, []);
        const [label, box] = await Promise.all(['.label', '.strip.box'].map((part) =>
            page.locator(`.lane ${part}`).first().boundingBox()));
        assert.ok(label.y + label.height <= box.y + 1, 'above');
        await close();
    }
});

test('a long table is divided: its first rows are open, the others a key press away', async () => {
    const long = saved('long.csv', ['n', ...Array.from({ length: 1500 }, (_, i) => i)].join('\n'));
    const path = frameOf(long, '--as', 'table', '--sort', 'n', '--descending');
    const { page, close } = await open(path, { scripts: false });
    assert.match(await page.locator('.head').innerText(), /first 1,000 of 1,500 rows, sorted by n, the highest first/);
    assert.equal(await page.locator('tbody tr:visible').count(), 200);
    assert.equal(await page.locator('tbody tr').first().locator('td').innerText(), '1499');
    await page.locator('summary').first().focus();
    await page.keyboard.press('Enter');
    assert.equal(await page.locator('tbody tr:visible').count(), 400);
    await close();
});

test('a difference of two tables: axe finds nothing, nothing of theirs runs', async () => {
    const other = saved('other.csv', readFileSync(orders, 'utf8').replaceAll(',DE,', `,${inCsv(ATTACK)},`));
    for (const [colorScheme, width] of [['light', 1440], ['dark', 390]])
        for (const pair of [[orders, other], [hostile, hostile], [wide, orders]]) {
            const path = saved(`diff-${Math.random().toString(36).slice(2)}.html`, '');
            execFileSync(PROGRAM, ['frame', 'diff', '-q', ...pair, '-o', path], { stdio: 'pipe' });
            await assertAccessible(pathToFileURL(path).href, { width, colorScheme }, pair.join());
            assert.ok(!/<script|<img|onerror="|javascript:/i.test(readFileSync(path, 'utf8')));
        }
});
