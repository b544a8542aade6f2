// SPDX-License-Identifier: Apache-2.0
/* --fragment: a card within another page. --split: style and script next to the page. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { cardOf, open, sample, saved, soon, stopBrowser, text, withCard } from '../support/browser.mjs';

const CAPTURE = sample('daily-sales.bin');
const fragment = readFileSync(cardOf(CAPTURE, '--fragment'), 'utf8');

after(stopBrowser);

const page = (body) => `<!doctype html><html lang="en"><title>host</title>
<style>button { font-size: 40px; } .panel { display: none; } h1, div { letter-spacing: 9px; color: red; }</style>
<h1 id="q">Host</h1><input id="own">${body}<p class="panel">hidden by the host</p></html>`;

const pixels = (host, selector, property) =>
    host.evaluate(
        ([css, name]) => getComputedStyle(document.querySelector('.profrender').shadowRoot.querySelector(css))[name],
        [selector, property],
    );

test('a fragment has no html, head and body, and works twice in one page, whose styles stay outside', async () => {
    assert.doesNotMatch(fragment.slice(0, 300), /<html|<head|<body|<meta/);
    const host = saved('twice.html', page(`<div>${fragment}</div><div>${fragment}</div>`));
    await withCard(host, { hash: '#mine' }, async (outer) => {
        const cards = outer.locator('.profrender');
        assert.equal(await cards.count(), 2);
        const [first, second] = [cards.nth(0), cards.nth(1)];
        await first.locator('.flame canvas').dblclick({ position: { x: 100, y: 78 } });
        assert.ok((await first.locator('.crumbs li').count()) > 1);
        assert.equal(await second.locator('.crumbs li').count(), 1);
        await second.locator('[data-tab=leaks]').click();
        assert.equal(await second.locator('[data-tab=leaks]').getAttribute('aria-selected'), 'true');
        assert.equal(await first.locator('[data-tab=leaks]').getAttribute('aria-selected'), 'false');
        await first.getByRole('button', { name: 'Switch between light and dark' }).click();
        assert.equal(await first.getAttribute('data-theme'), 'dark');
        assert.equal(await second.getAttribute('data-theme'), null);
        assert.equal(await pixels(outer, 'h1', 'letterSpacing'), '-0.2px');
        assert.equal(await pixels(outer, '.btn', 'fontSize'), '13px');
        const own = await outer.evaluate(() => getComputedStyle(document.querySelector('h1')).color);
        assert.equal(own, 'rgb(255, 0, 0)');
        assert.match(outer.url(), /#mine$/);
        assert.equal(await outer.title(), 'host');
    });
});

test('keys are those of the page around a fragment, but while it has the focus', async () => {
    await withCard(saved('keys.html', page(fragment)), {}, async (outer) => {
        const focused = () => outer.evaluate(() => document.activeElement.className || document.activeElement.tagName);
        await outer.keyboard.press('/');
        assert.equal(await focused(), 'BODY');
        await outer.locator('[data-tab=leaks]').click();
        await outer.keyboard.press('/');
        assert.equal(await focused(), 'profrender');
        await outer.keyboard.type('1');
        assert.equal(await outer.locator('.profrender #q').inputValue(), '1');
        await outer.keyboard.press('Escape');
        await outer.locator('[data-tab=leaks]').focus();
        await outer.keyboard.press('Shift+?');
        assert.ok(await outer.locator('dialog').isVisible());
    });
});

test('a fragment that is hidden at first is drawn when it is shown', async () => {
    const host = saved('hidden.html', page(`<section id="tab" hidden>${fragment}</section>`));
    await withCard(host, {}, async (outer) => {
        assert.equal(await outer.locator('.profrender').isVisible(), false);
        await outer.evaluate(() => document.getElementById('tab').removeAttribute('hidden'));
        await outer.waitForFunction(() => {
            const { shadowRoot } = document.querySelector('.profrender');
            return Number(shadowRoot.querySelector('.graph').dataset.frames) > 10;
        });
        assert.ok((await outer.locator('.flame canvas').boundingBox()).height > 100);
        assert.ok((await outer.locator('#tl').boundingBox()).height > 100);
    });
});

test('a page can put a fragment into itself by script', async () => {
    const host = saved('late.html', page('<div id="place"></div>'));
    // The browser itself reports on the console that it makes no shadow root here.
    const { page: outer, close } = await open(host);
    await outer.evaluate((html) => {
        const place = document.getElementById('place');
        place.innerHTML = html;
        const dead = place.querySelector(':scope > script');
        const script = document.createElement('script');
        script.textContent = dead.textContent;
        dead.replaceWith(script);
    }, fragment);
    assert.ok(await outer.locator('.flame canvas').isVisible());
    await close();
});

test('a fragment without scripts is readable', async () => {
    await withCard(saved('still.html', page(fragment)), { scripts: false }, async (outer) => {
        for (const selector of ['.profrender h1', '.profrender svg.ice', '.profrender .view .tbl'])
            assert.ok(await outer.locator(selector).first().isVisible(), selector);
    });
});

test('a narrow place gets the layout of a narrow screen', async () => {
    const host = saved('narrow.html', page(`<div style="width: 390px">${fragment}</div>`));
    await withCard(host, {}, async (outer) => {
        const wide = await outer.locator('.profrender').evaluate((card) => [card.scrollWidth, card.clientWidth]);
        assert.ok(wide[0] <= wide[1], wide.join());
    });
});

test('--split puts style and script next to the page; pages of a folder share them', async () => {
    const folder = join(dirname(saved('x.txt', '')), 'split');
    mkdirSync(folder);
    const [first, second] = ['one.html', 'two.html'].map((name) => {
        const path = join(folder, name);
        cardOf(CAPTURE, '--split', '-o', path);
        return path;
    });
    const files = readdirSync(folder).sort();
    assert.equal(files.length, 4, files.join());
    const names = [/^one\.html$/, /^two\.html$/, /^profrender-[0-9a-f]{12}\.css$/, /^profrender-[0-9a-f]{12}\.js$/];
    for (const name of names) assert.ok(files.some((file) => name.test(file)), files.join());
    assert.equal(/<style>|<script>/.test(readFileSync(first, 'utf8')), false);
    const { page: card, close } = await open(second);
    assert.ok(await card.locator('.flame canvas').isVisible());
    assert.match(await text(card, '.tabs'), /Peak/);
    assert.equal(await card.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(246, 246, 247)');
    await close();
});

test('who chooses dark on a light system gets it, in a page, next to its files and in a fragment', async () => {
    const DARK = 'rgb(12, 13, 15)';
    const ground = (page, host = 'body') => page.locator(host).evaluate((e) => getComputedStyle(e).backgroundColor);
    const apart = join(dirname(saved('apart.txt', '')), 'dark.html');
    cardOf(CAPTURE, '--split', '-o', apart);
    const inside = saved('frag.html', fragment);
    for (const [card, host] of [[cardOf(CAPTURE), 'body'], [apart, 'body'], [inside, '.profrender']]) {
        const { page, close } = await open(card, { colorScheme: 'light' });
        const light = await ground(page, host);
        assert.notEqual(light, DARK);
        const toggle = page.getByRole('button', { name: 'Switch between light and dark' });
        await toggle.click();
        await soon(async () => assert.equal(await ground(page, host), DARK));
        await toggle.click();
        await soon(async () => assert.equal(await ground(page, host), light));
        await close();
    }
    await withCard(cardOf(CAPTURE, '--theme', 'dark'), { colorScheme: 'light', scripts: false }, async (page) =>
        assert.equal(await ground(page), DARK),
    );
});
