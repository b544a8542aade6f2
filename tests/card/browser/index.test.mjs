// SPDX-License-Identifier: Apache-2.0
/* The index of a published site: readable without scripts, searchable and sortable with them, silent, accessible. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { assertAccessible } from '../support/axe.mjs';
import { PROGRAM, address, costMs, open, sample, stopBrowser } from '../support/browser.mjs';

const MANY = 2000;
/** Goals for this number of runs, in processor time, and how much longer a slow machine may take. */
const GOAL_MS = { load: 1000, search: 200 };
const PATIENCE = 10;
const folder = mkdtempSync(join(tmpdir(), 'profrender-index-'));

function put(name, source) {
    mkdirSync(join(folder, 'runs', name, '..'), { recursive: true });
    copyFileSync(sample(source), join(folder, 'runs', name));
}

for (const name of ['a', 'b', 'c']) put(`${name}.bin`, 'daily-sales.bin');
put('other.bin', 'json_dict-py3.13-memray1.18.0-default.bin');
put('cut.bin', 'killed-py3.12-memray1.20.0-default.bin');
put('failed.txt', 'timeline/fail.stderr.txt');
for (const [at, step] of ['start', 'fit'].entries()) {
    put(`flow/${step}/memory.bin`, 'daily-sales.bin');
    const times = { start_ms: 1763000000000 + at * 60000, end_ms: 1763000090000 + at * 60000 };
    const run = { schema: 'profrender/run/1', flow: 'forecast', run: '7', step, ...times };
    writeFileSync(join(folder, 'runs/flow', step, 'run.json'), JSON.stringify(run));
}
execFileSync(PROGRAM, ['publish', join(folder, 'runs'), '-o', join(folder, 'site')], { stdio: 'pipe' });
const index = join(folder, 'site/index.html');

after(async () => {
    await stopBrowser();
    rmSync(folder, { recursive: true, force: true });
});

const names = (page) => page.locator('[data-mount=list] tbody tr:not([hidden]) th a').allTextContents();
const sources = (page) => page.locator('[data-mount=list] tbody tr:not([hidden]) .source').allTextContents();

test('without scripts, all runs, trends and flows are there', async () => {
    const { page, quiet } = await open(index, { scripts: false });
    assert.equal((await sources(page)).length, 8);
    assert.match(await page.locator('.trends').innerText(), /daily_sales\.py/);
    assert.match(await page.locator('.flow').innerText(), /forecast 7[^]*start[^]*fit/);
    quiet();
});

test('the table is as wide as its panel', async () => {
    const { page } = await open(index);
    const width = (selector) => page.locator(selector).evaluate((element) => element.getBoundingClientRect().width);
    assert.ok((await width('[data-mount=list]')) > (await width('.panel:has(> .rows > [data-mount=list])')) - 3);
});

test('search narrows the table, says how much, and is in the address', async () => {
    const { page, quiet } = await open(index);
    await page.keyboard.press('/');
    await page.keyboard.type('DAILY bin');
    assert.deepEqual(new Set(await names(page)), new Set(['daily_sales.py']));
    assert.match(await page.locator('[data-mount=find] [role=status]').innerText(), /3 of 8/);
    assert.match(await address(page), /#q=DAILY\+bin/);
    await page.getByRole('searchbox').fill('nothing like it');
    assert.ok(await page.getByText('No run matches.').isVisible());
    quiet();
});

test('a chip shows only its runs, is in the address, and a second click shows all again', async () => {
    const { page, quiet } = await open(index);
    const failed = page.getByRole('button', { name: /Failed/ });
    await failed.click();
    assert.equal(await failed.getAttribute('aria-pressed'), 'true');
    assert.deepEqual(await sources(page), ['failed.txt']);
    assert.match(await address(page), /show=bad/);
    assert.ok((await page.locator('.grid td.dim').count()) > 0);
    await failed.click();
    assert.equal((await sources(page)).length, 8);
    assert.equal(await page.locator('.grid td.dim').count(), 0);
    quiet();
});

test('what is chosen is chosen in the whole page: trends, flows and the grid too', async () => {
    const { page, quiet } = await open(index);
    await page.getByRole('searchbox').fill('forecast');
    assert.equal(await page.locator('.flow:visible').count(), 1);
    assert.equal(await page.locator('.trend:visible').count(), 0);
    assert.deepEqual(await page.locator('.grid:visible caption').allInnerTexts(), ['forecast']);
    await page.getByRole('searchbox').fill('daily_sales.py');
    assert.equal(await page.locator('.flow:visible').count(), 0);
    assert.equal(await page.locator('.trend:visible').count(), 1);
    await page.getByRole('searchbox').fill('');
    await page.getByRole('button', { name: /Failed/ }).click();
    assert.equal(await page.locator('.flow:visible, .trend:visible').count(), 0);
    await page.getByRole('button', { name: /^All/ }).click();
    assert.ok((await page.locator('.flow:visible, .trend:visible').count()) > 1);
    quiet();
});

test('a point of a chart and a cell of the grid say what the run was, by pointer and by keyboard', async () => {
    const { page, quiet } = await open(index);
    const tip = page.locator('.tip');
    const chart = page.locator('.trend [data-of=heap] .chart').first();
    const box = await chart.locator('svg').first().boundingBox();
    await page.mouse.move(box.x + box.width - 5, box.y + 20);
    assert.match(await tip.innerText(), /daily_sales\.py[^]*Peak heap[^]*MiB/);
    await page.mouse.move(0, 0);
    assert.ok(!(await tip.isVisible()));
    await chart.focus();
    await page.keyboard.press('ArrowLeft');
    assert.ok(await tip.isVisible());
    await page.keyboard.press('Escape');
    assert.ok(!(await tip.isVisible()));
    const cell = page.locator('.grid td a').first();
    await cell.focus();
    assert.match(await tip.innerText(), /Duration/);
    assert.match(await cell.getAttribute('aria-label'), /Complete|Succeeded|Failed/);
    quiet();
    await page.locator('.trend [data-of=heap] .chart').first().focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#pr-payload', { state: 'attached' });
});

test('in forced colours a cell of the grid keeps its colour, and the chosen filter is seen', async () => {
    const { page, quiet } = await open(index);
    await page.emulateMedia({ forcedColors: 'active' });
    const colours = await page.evaluate(() =>
        ['.grid tbody td.recorded', 'body'].map(
            (what) => getComputedStyle(/** @type {Element} */ (document.querySelector(what))).backgroundColor,
        ),
    );
    assert.notEqual(colours[0], colours[1]);
    await page.getByRole('button', { name: /Failed/ }).click();
    const outline = await page.locator('.chip.bad').evaluate((chip) => getComputedStyle(chip).outlineStyle);
    assert.equal(outline, 'solid');
    quiet();
});

test('what wants a look comes before anything else, and the grid leads to each card', async () => {
    const { page, quiet } = await open(index, { scripts: false });
    const order = await page.locator('main h2, main .calm').evaluateAll((all) => all.map((one) => one.id || 'calm'));
    assert.deepEqual(order, ['failing', 'grid', 'trends', 'flows', 'runs']);
    const links = await page.locator('.grid td a').evaluateAll((all) => all.map((a) => a.getAttribute('href')));
    assert.ok(links.length >= 5 && links.every((link) => /^cards\/.+\.html$/.test(link)), links.join());
    quiet();
});

test('on a phone nothing is cut off, and each job has the chart of its peak memory', async () => {
    const { page, quiet, close } = await open(index, { width: 390, height: 844 });
    const tables = await page
        .locator('.rows')
        .evaluateAll((all) => all.map((one) => one.scrollWidth - one.clientWidth));
    assert.ok(tables.length > 2 && tables.every((more) => more <= 0), tables.join());
    assert.ok((await page.locator('.trend').count()) > 0);
    for (const row of await page.locator('.trend').all())
        assert.equal(await row.locator('[data-of=heap] .chart:visible').count(), 1);
    quiet();
    await close();
});

test('on a phone the first sentence wraps as one text, with its figures', async () => {
    const start = 1763000000;
    for (const [at, rss] of [100, 101, 99, 100, 100, 100, 180, 181].entries()) {
        const run = join(folder, 'grown', `job-${at}`);
        const t = start + at * 86400;
        const lines = [
            { type: 'start', version: 1, t, argv: ['train.py'] },
            { ts: 0, rss_mb: rss },
            { ts: 1, rss_mb: rss },
            { type: 'end', t: t + 1, wall: 1, exit: 0 },
        ];
        mkdirSync(run, { recursive: true });
        writeFileSync(join(run, 'timeline.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
        const about = { schema: 'profrender/run/1', name: 'train.py', start_ms: t * 1000, end_ms: t * 1000 + 1000 };
        writeFileSync(join(run, 'run.json'), JSON.stringify(about));
    }
    execFileSync(PROGRAM, ['publish', join(folder, 'grown'), '-o', join(folder, 'grown-site')], { stdio: 'pipe' });
    const { page, quiet } = await open(join(folder, 'grown-site/index.html'), { width: 390 });
    const heading = page.locator('.grown h2');
    assert.match(await heading.innerText(), /uses more memory \(\+\d+\.\d\u00a0%\) since/);
    assert.equal(await heading.locator(':scope > span').count(), 1);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    quiet();
});

test('a click on a heading sorts, a second one turns the order round', async () => {
    const { page, quiet } = await open(index);
    const peaks = () =>
        page
            .locator('[data-mount=list] tbody tr')
            .evaluateAll((rows) => rows.map((row) => row.querySelector('.heap').dataset.sort));
    await page.getByRole('button', { name: 'Peak heap' }).click();
    const down = (await peaks()).filter((peak) => peak !== undefined).map(Number);
    assert.deepEqual(down, [...down].sort((a, b) => b - a));
    assert.equal((await peaks()).at(-1), undefined);
    await page.getByRole('button', { name: 'Peak heap' }).click();
    const up = (await peaks()).filter((peak) => peak !== undefined).map(Number);
    assert.deepEqual(up, [...up].sort((a, b) => a - b));
    assert.equal((await peaks()).at(-1), undefined);
    assert.equal(await page.locator('[aria-sort=ascending]').innerText(), 'Peak heap');
    quiet();
});

test('in a frame that forbids history it searches and sorts as well', async () => {
    const quoted = readFileSync(index, 'utf8').replace(/&/g, '&amp;').replace(/"/g, '&quot;');
    const host = join(folder, 'sandbox.html');
    writeFileSync(host, `<!doctype html><title>host</title><iframe sandbox="allow-scripts" srcdoc="${quoted}">`);
    const { page } = await open(host);
    const inner = page.frameLocator('iframe');
    await inner.getByRole('searchbox').fill('forecast');
    assert.match(await inner.locator('[data-mount=find] [role=status]').innerText(), /2 of 8/);
    await inner.getByRole('button', { name: 'Peak heap' }).click();
    assert.equal(await inner.locator('[aria-sort=descending]').innerText(), 'Peak heap');
});

test('a name leads to its card', async () => {
    const { page, quiet } = await open(index);
    quiet();
    await page.locator('[data-mount=list] tbody th a', { hasText: 'daily_sales.py' }).first().click();
    await page.waitForSelector('#pr-payload', { state: 'attached' });
});

for (const colorScheme of ['light', 'dark']) {
    for (const width of [1280, 390]) {
        test(`axe finds nothing on the index at ${width} px, ${colorScheme}`, async () => {
            await assertAccessible(pathToFileURL(index).href, { width, colorScheme });
        });
    }
}

test(`an index of ${MANY} runs opens at once, and searches without a gap`, async () => {
    const text = readFileSync(index, 'utf8');
    const start = text.indexOf('<tbody>\n', text.indexOf("data-mount='list'")) + '<tbody>\n'.length;
    const end = text.indexOf('</tbody>', start);
    const [before, one, behind] = [text.slice(0, start), text.slice(start, text.indexOf('\n', start)), text.slice(end)];
    const many = join(folder, 'many.html');
    writeFileSync(many, before + `${one}\n`.repeat(MANY) + behind);
    const { page, quiet } = await open(many);
    const load = await costMs(page, () => page.reload());
    const search = await costMs(page, () =>
        page.evaluate(() => {
            const field = document.querySelector('input');
            for (const words of ['absent', 'daily']) {
                field.value = words;
                field.dispatchEvent(new Event('input'));
                document.body.getBoundingClientRect();
            }
        }),
    );
    assert.ok(load < PATIENCE * GOAL_MS.load, `${load} ms to load`);
    assert.ok(search < PATIENCE * GOAL_MS.search, `${search} ms to search`);
    assert.equal((await sources(page)).length, 50);
    await page.getByRole('button', { name: 'Show all 2,000' }).click();
    assert.equal((await sources(page)).length, MANY);
    quiet();
});

test('a card leads back to the index, and through it to the run before and after', async () => {
    const runs = join(folder, 'nightly');
    for (const [at, name] of ['one', 'two', 'three'].entries()) {
        mkdirSync(join(runs, name), { recursive: true });
        copyFileSync(sample('daily-sales.bin'), join(runs, name, 'memory.bin'));
        const times = { start_ms: 1763000000000 + at * 60000, end_ms: 1763000090000 + at * 60000 };
        const run = { schema: 'profrender/run/1', name, flow: 'nightly', run: String(at), step: 'load', ...times };
        writeFileSync(join(runs, name, 'run.json'), JSON.stringify(run));
        execFileSync(PROGRAM, ['publish', runs, '-o', join(folder, 'nights')], { stdio: 'pipe' });
    }
    const { page, close } = await open(join(folder, 'nights/index.html'));
    const names = page.locator('[data-mount=list] tbody th a');
    const cards = await names.evaluateAll((all) => all.map((a) => a.getAttribute('href')));
    assert.equal(cards.length, 3);
    const at = async (card) => page.waitForURL((url) => url.pathname.endsWith(card));
    // The first card was made when there was no other run, and was not made again.
    await page.goto(new URL(cards[2], page.url()).href);
    await page.getByRole('link', { name: 'Next run' }).click();
    await at(cards[1]);
    await page.getByRole('link', { name: 'Next run' }).click();
    await at(cards[0]);
    await page.getByRole('link', { name: 'Previous run' }).click();
    await at(cards[1]);
    await page.goto(new URL(cards[2].replace('cards/', ''), page.url()).href);
    await page.getByRole('link', { name: 'Previous run' }).click();
    await page.locator('.list tr.here').waitFor();
    assert.match(await page.locator('.list tr.here').innerText(), /the first run of this job/);
    await close();
});
