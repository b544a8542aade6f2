// SPDX-License-Identifier: Apache-2.0
/* Two parts of one run, as a difference: menu, colours, table, address; the program gives the same result. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { PROGRAM, address, cardOf, sample, soon, stopBrowser, text, withCard } from '../support/browser.mjs';

after(stopBrowser);

const CAPTURE = sample('daily-sales.bin');
const card = cardOf(CAPTURE);
const BEFORE = 'b30:b80';
const AFTER = 'b150:b220';
const hash = `#tab=peak&window=${AFTER}&against=${BEFORE}`;

/** The part of all changes from which a function has a row of its own. */
const WORTH = 0.01;

/** The program's result for the same parts. */
const difference = (...options) =>
    JSON.parse(
        execFileSync(
            PROGRAM,
            ['diff', CAPTURE, '--base-window', BEFORE, '--window', AFTER, '--by', 'own', '--json', ...options],
            { encoding: 'utf8', stdio: 'pipe' },
        ),
    );

const exact = (title) => Number(/^[\u2212-]?[\d,]+/.exec(title)[0].replaceAll(',', '').replace('\u2212', '-'));

/** Name, before, after, change of each row. */
const rowsOf = async (page) => {
    const rows = await page.locator('.difference tbody tr').evaluateAll((all) =>
        all.map((row) => ({
            name: row.querySelector('th').innerText,
            titles: Array.from(row.querySelectorAll('.amount [title]'), ({ title }) => title),
        })),
    );
    return rows.map(({ name, titles }) => [name, ...titles.map(exact)]);
};

for (const [tab, options] of [
    ['peak', []],
    ['leaks', ['--leaks']],
])
    test(`two parts of a run have the totals and rows of the program: ${tab}`, async () => {
        const said = difference(...options);
        await withCard(card, { hash: hash.replace('peak', tab) }, async (page) => {
            const totals = await page
                .locator('.difference summary [title]')
                .evaluateAll((all) => all.slice(0, 3).map(({ title }) => title));
            assert.deepEqual(totals.map(exact), [said.before, said.after, said.change]);
            const rows = await rowsOf(page);
            const all = said.rows.reduce((sum, { change }) => sum + Math.abs(change), 0);
            const ofProgram = said.rows
                .filter(({ change }) => Math.abs(change) >= WORTH * all)
                .map((row) => `${row.function} ${row.before} ${row.after} ${row.change}`);
            const named = rows.filter(([name]) => !/^without a function$|more function/.test(name));
            assert.ok(named.length > 3);
            assert.deepEqual(named.map((row) => row.join(' ')).sort(), ofProgram.sort());
            assert.equal(
                rows.reduce((sum, row) => sum + row[3], 0),
                said.change,
            );
            const changes = rows.filter(([name]) => !/more function/.test(name)).map((row) => row[3]);
            assert.ok(changes.some((change) => change > 0) && changes.some((change) => change < 0));
            const sorted = changes.slice().sort((a, b) => Math.abs(b) - Math.abs(a));
            assert.deepEqual(changes, sorted);
        });
    });

test('what a window is compared with is chosen in a menu and is in the address', async () => {
    await withCard(card, { hash: '#tab=peak&window=b100:b150' }, async (page) => {
        const menu = page.getByLabel('Compare the window with');
        const panel = page.getByRole('region', { name: 'What changed' });
        const isCompared = (bins) => soon(async () => assert.match(await address(page), new RegExp(`against=${bins}`)));
        assert.equal(await panel.isVisible(), false);
        await menu.selectOption('the same length before');
        await isCompared('b49%3Ab99');
        assert.ok(await panel.isVisible());
        assert.match(await text(page, '.crumbs'), /compared with/);
        await menu.selectOption('everything before');
        await isCompared('b0%3Ab99');
        await menu.selectOption('everything after');
        await isCompared('b151%3Ab320');
        await page.reload();
        assert.ok(await panel.isVisible());
        await page.goBack();
        await isCompared('b0%3Ab99');
        await menu.selectOption('nothing');
        assert.equal(await panel.isVisible(), false);
        await menu.selectOption('another window (drag it next)');
        assert.equal(await panel.isVisible(), false);
        await page.locator('#w-first').fill('6');
        await page.locator('#w-first').press('Tab');
        assert.ok(await panel.isVisible());
        await isCompared('b100%3Ab150');
        await page.getByLabel('Clear the window').click();
        assert.equal(await panel.isVisible(), false);
        await soon(async () => assert.doesNotMatch(await address(page), /against|window/));
    });
});

test('the graph is coloured by change, in amounts or in shares; a view without time says so', async () => {
    await withCard(card, { hash }, async (page) => {
        const tokens = readFileSync(new URL('../../../assets/src/css/tokens.css', import.meta.url), 'utf8');
        const [grown, mine] = ['c6', 'm-3'].map((name) => new RegExp(`--${name}: (#\\w{6});`).exec(tokens)[1]);
        const colours = () =>
            page.evaluate(() => {
                const canvas = document.querySelector('.flame canvas');
                const blank = new OffscreenCanvas(canvas.width, canvas.height);
                const copy = blank.getContext('2d', { willReadFrequently: true });
                copy.drawImage(canvas, 0, 0);
                const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
                const counts = {};
                const hex = (byte) => byte.toString(16).padStart(2, '0');
                for (let i = 0; i < data.length; i += 4) {
                    const colour = `#${hex(data[i])}${hex(data[i + 1])}${hex(data[i + 2])}`;
                    counts[colour] = (counts[colour] ?? 0) + 1;
                }
                return counts;
            });
        const amounts = await colours();
        assert.ok(amounts[grown] > 5000, 'most of it grew');
        assert.equal(amounts[mine], undefined, 'owners have no colour while two parts are compared');
        await page.locator('#diff-share').check();
        await soon(async () => assert.match(await address(page), /compare=shares/));
        assert.notDeepEqual(await colours(), amounts);
        await page.locator('[data-tab=temporary]').click();
        assert.match(await text(page, '.difference'), /covers the whole run/);
        assert.equal((await colours())[grown], undefined);
    });
});

test('two parts of a run fit a phone', async () => {
    await withCard(card, { width: 390, hash }, async (page) => {
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
        assert.ok(await page.getByLabel('Compare the window with').isVisible());
    });
});
