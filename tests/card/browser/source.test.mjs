// SPDX-License-Identifier: Apache-2.0
/* Links to source, its text in the page, and paths that reveal nothing about a person. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { decodeSources } from '../../../assets/src/payload/unpack.js';
import { ROOT, cardOf, profileIn, sample, saved, stopBrowser, text, withCard } from '../support/browser.mjs';

const CAPTURE = sample('daily-sales.bin');
const URL = 'https://git.example.com/shop/blob/main/{file}#L{line}';
const DEMO = join(ROOT, 'samples/demo');

/** What the program wrote into a card itself. */
const written = (card) =>
    readFileSync(card, 'utf8').replace(/(<(script|style)\b[^>]*>)[^]*?<\/\2>/g, '$1').replace(/<wbr>/g, '');

after(stopBrowser);

test('my code has links: in the panel, in both tables, in the findings; code of others has none', async () => {
    const card = cardOf(CAPTURE, '--root', '/srv/demo', '--source-url', URL);
    await withCard(card, {}, async (page) => {
        assert.equal(
            await page.locator('.side .where a').getAttribute('href'),
            'https://git.example.com/shop/blob/main/sales/features.py',
        );
        const finding = page.locator('.findings code').nth(1).locator('..');
        assert.match(await finding.getAttribute('href'), /features\.py#L33$/);
        await page.locator('#q').fill('nan_to_num');
        await page.locator('#q').press('Enter');
        assert.equal(await page.locator('.side .where a').count(), 0);
        await page.locator('#q').fill('');
        await page.locator('.tabline').getByText('Table', { exact: true }).click();
        await page.getByTitle('A row for each line', { exact: true }).click();
        const links = await page.locator('#panel-table td a').evaluateAll((all) => all.map(({ href }) => href));
        assert.ok(links.includes('https://git.example.com/shop/blob/main/sales/features.py#L33'));
        assert.ok(links.every((href) => href.startsWith('https://git.example.com/shop/blob/main/')));
    });
    assert.ok(/<td class='mono'><a href='https:[^']*features\.py#L\d+'[^>]*>[^<]*features/.test(written(card)));
});

test('--source puts the text of my code into the page, around the line that ran', async () => {
    const maps = ['--path-map', `/srv/demo=${DEMO}`, '--path-map', '/srv=/nowhere'];
    const card = cardOf(CAPTURE, ...maps, '--root', DEMO, '--source');
    await withCard(card, {}, async (page) => {
        assert.match(await text(page, '.side .source .here'), /^\s*33\s+return np\.nan_to_num/);
        // Long lines go on below: nothing is cut.
        const cut = await page.locator('.side .source').evaluate((e) => e.scrollWidth - e.clientWidth);
        assert.equal(cut, 0);
        await page.locator('#q').fill('nan_to_num');
        await page.locator('#q').press('Enter');
        assert.equal(await page.locator('.side .source').isVisible(), false);
    });
    assert.ok(!written(cardOf(CAPTURE)).includes('pr-sources'));
});

test('the code of a file has what its lines hold; lines lead to the graph, frames and findings to their lines', () => {
    const maps = ['--path-map', `/srv/demo=${DEMO}`, '--path-map', '/srv=/nowhere'];
    const card = cardOf(CAPTURE, ...maps, '--root', DEMO, '--source');
    return withCard(card, {}, async (page) => {
        await page.locator('.findings button', { hasText: 'Show the code' }).first().click();
        const here = page.locator('.code tr.here');
        assert.match(await here.innerText(), /^33\s+return np\.nan_to_num.*\s+\d+ MiB\s+[\d.]+ %/);
        assert.equal(await page.locator('.flame').first().isVisible(), false);
        const lines = readFileSync(join(DEMO, 'sales/features.py'), 'utf8').trimEnd().split('\n');
        assert.deepEqual(await page.locator('.code .text').allTextContents(), lines);
        // Its columns are called as the tabs are, which are in use, not "not freed", of a run that failed.
        assert.deepEqual(await page.locator('.code thead .r').allTextContents(), ['Peak', 'Not freed']);
        // What the panel shows of the line's frame is what its row shows of the same path, or more: all paths.
        const row = await here.locator('.r span').first().getAttribute('title');
        const panel = await text(page, '.side .kv');
        assert.ok(panel.includes('MiB') && /bytes/.test(row), row);
        assert.match(page.url(), /view=code/);
        await page.locator('.code tr', { hasText: 'def lag_matrix' }).scrollIntoViewIfNeeded();
        await here.locator('button').click();
        assert.ok(await page.locator('.flame').first().isVisible());
        assert.match(await text(page, '.side .where'), /features\.py/);
        await page.locator('.side .acts').getByText('Code').click();
        assert.ok(await page.locator('.codeview').isVisible());
        await page.reload();
        assert.ok(await page.locator('.codeview').isVisible(), 'the address has it');
        assert.match(await page.locator('.code tr.here').innerText(), /^33\s/);
    });
});

test('a card without source has no view of code, whatever its address says', () =>
    withCard(cardOf(CAPTURE), { hash: '#view=code' }, async (page) => {
        assert.ok(await page.locator('.flame').first().isVisible());
        assert.equal(await page.getByRole('button', { name: 'Code', exact: true }).count(), 0);
    }));

test('hostile source is text: nothing runs, nothing is turned round', async () => {
    const folder = join(dirname(saved('here.txt', '')), 'hostile', 'sales');
    mkdirSync(folder, { recursive: true });
    const line = '\treturn 1  # </script><img src=x onerror=alert(1)> \u202e \u2028 \0'.slice(0, -1);
    writeFileSync(join(folder, 'features.py'), `${line}\r\n`.repeat(60));
    const root = dirname(folder);
    await withCard(cardOf(CAPTURE, '--path-map', `/srv/demo=${root}`, '--root', root, '--source'), {}, async (page) => {
        assert.match(
            await text(page, '.side .source .here'),
            /33 {5}return 1 {2}# <\/script><img src=x onerror=alert\(1\)> \\u202e \\u2028/,
        );
    });
});

test('--redact-paths leaves no folder of the machine in the page', () => {
    const card = cardOf(CAPTURE, '--redact-paths', '--root', '/srv/demo', '--source-url', URL);
    const html = readFileSync(card, 'utf8');
    const { strings } = profileIn(card);
    const island = decodeSources(/id="pr-sources">([^<]*)</.exec(html)[1]);
    for (const words of [written(card), strings.text, JSON.stringify(island)])
        assert.equal(/.{20}(\/srv|site-packages|\/usr\/|\/home\/).{20}/.exec(words)?.[0], undefined);
    assert.ok(/sales\/features\.py/.test(strings.text));
    assert.ok(/pandas\/core\//.test(strings.text));
});
