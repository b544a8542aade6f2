// SPDX-License-Identifier: Apache-2.0
/* Saving pictures, tables and stacks; printing. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { PROGRAM, cardOf, graphAccount, open, sample, saved, stopBrowser, withCard } from '../support/browser.mjs';

const CAPTURE = sample('daily-sales.bin');
const card = cardOf(CAPTURE);

after(stopBrowser);

/** Saves something; returns the file's name and bytes. */
async function save(page, label, note) {
    await page.locator('.actions summary').click();
    const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.locator('.actions .pop button', { hasText: label }).filter({ hasText: note }).click(),
    ]);
    return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

/** What the program reads in a file. */
const total = (name, bytes) => {
    const path = saved(name, bytes);
    return JSON.parse(execFileSync(PROGRAM, ['stats', '--json', path], { encoding: 'utf8' }));
};

test('stacks: the program reads what was saved, with the total of the view', async () => {
    await withCard(card, { hash: '#tab=leaks&window=b50:b200' }, async (page) => {
        const { frameSum, smallerSum } = await graphAccount(page);
        const scope = await save(page, 'Stacks', 'speedscope');
        assert.equal(scope.name, 'daily_sales.py-leaked.speedscope.json');
        assert.equal(JSON.parse(scope.bytes).profiles[0].endValue, frameSum + smallerSum);
        assert.ok(JSON.stringify(total('saved.json', scope.bytes)).includes(String(frameSum + smallerSum)));
        const folded = await save(page, 'Stacks', 'collapsed');
        const sum = folded.bytes
            .toString()
            .trim()
            .split('\n')
            .reduce((all, line) => all + Number(line.slice(line.lastIndexOf(' '))), 0);
        assert.equal(sum, frameSum + smallerSum);
    });
});

test('the table is saved as it is filtered and sorted', async () => {
    await withCard(card, { hash: '#tab=table' }, async (page) => {
        await page.locator('#q').fill('lag');
        const { name, bytes } = await save(page, 'Table', 'CSV');
        const lines = bytes.toString().trim().split('\r\n');
        assert.equal(name, 'daily_sales.py-peak.csv');
        assert.match(lines[0], /^function,file,line,owner,self \(bytes\)/);
        assert.ok(lines.length > 1 && lines.slice(1).every((line) => /^[^,]*lag/.test(line)), lines.join('\n'));
    });
});

test('the rows that pass the filters are copied, in their order', async () => {
    await withCard(card, { hash: '#tab=table&sort=name' }, async (page) => {
        await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
        await page.locator('#q').fill('lag');
        const shown = await page.locator('#panel-table tbody th').allInnerTexts();
        await page.getByRole('button', { name: 'Copy as CSV' }).click();
        await page.getByText('Copied').waitFor();
        const [head, ...rows] = (await page.evaluate(() => navigator.clipboard.readText())).trim().split(/\r?\n/);
        assert.match(head, /^function,file,line,owner,self \(bytes\)/);
        assert.deepEqual(rows.map((row) => row.split(',')[0]), shown); // prettier-ignore
        assert.ok(shown.length > 0);
        await page.locator('#q').fill('l');
        await page.getByRole('button', { name: 'Copy as CSV' }).waitFor();
    });
});

test('the picture as SVG and PNG', async () => {
    await withCard(card, {}, async (page) => {
        const { frames } = await graphAccount(page);
        const { name, bytes } = await save(page, 'Picture', 'SVG');
        assert.equal(name, 'daily_sales.py-peak.svg');
        const text = bytes.toString();
        assert.ok((text.match(/<title>/g) ?? []).length >= frames);
        assert.match(text, /lag_matrix/);
        const png = await save(page, 'Picture', 'PNG');
        assert.deepEqual([...png.bytes.subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
        assert.ok(png.bytes.readUInt32BE(16) > 1500);
        const { page: alone, close } = await open(saved('alone.svg', text));
        const colours = await alone.evaluate(
            () => new Set([...document.querySelectorAll('rect')].map((rect) => getComputedStyle(rect).fill)).size,
        );
        assert.ok(colours > 6, 'a file of its own has its colours');
        await close();
    });
});

test('where nothing can be saved, it is offered to be copied', async () => {
    const quoted = readFileSync(card, 'utf8').replace(/&/g, '&amp;').replace(/"/g, '&quot;');
    const host = saved('sandbox.html', `<iframe sandbox="allow-scripts" width="1200" height="900" srcdoc="${quoted}">`);
    const { page, close } = await open(host);
    const inner = page.frameLocator('iframe');
    await inner.locator('.actions summary').click();
    await inner.locator('.actions .pop button', { hasText: 'collapsed' }).click();
    assert.match(await inner.locator('dialog textarea').inputValue(), /;lag_matrix;/);
    await inner.getByRole('button', { name: 'Close' }).last().click();
    await inner.locator('.actions summary').click();
    await inner.locator('.actions .pop button', { hasText: 'PNG' }).click();
    assert.match(await inner.locator('dialog img').getAttribute('src'), /^data:image\/png/);
    await close();
});

test('on paper: light, no controls, the picture as SVG', async () => {
    await withCard(card, { colorScheme: 'dark' }, async (page) => {
        await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
        await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
        assert.ok(await page.locator('svg.printed').isVisible());
        assert.equal(await page.locator('.flame').isVisible(), false);
        assert.equal(await page.locator('.bar[role=toolbar]').isVisible(), false);
        const fill = await page.locator('svg.printed .m1 > rect').first().evaluate((e) => getComputedStyle(e).fill);
        assert.equal(fill, 'rgb(254, 224, 199)');
        await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
        assert.equal(await page.locator('svg.printed').count(), 0);
        const pages = (await page.pdf({ format: 'A4' })).toString('latin1').match(/\/Type \/Page\b/g).length;
        assert.ok(pages <= 4, `${pages} pages`);
    });
});

test('a failed run on paper: what is closed is open, nothing is cut, no box lies across two pages', async () => {
    await withCard(cardOf(sample('nightly')), { colorScheme: 'dark' }, async (page) => {
        const traceback = page.locator('.banner details');
        assert.equal(await traceback.getAttribute('open'), null);
        await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
        await page.setViewportSize({ width: 703, height: 1000 }); // the width of A4 between its margins
        await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
        assert.equal(await traceback.locator('pre').isVisible(), false); // the table has the frames that matter
        assert.ok((await page.locator('.notes > details[open]:visible').count()) > 0);
        for (const control of ['.actions', '.tabs', '.win', '.jumps .btn', '.findings .links', '.side'])
            assert.equal(await page.locator(control).first().isVisible(), false, control);
        const grounds = await page.evaluate(() =>
            ['html', 'body', '.panel'].map((name) => getComputedStyle(document.querySelector(name)).backgroundColor),
        );
        assert.deepEqual(grounds, ['rgba(0, 0, 0, 0)', 'rgb(255, 255, 255)', 'rgb(255, 255, 255)']);
        const cut = await page.evaluate(() =>
            [...document.querySelectorAll('.stat .v, .stat .s, .findings p, .banner p, .banner pre, .cmd code')]
                .filter((e) => e.scrollWidth > e.clientWidth + 1)
                .map((e) => e.textContent),
        );
        assert.deepEqual(cut, []);
        const breaks = await page.evaluate(() =>
            [
                ...document.querySelectorAll('.panel:not(#profile), .banner, #profile :is(.graph, .mini > div)'),
            ].map((e) => getComputedStyle(e).breakInside),
        );
        assert.ok(breaks.length > 5 && breaks.every((value) => value === 'avoid'), `${breaks}`);
        await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
        assert.equal(await traceback.getAttribute('open'), null);
    });
});

test('a difference on paper and as SVG has the colours of its legend, and both sides', async () => {
    const path = saved('difference.html', '');
    const sides = ['json_dict-py3.9-memray1.2.0-default.bin', 'json_dict-py3.13-memray1.18.0-default.bin'];
    execFileSync(PROGRAM, ['diff', ...sides.map(sample), '-o', path], { stdio: 'pipe' });
    await withCard(path, { colorScheme: 'dark' }, async (page) => {
        await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
        await page.setViewportSize({ width: 703, height: 1000 });
        await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
        const fillOf = (selector) => page.locator(selector).first().evaluate((e) => getComputedStyle(e).fill);
        const most = await page.locator('.legend .c6').evaluate((e) => getComputedStyle(e).backgroundColor);
        assert.equal(await fillOf('svg.printed .c6 > rect'), most);
        assert.equal(await page.locator('svg.printed .m1, svg.printed .m2, svg.printed .m3').count(), 0);
        assert.equal(await page.locator('.difference input').first().isVisible(), false);
        assert.deepEqual(await page.locator('.difference details[open] thead th').allInnerTexts(), [
            'Function',
            'File and line',
            'Before',
            'After',
            'Change',
            'Shrank, grew',
        ]);
        const cut = (all) => all.filter((e) => e.scrollWidth > e.clientWidth + 1).length;
        assert.equal(await page.locator('.stat .v').evaluateAll(cut), 0);
    });
});

test('packages: the table by package is saved as it is shown, and its rows add up', async () => {
    await withCard(card, { hash: '#tab=table&by=package' }, async (page) => {
        const { name, bytes } = await save(page, 'Table', 'CSV');
        assert.equal(name, 'daily_sales.py-peak.csv');
        const [header, ...rows] = bytes.toString().trim().split('\r\n').map((line) => line.split(','));
        assert.deepEqual(header.slice(0, 5), ['package', 'file', 'line', 'owner', 'self (bytes)']);
        assert.ok(rows.some(([called, , , owner]) => called === 'numpy' && owner === 'library'));
        const sum = rows.reduce((all, row) => all + Number(row[4]), 0);
        const [whole] = /[\d,]+(?= bytes)/.exec(await page.locator('.crumbs b span').first().getAttribute('title'));
        assert.equal(sum, Number(whole.replaceAll(',', '')));
    });
});
