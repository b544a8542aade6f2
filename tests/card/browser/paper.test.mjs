// SPDX-License-Identifier: Apache-2.0
/* Paper says what the screen says, and nothing of it is cut, empty or waits to be clicked. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, test } from 'node:test';
import { PROGRAM, cardOf, sample, saved, stopBrowser, withCard } from '../support/browser.mjs';

after(stopBrowser);

const memory = cardOf(sample('daily-sales.bin'));
const failed = cardOf(sample('nightly'));

/** A card as it is printed, on A4. @param {string} card @param {string} hash @param {(page) => Promise<void>} look */
const onPaper = (card, hash, look) =>
    withCard(card, { hash }, async (page) => {
        await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
        await page.setViewportSize({ width: 703, height: 1000 }); // the width of A4 between its margins
        await page.emulateMedia({ media: 'print' });
        await look(page);
    });

const textIn = (page, selector) => page.locator(selector).evaluateAll((all) => all.map((e) => e.textContent));

test('a long table is the rows that were in view, and how many more there are', () =>
    withCard(memory, { hash: '#tab=table' }, async (page) => {
        const pages = (await page.pdf({ format: 'A4' })).toString('latin1').match(/\/Type \/Page\b/g).length;
        assert.ok(pages <= 4, `${pages} pages`);
        await page.emulateMedia({ media: 'print' });
        const drawn = await page.locator('#panel-table tbody tr:not(.gap)').count();
        const [, all] = /of ([\d,]+) functions/.exec(await page.locator('#panel-table .crumbs').innerText());
        const chosen = Number(await page.locator('#panel-table .crumbs b').first().innerText());
        const last = page.locator('#panel-table .gap td').last();
        const said = await last.evaluate((e) => getComputedStyle(e, '::after').content);
        assert.match(said, new RegExp(`\\b${chosen - drawn} more rows`));
        assert.ok(chosen <= Number(all) && drawn > 20);
        assert.ok((await last.boundingBox()).height < 40);
        assert.ok(await page.locator('#panel-table thead th').nth(1).isVisible(), 'the column of files');
    }));

test('the picture has the shares, the files of modules, and marks my code and the chosen frame', () =>
    onPaper(memory, '', async (page) => {
        const texts = (await textIn(page, 'svg.printed text')).map((text) => text.replaceAll('\u00a0', ' '));
        assert.ok(texts.includes('253 MiB  77.5 %'), `${texts.slice(0, 20)}`);
        const name = page.locator('svg.printed text', { hasText: /^lag_matrix$/ });
        assert.equal(await name.evaluate((e) => getComputedStyle(e).fontWeight), '600');
        const file = page.locator('svg.printed text', { hasText: 'daily_sales.py' }).first();
        const gap = await file.evaluate((e) => {
            const { right } = e.previousElementSibling.getBBox ? e.previousElementSibling.getBoundingClientRect() : {};
            return e.getBoundingClientRect().left + e.getExtentOfChar(0).width - right;
        });
        assert.ok(gap > 2, `${gap} px between <module> and its file`);
        assert.equal(await page.locator('svg.printed .chosen').count(), 1);
    }));

test('a graph begins where a page has room, its lists whole; the slot for another card is for screens', () => {
    const compared = saved('compared.html', '');
    execFileSync(PROGRAM, ['diff', sample('daily-sales.bin'), sample('nightly/memray.bin'), '-o', compared], {
        stdio: 'pipe',
    });
    return onPaper(compared, '', async (page) => {
        assert.deepEqual(await textIn(page, '.versus > :nth-child(3) b'), ['Drop another card here to compare']);
        assert.equal(await page.locator('.versus > div:visible').count(), 2);
        const breaks = (selector) => page.locator(selector).first().evaluate((e) => getComputedStyle(e).breakInside);
        assert.equal(await breaks('#profile'), 'auto');
        for (const whole of ['.crumbs', '.graph', '.mini > div:visible', '.panel:has(.tl)'])
            assert.equal(await breaks(whole), 'avoid');
    });
});

test('no panel ends on the very edge, and all cells of the figures are as wide', () =>
    onPaper(failed, '', async (page) => {
        // A failure has its own frames with their code; those of the runner are counted, not printed.
        assert.equal(await page.locator('.banner .trace tr:visible').count(), 3);
        assert.equal(await page.locator('.banner details pre:visible').count(), 0);
        const rightOf = (all) => all.map((e) => e.getBoundingClientRect().right);
        const edges = await page.locator('.panel').evaluateAll(rightOf);
        assert.ok(edges.every((right) => right <= 702), `${edges}`);
        const widthOf = (all) => all.map((e) => Math.round(e.clientWidth));
        const widths = await page.locator('.more .stat').evaluateAll(widthOf);
        assert.ok(widths.length > 4 && Math.max(...widths) - Math.min(...widths) <= 1, `${widths}`);
    }));

test('what can only be clicked is not there', () =>
    onPaper(failed, '', async (page) => {
        for (const control of ['.btn', '.tabline', '.narrower', '.lane .link', '.about', '.howto', '.sizes table'])
            assert.equal(await page.locator(control).first().isVisible(), false, control);
        const mark = page.locator('.lane .p').first();
        assert.notEqual(await mark.evaluate((e) => getComputedStyle(e, '::before').display), 'none', 'looks of lines');
    }));

test('in the picture of a difference a line says what moved, not whose code it is', async () => {
    const path = saved('difference-on-paper.html', '');
    const sides = ['json_dict-py3.9-memray1.2.0-default.bin', 'json_dict-py3.13-memray1.18.0-default.bin'];
    execFileSync(PROGRAM, ['diff', ...sides.map(sample), '-o', path], { stdio: 'pipe' });
    await onPaper(path, '', async (page) => {
        assert.equal(await page.locator('svg.printed :is(.o-m, .o-l, .o-s)').count(), 0);
        assert.ok((await page.locator('svg.printed rect.up').count()) > 0);
        assert.ok((await page.locator('svg.printed rect.down').count()) > 0);
    });
});

test('an arrow of the verdict is on the line of its amount, whatever the width', async () => {
    const difference = saved('verdict.html', '');
    const sides = ['json_dict-py3.9-memray1.2.0-default.bin', 'json_dict-py3.13-memray1.18.0-default.bin'].map(sample);
    execFileSync(PROGRAM, ['diff', ...sides, '-o', difference], { stdio: 'pipe' });
    await onPaper(difference, '', async (page) => {
        const mark = page.locator('.verdict > span .down');
        for (let width = 703; width > 400; width -= 10) {
            await page.setViewportSize({ width, height: 1000 });
            assert.equal(await mark.evaluate((e) => e.getClientRects().length), 1, `${width} px`);
        }
    });
});
