// SPDX-License-Identifier: Apache-2.0
/* Everything that can be chosen is in the address: reload, Back and Forward bring each choice back. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { cardOf, sample, saved, soon, stopBrowser, withCard } from '../support/browser.mjs';

after(stopBrowser);

const card = cardOf(sample('threads_named-py3.13-memray1.20.0-default.bin'));

/** The choices as a person sees them, and the address. */
const seen = (page) =>
    page.evaluate(() => ({
        hash: location.hash,
        tab: document.querySelector('[role=tab][aria-selected=true]').dataset.tab,
        zoom: document.querySelector('.crumbs li:last-child').innerText,
        query: document.querySelector('#q').value,
        matches: document.querySelector('#q + output').innerText,
        window: Array.from(document.querySelectorAll('.win input'), (field) => field.value).join(),
        menus: Array.from(document.querySelectorAll('.bar summary'), (menu) => menu.innerText).join(),
        pressed: Array.from(document.querySelectorAll('.bar [aria-pressed=true]'), ({ title }) => title).join(),
        sum: document.querySelector('.crumbs .push').innerText,
        ground: getComputedStyle(document.body).backgroundColor,
    }));

/** Each choice, and its word in the address. */
const CHOICES = [
    ['tab=leaks', (page) => page.locator('[data-tab=leaks]').click()],
    ['zoom=', (page) => page.locator('.side .acts').getByRole('button', { name: 'Zoom' }).click()],
    ['q=a', (page) => page.locator('#q').fill('a')],
    ['window=b', (page) => page.locator('#w-first').fill('10 ms').then(() => page.keyboard.press('Enter'))],
    ['threads=', (page) => tick(page, 'Threads', 1)],
    ['split=1', (page) => tick(page, 'Threads', 0)],
    ['hide=', (page) => page.getByRole('button', { name: 'My code' }).click()],
    ['order=callers', (page) => page.getByRole('button', { name: 'Callers' }).click()],
    ['theme=dark', (page) => page.getByRole('button', { name: 'Switch between light and dark' }).click()],
];

/** Changes a box of a menu. */
async function tick(page, menu, number) {
    const opener = page.locator('.bar summary', { hasText: menu });
    await opener.click();
    await page.locator('.bar details[open] input[type=checkbox]').nth(number).click();
    await opener.click();
}

test('tab, zoom, search, window, threads, hidden groups, order and theme: reload, Back and Forward', async () => {
    await withCard(card, {}, async (page) => {
        const looks = [await seen(page)];
        for (const [word, choose] of CHOICES) {
            await choose(page);
            await page.waitForFunction((text) => decodeURIComponent(location.hash).includes(text), word);
            const look = await seen(page);
            assert.notDeepEqual(look, looks.at(-1), word);
            await page.reload();
            await soon(async () => assert.deepEqual(await seen(page), look));
            // What is typed, and the theme, are no steps to go back to.
            if (/^(q|theme)=/.test(word)) looks.pop();
            looks.push(look);
        }
        for (const look of looks.slice(0, -1).reverse()) {
            await page.goBack();
            await soon(async () => assert.deepEqual(await seen(page), look));
        }
        for (const look of looks.slice(1)) {
            await page.goForward();
            await soon(async () => assert.deepEqual(await seen(page), look));
        }
    });
});

/** What is selected, and zoomed to. */
const place = (page) =>
    page.evaluate(() => [
        document.querySelector('.side .name').textContent,
        document.querySelector('.crumbs li:last-child').textContent,
    ]);

test('a link leads to the same functions on a card with other folding, or with one function more', async () => {
    const stacks = 'main;check;count 5\nmain;load;read 300\nmain;load;parse 200\nmain;save 100\n';
    const cards = [
        cardOf(saved('before.folded', stacks)),
        cardOf(saved('before.folded', stacks), '--max-nodes', '7'),
        cardOf(saved('after.folded', `main;begin;read 900\n${stacks}`)),
        cardOf(saved('wrapped.folded', stacks.replaceAll('main;', 'main;retry;'))),
    ];
    let link = '';
    await withCard(cards[0], {}, async (page) => {
        await page.getByRole('button', { name: 'Tree', exact: true }).click();
        await page.locator('.ctree tr', { hasText: 'load' }).first().dblclick();
        await page.locator('.ctree tr', { hasText: 'parse' }).click();
        await page.waitForURL(/zoom=.*at=/);
        await soon(async () => assert.deepEqual(await place(page), ['parse', 'load']));
        link = await page.evaluate(() => location.hash);
        assert.doesNotMatch(link, /(zoom|at)=\d+(&|$)/);
    });
    for (const other of cards)
        await withCard(other, { hash: link }, async (page) =>
            soon(async () => assert.deepEqual(await place(page), ['parse', 'load'])),
        );
});
