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
        await page.locator('[data-tab=table]').click();
        await page.getByTitle('A row for each line that ran').click();
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
        await page.locator('#q').fill('nan_to_num');
        await page.locator('#q').press('Enter');
        assert.equal(await page.locator('.side .source').isVisible(), false);
    });
    assert.ok(!written(cardOf(CAPTURE)).includes('pr-sources'));
});

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
