// SPDX-License-Identifier: Apache-2.0
/* The lane of memory: what is resident, split, with the same figures for the same moment wherever they are. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { cardOf, sample, soon, stopBrowser, withCard } from '../support/browser.mjs';

after(stopBrowser);

const WIDE = { width: 1440, height: 1000 };
const daily = cardOf(sample('daily-sales.bin'));

/** The figures of the lane at the cursor: by name, in bytes. */
const figures = (page) =>
    page.$$eval('.lane.pair.big', ([lane]) =>
        Object.fromEntries(
            [...lane.querySelectorAll('.p')].map((name) => [
                name.textContent,
                Number(name.nextElementSibling.title.replace(/\D/g, '')),
            ]),
        ),
    );

test('at each moment the heap and the bands add up to what is resident, in figures that the page shows', () =>
    withCard(daily, WIDE, async (page) => {
        await soon(async () => assert.ok((await page.locator('.layer').count()) > 1));
        const box = await page.locator('#tl').boundingBox();
        let seen = 0;
        for (let share = 0.05; share < 0.9; share += 0.05) {
            await page.mouse.move(box.x + box.width * share, box.y + 140);
            const { RSS, heap, ...bands } = await figures(page);
            const sum = Object.values(bands).reduce((all, bytes) => all + bytes, 0);
            if (heap <= RSS) assert.equal(heap + sum, RSS, `at ${share}`);
            assert.ok(sum <= RSS, `at ${share}`);
            seen += sum > 0 && heap <= RSS;
        }
        assert.ok(seen > 5, `${seen} moments`);
    }));

test('bands have names, and the colours in which they are painted', () =>
    withCard(daily, WIDE, async (page) => {
        const names = await page.locator('.p.stacked').allInnerTexts();
        assert.ok(names.includes('base'), names.join());
        const colours = await page.$$eval('.p.stacked', (list) =>
            list.map((one) => getComputedStyle(one, '::before').backgroundColor),
        );
        assert.equal(new Set(colours).size, names.length, colours.join());
        const painted = await page.$eval('#tl', (canvas) => {
            const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
            const found = new Set();
            for (let i = 0; i < data.length; i += 4) found.add(`rgb(${data[i]}, ${data[i + 1]}, ${data[i + 2]})`);
            return [...found];
        });
        for (const colour of colours) assert.ok(painted.includes(colour), `${colour} is painted`);
    }));
