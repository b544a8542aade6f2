// SPDX-License-Identifier: Apache-2.0
/* Where the reader's system forces its colours on all pages, what a colour said is still there. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { cardOf, sample, soon, stopBrowser, withCard } from '../support/browser.mjs';

after(stopBrowser);

const card = cardOf(sample('daily-sales.bin'), '--theme', 'dark');
const forced = (colorScheme, hash = '') => ({
    hash,
    prepare: (page) => page.emulateMedia({ forcedColors: 'active', colorScheme }),
});
const themeOf = (page) => page.evaluate(() => document.documentElement.dataset.theme);

test('the theme is that of the system, whatever was chosen before, by a person or by who made the card', async () => {
    for (const hash of ['#theme=light', '#theme=dark', '']) {
        await withCard(card, forced('light', hash), async (page) => {
            assert.equal(await themeOf(page), undefined, hash);
            const button = page.getByRole('button', { name: 'Switch between light and dark' });
            assert.equal(await button.isVisible(), false);
            const scheme = () => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
            assert.notEqual(await scheme(), 'dark');
            await page.emulateMedia({ forcedColors: 'none', colorScheme: 'light' });
            await soon(async () => assert.equal(await themeOf(page), hash === '#theme=light' ? 'light' : 'dark'));
            assert.equal(await scheme(), hash === '#theme=light' ? 'light' : 'dark');
            assert.ok(await button.isVisible());
        });
    }
});

test('the edges of a window, the chosen tab and the owners can be seen', () =>
    withCard(card, forced('dark', '#tab=peak&window=b30:b90'), async (page) => {
        const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        const fills = await page.evaluate(() =>
            [
                ['.handle.first', '::before'],
                ['.tabs [aria-selected="true"]', '::after'],
                ['.mini .sw', null],
                ['.side .sw', null],
            ].map(([selector, part]) => getComputedStyle(document.querySelector(selector), part).backgroundColor),
        );
        for (const fill of fills) assert.ok(fill !== ground && fill !== 'rgba(0, 0, 0, 0)', `${fills} on ${ground}`);
        const mine = await page.locator('.mini .o-m').first().evaluate((e) => getComputedStyle(e).backgroundColor);
        const library = await page.locator('.mini .o-l').first().evaluate((e) => getComputedStyle(e).backgroundColor);
        assert.notEqual(mine, library);
    }));
