// SPDX-License-Identifier: Apache-2.0
/* Axe finds nothing in any tab, theme and width: colours depend on the theme, what there is of a page on the width. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { assertAccessible } from '../support/axe.mjs';
import { cardOf, sample, stopBrowser, withCard } from '../support/browser.mjs';

const good = cardOf(sample('daily-sales.bin'));
const cut = cardOf(sample('killed-py3.12-memray1.20.0-default.bin'));
const estimated = cardOf(sample('cpu/fanout.yappi.pstats'));
const inOrder = cardOf(sample('cpu/fanout.pyi.speedscope.json'));
const failed = cardOf(sample('nightly'));
const lanes = cardOf(sample('timeline/multi.mprof.dat'));
const VIEWS = [
    [good, '#tab=peak&q=a'],
    [good, '#tab=leaks&split=1&window=b30:b90'],
    [good, '#tab=leaks&window=b200:b260&against=b30:b90'],
    [good, '#tab=table'],
    [good, '#tab=peak&view=tree'],
    [good, '#tab=peak&order=sandwich'],
    [good, '#tab=temporary&order=callers'],
    [cut, ''],
    [estimated, '#tab=cpu'],
    [inOrder, '#tab=cpu&order=time'],
    [failed, ''],
    [lanes, ''],
];

after(stopBrowser);

test('nothing moves by itself where that is not wanted', () =>
    withCard(good, {}, async (page) => {
        const moving = () =>
            page.evaluate(
                () =>
                    [...document.querySelectorAll('*')].filter((element) => {
                        const { transitionDuration, animationName } = getComputedStyle(element);
                        return /[1-9]/.test(transitionDuration) || animationName !== 'none';
                    }).length,
            );
        assert.ok((await moving()) > 0);
        await page.emulateMedia({ reducedMotion: 'reduce' });
        assert.equal(await moving(), 0);
    }));

const FEW = VIEWS.filter(([card, hash]) => card === failed || /^#tab=peak&(q|view)=/.test(hash));

for (const [width, colorScheme, views] of [
    [1280, 'light', VIEWS],
    [390, 'dark', VIEWS],
    [1280, 'dark', FEW],
    [390, 'light', FEW],
]) {
    test(`axe finds nothing at ${width} px, ${colorScheme}`, async () => {
        assert.ok(views.length >= 3);
        for (const [card, hash] of views)
            await assertAccessible(pathToFileURL(card).href + hash, { width, colorScheme }, hash);
    });
}
