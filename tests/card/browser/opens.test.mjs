// SPDX-License-Identifier: Apache-2.0
/* The card opens anywhere, asks for nothing, and is readable without scripts and styles. */
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
    cardOf,
    graphAccount,
    open,
    openAll,
    ROOT,
    sample,
    saved,
    stopBrowser,
    text,
    withCard,
} from '../support/browser.mjs';

const CAPTURE = sample('daily-sales.bin');
const card = cardOf(CAPTURE);

after(stopBrowser);

test('from disk, no request and nothing on the console', async () => {
    await withCard(card, {}, async (page) => {
        assert.equal(await page.locator('[data-static]').first().isVisible(), false);
        assert.ok((await graphAccount(page)).frames > 10);
    });
});

test('the policy forbids everything but the two inline elements, which run', async () => {
    const html = readFileSync(card, 'utf8');
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1] ?? '';
    assert.match(policy, /^default-src 'none'; /);
    assert.doesNotMatch(policy, /unsafe/);
    assert.doesNotMatch(html, / style="/);
    const { page, close } = await open(card);
    const ran = await page.evaluate(() => {
        const script = document.createElement('script');
        const styled = document.createElement('p');
        script.textContent = 'document.title = "ran"';
        styled.setAttribute('style', 'position: fixed');
        document.body.append(script, styled);
        return [
            document.title,
            getComputedStyle(styled).position,
            Object.keys(window)
                .filter((key) => /^_?_?pr[A-Z_]|profrender/.test(key))
                .join(),
        ];
    });
    assert.notEqual(ran[0], 'ran');
    assert.deepEqual(ran.slice(1), ['static', '']);
    await close();
});

/** A page that shows the card in a frame of the height that the card reports. */
const HOST = `<!doctype html><title>host</title>
<style>iframe { width: 100%; border: 0; }</style>
<script>
    addEventListener('message', ({ data }) => {
        if (data.type === 'profrender:height')
            document.querySelector('iframe').style.height = data.height + 'px';
    });
</script>
<iframe sandbox="allow-scripts" `;

const quoted = (html) => html.replace(/&/g, '&amp;').replace(/"/g, '&quot;');

for (const [name, source] of [
    ['sandboxed', `src="${card}"`],
    ['srcdoc', `srcdoc="${quoted(readFileSync(card, 'utf8'))}"`],
]) {
    test(`works in a ${name} frame, and tells its height`, async () => {
        const host = saved(`${name}.html`, `${HOST}${source}></iframe>`);
        const { page, close } = await open(host);
        try {
            await page.waitForFunction(() => document.querySelector('iframe').offsetHeight > 500);
            const inner = page.frames()[1];
            await inner.locator('#q').fill('a');
            assert.match(await inner.locator('#q + output').innerText(), /frames/);
            await inner.locator('[data-tab=leaks]').click();
            assert.equal(await inner.locator('[data-tab=leaks]').getAttribute('aria-selected'), 'true');
            await inner.locator('.flame canvas').dblclick({ position: { x: 100, y: 78 } });
            assert.ok((await inner.locator('.crumbs li').count()) > 1);
            await inner.getByRole('button', { name: 'Copy stack' }).click();
            await inner
                .locator('.acts')
                .getByText(/Copied|Select to copy/)
                .waitFor();
            await page.waitForTimeout(200);
            assert.equal(page.frames().length, 2);
            assert.ok(await inner.locator('.flame canvas').isVisible());
        } finally {
            await close();
        }
    });
}

test('without scripts: findings, stats, tables and the picture are there', async () => {
    await withCard(card, { scripts: false }, async (page) => {
        for (const selector of ['h1', '.stats', 'svg.ice', '.view .tbl'])
            assert.ok(await page.locator(selector).first().isVisible(), selector);
        assert.equal(await page.locator('[data-live]').first().isVisible(), false);
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
    });
});

test('without scripts and styles the text reads in order, nothing hidden is shown', async () => {
    const bare = saved('bare.html', readFileSync(card, 'utf8').replace(/<style>.*?<\/style>/s, ''));
    await withCard(bare, { scripts: false }, async (page) => {
        const words = await text(page, 'body');
        assert.match(words, /Peak heap/);
        assert.match(words, /main/);
        assert.doesNotMatch(words, /Selected frame/);
    });
});

test('a payload that cannot be read leaves the static page', async () => {
    const broken = saved('broken.html', readFileSync(card, 'utf8').replace(/(id="pr-payload">.{100}).{50}/, '$1'));
    const { page, close } = await open(broken);
    assert.ok(await page.locator('[data-static]').first().isVisible());
    assert.equal(await page.locator('[data-live]').first().isVisible(), false);
    await close();
});

test('the same capture gives the same bytes, and little more than its data', () => {
    const again = cardOf(CAPTURE);
    assert.ok(readFileSync(card).equals(readFileSync(again)));
    const size = ['card.js', 'card.css'].reduce(
        (sum, name) => sum + statSync(join(ROOT, 'build/assets', name)).size,
        0,
    );
    // All parts, and a second dark theme, as in no card: tests/card/model/bundle.test.mjs has each set's limit.
    assert.ok(size < 201_000, String(size));
});

test('a timeline alone counts no stacks, and a list that has nothing to list says so', async () => {
    const timeline = cardOf(sample('timeline/metaflow-ok.jsonl'));
    await withCard(timeline, {}, async (page) => {
        await openAll(page);
        assert.match(await text(page, '.chip'), /^Recorded\s+resource timeline/);
        assert.doesNotMatch(await text(page, 'footer'), /call paths/);
    });
    const cut = cardOf(sample('json_dict-py3.12-memray1.20.0-default+cut-half.bin'));
    await withCard(cut, {}, async (page) => {
        assert.match(await text(page, '.mini'), /Only start-up code and frames too small to list/);
    });
    await withCard(card, {}, async (page) => {
        assert.equal(await page.locator('.mini p:visible').count(), 0);
    });
});

test('panels of totals and findings rule all of their cells', async () => {
    const run = cardOf(sample('nightly'));
    for (const width of [1280, 900, 390])
        await withCard(run, { width }, async (page) => {
            const unruled = await page.$$eval('.stat, .findings li', (cells) =>
                cells
                    .filter((cell) => !/^0px 1px 1px/.test(getComputedStyle(cell).borderWidth))
                    .map((cell) => cell.textContent),
            );
            assert.deepEqual(unruled, []);
            const gap = await page.$eval('.findings', (list) => {
                const last = list.lastElementChild.getBoundingClientRect();
                return Math.abs(list.getBoundingClientRect().right - last.right);
            });
            assert.ok(gap <= 1, `the last row of findings ends ${gap} px before its panel at ${width} px`);
        });
});
