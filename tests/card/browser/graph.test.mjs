// SPDX-License-Identifier: Apache-2.0
/* The graph: zoom, search, the runner, the address, threads, keys. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
    address,
    cardOf,
    clickBox,
    graphAccount,
    graphBox,
    sample,
    saved,
    soon,
    stopBrowser,
    tap,
    text,
    withCard,
} from '../support/browser.mjs';
import { pageAround } from '../support/page.mjs';
import { payloadOf } from '../support/profile.mjs';

after(stopBrowser);

const STACKS = [
    ['run:_run@runpy.py:88 > run:_exec@runpy.py:197 > main@app.py:9 > load@io.py:3 > lib:read@np.py:5', 600_000],
    ['run:_run@runpy.py:88 > run:_exec@runpy.py:197 > main@app.py:12 > fit@model.py:7 > load@io.py:4', 250_000],
    ['run:_run@runpy.py:88 > run:_exec@runpy.py:197 > main@app.py:12 > fit@model.py:8', 50_000, { leaked: 4096 }],
    ['run:_run@runpy.py:88 > imp:_find@importlib.py:1 > config@conf.py:1', 20_000],
    ['work@pool.py:30 > load@io.py:3', 80_000, { thread: 1 }],
    ...Array.from({ length: 40 }, (_, i) => [`work@pool.py:31 > tiny_${i}@pool.py:${i}`, 1 + i, { thread: 1 }]),
];
const card = saved('graph.html', pageAround(payloadOf(STACKS, { threads: ['MainThread', 'worker'] })));
const TOTAL = STACKS.reduce((sum, [, value]) => sum + value, 0);

const crumbs = (page) => page.locator('.crumbs li').allInnerTexts();
const selected = (page) => text(page, '.side .name');

test("the first look is the user's code; the runner is one box that opens, and the total stays", async () => {
    await withCard(card, {}, async (page) => {
        assert.equal(await selected(page), 'load');
        assert.match(await text(page, '#tree'), /2 start-up frames/);
        const before = await graphAccount(page);
        await clickBox(page, 0.1, 1);
        const opened = await graphAccount(page);
        assert.equal(opened.frames, before.frames + 1);
        assert.equal(opened.frameSum + opened.smallerSum, TOTAL);
        assert.match(await address(page), /runner=open/);
    });
});

test('a module whose box is narrow is called by its file', async () => {
    const modules = ['import_path/one.py', 'import_path/two.py'].map((file) => [`<module>@${file}:1`, 8]);
    const page = saved('modules.html', pageAround(payloadOf([...modules, ['<module>@main.py:1', 84]])));
    await withCard(page, {}, async (page) => {
        await page.addInitScript(() => {
            const { fillText } = CanvasRenderingContext2D.prototype;
            window.drawn = [];
            CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
                window.drawn.push(text);
                fillText.call(this, text, ...place);
            };
        });
        await page.reload();
        await soon(async () => {
            const drawn = await page.evaluate(() => window.drawn);
            assert.ok(drawn.filter((text) => text.startsWith('import_')).length >= 2, drawn.join('|'));
            assert.ok(drawn.includes('<module>') && drawn.includes(' main.py:1'), drawn.join('|'));
        });
    });
});

test('a click zooms, the path leads back, Back and reload restore it', async () => {
    await withCard(card, {}, async (page) => {
        await clickBox(page, 0.1, 2);
        assert.deepEqual(await crumbs(page), ['all threads', '2 start-up frames', 'main']);
        await clickBox(page, 0.1, 3);
        assert.equal(await selected(page), 'load');
        const loaded = await address(page);
        await page.reload();
        assert.equal((await crumbs(page)).at(-1), 'load');
        await page.goBack();
        await soon(async () => assert.equal((await crumbs(page)).at(-1), 'main'));
        await page.goForward();
        await soon(async () => assert.equal((await crumbs(page)).at(-1), 'load'));
        assert.equal(await address(page), loaded);
        await page.locator('.crumbs button').first().click();
        assert.deepEqual(await crumbs(page), ['all threads']);
    });
});

test('Ctrl and the wheel zoom about the pointer, dragging pans, and neither is a step of history', () =>
    withCard(card, {}, async (page) => {
        const canvas = await graphBox(page);
        const [x, y] = [canvas.x + canvas.width * 0.95, canvas.y + 22 + 11];
        const notch = async (byPx, times = 1) => {
            await page.keyboard.down('Control');
            for (let i = 0; i < times; i++) await page.mouse.wheel(0, byPx);
            await page.keyboard.up('Control');
        };
        /** The width of the frame under the pointer, after a move that changes nothing. */
        const width = async (name = 'work') => {
            await page.mouse.move(x + 1, y);
            await page.mouse.move(x, y);
            assert.equal(await text(page, '.tip b'), name);
            return (await page.locator('.graph > .hover').boundingBox()).width;
        };
        const steps = await page.evaluate(() => history.length);
        const first = await width();
        await notch(-60);
        await soon(async () => assert.match(await page.locator('.graph').getAttribute('class'), /part/));
        const ratio = (await width()) / first;
        assert.ok(ratio > 1.03 && ratio < 1.2, `one notch: ${ratio}`); // 1.13, cut at the edge
        await notch(-60, 30);
        assert.ok((await width()) > 0.9 * canvas.width); // and it is still under the pointer
        // It follows the pointer that holds it; that is no click.
        const bar = page.locator('.graph > .across');
        const shown = () => bar.evaluate(({ style }) => [style.marginLeft, style.width].map(parseFloat));
        const [before, share] = await shown();
        const chosen = await selected(page);
        await page.mouse.down();
        await page.mouse.move(x - 400, y, { steps: 3 });
        await page.mouse.move(x - 50, y, { steps: 3 });
        await page.mouse.up();
        const moved = (await shown())[0] - before;
        assert.ok(Math.abs(moved - (share * 50) / canvas.width) < 0.01, `${moved} of ${share} %`);
        assert.equal(await selected(page), chosen);
        await soon(async () => assert.match(await address(page), /across=[\d.]+-0\.9/));
        assert.equal(await page.evaluate(() => history.length), steps);
        await page.reload();
        await soon(async () => assert.match(await page.locator('.graph').getAttribute('class'), /part/));
        // A frame that is zoomed to is left as continuously, for the whole around it.
        await page.mouse.dblclick(x, y);
        await soon(async () => assert.equal((await crumbs(page)).at(-1), 'work'));
        assert.ok(!/across/.test(await address(page)));
        const whole = await width();
        await notch(60);
        await soon(async () => assert.deepEqual(await crumbs(page), ['all threads']));
        const left = (await width()) / whole;
        assert.ok(left > 0.85 && left < 0.95, `one notch out: ${left}`);
        await page.keyboard.press('0');
        await soon(async () => assert.ok(!/part/.test(await page.locator('.graph').getAttribute('class'))));
        await notch(60);
        assert.ok(Math.abs((await width()) - first) < 1);
    }));

test('search counts, sums nested matches once, goes from match to match, changes nothing else', async () => {
    await withCard(card, {}, async (page) => {
        const before = await graphAccount(page);
        await page.locator('#q').fill('load');
        assert.match(await text(page, '#q + output'), /^3 frames · 908 KiB · 92\.9 %$/);
        assert.match(await page.locator('#q + output').getAttribute('title'), /930,000 bytes/);
        assert.deepEqual(await graphAccount(page), before);
        await page.locator('#q').press('Enter');
        assert.equal(await selected(page), 'load');
        assert.match(await text(page, '#q + output'), /^1 of 3 · /);
        await page.getByRole('button', { name: 'Next match' }).click();
        await page.getByRole('button', { name: 'Next match' }).click();
        assert.match(await text(page, '.side'), /80,000|78\.1 KiB/);
        await page.locator('#q').press('Shift+Enter');
        assert.match(await text(page, '#q + output'), /^2 of 3 · /);
        await page.locator('#q').fill('/^(main|load|fit)$/');
        assert.match(await text(page, '#q + output'), /^5 frames · 957 KiB · 97\.9 %$/);
        await page.locator('#q').fill('file:np');
        assert.match(await text(page, '#q + output'), /^1 frame · 586 KiB · 60\.0 %$/);
        await page.locator('#q').fill('/^(fit|work)$/');
        assert.match(await text(page, '#q + output'), /^2 frames/);
        await page.locator('#q').fill('/(/');
        assert.equal(await text(page, '#q + output'), 'Invalid regular expression');
        await page.locator('#q').fill('nowhere');
        assert.equal(await text(page, '#q + output'), 'No match');
        await page.locator('#q').press('Escape');
        assert.equal(await page.locator('#q').inputValue(), '');
        await page.locator('#q').fill('tiny_7');
        await page.locator('#q').press('Enter');
        assert.equal(await selected(page), 'tiny_7');
        assert.ok((await crumbs(page)).length > 1, 'a folded match is zoomed to');
    });
});

test('matches keep their colour and get an outline, the rest is dimmed', async () => {
    /** Colours of a box: near its upper edge, and at the edge. @param {number} row */
    const colours = (page, row) =>
        page.locator('.flame canvas').evaluate((canvas, at) => {
            const g = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
            const colour = (y) => {
                g.drawImage(canvas, 300, 1 + 22 * at + y, 1, 1, 0, 0, 1, 1);
                return g.getImageData(0, 0, 1, 1).data.slice(0, 3).join();
            };
            return { fill: colour(4), edge: colour(0) };
        }, row);
    const [MAIN, LOAD] = [2, 3];
    await withCard(card, {}, async (page) => {
        const before = [await colours(page, MAIN), await colours(page, LOAD)];
        await page.locator('#q').fill('main');
        const [main, load] = [await colours(page, MAIN), await colours(page, LOAD)];
        assert.notEqual(load.fill, before[1].fill, 'what does not match is dimmed');
        assert.equal(main.fill, before[0].fill, 'a match keeps its colour');
        assert.notEqual(main.edge, before[0].edge, 'and has an outline');
        await page.locator('#q').fill('');
        assert.deepEqual([await colours(page, MAIN), await colours(page, LOAD)], before);
    });
});

test('smaller frames say how many they are and what they hold, and get room by a click', async () => {
    await withCard(card, {}, async (page) => {
        const { smaller, smallerSum } = await graphAccount(page);
        assert.equal(smaller, 40);
        assert.equal(smallerSum, 820);
        await page.locator('#q').fill('work');
        await page.locator('#q').press('Enter');
        await page.locator('.acts').getByText('Zoom').click();
        const flame = await graphBox(page);
        await page.mouse.move(flame.x + flame.width - 2, flame.y + 22 * 2 + 10);
        await soon(async () => assert.match(await text(page, '.tip'), /40 smaller frames[^]*820 B/));
        await page.mouse.click(flame.x + flame.width - 2, flame.y + 22 * 2 + 10);
        assert.match((await crumbs(page)).at(-1), /tiny_39/);
    });
});

test('threads: filter, split, and the sums follow', async () => {
    await withCard(card, {}, async (page) => {
        await page.getByText('Threads', { exact: false }).first().click();
        await page.getByRole('checkbox', { name: 'worker' }).uncheck();
        assert.equal((await graphAccount(page)).frameSum, 920_000);
        await page.getByRole('checkbox', { name: 'MainThread' }).uncheck();
        assert.match(await text(page, '.nothing'), /selected threads hold nothing/);
        await page.getByRole('checkbox', { name: 'worker' }).check();
        const { frameSum, smallerSum } = await graphAccount(page);
        assert.equal(frameSum + smallerSum, 80_820);
        await page.getByRole('checkbox', { name: 'MainThread' }).check();
        await page.getByRole('checkbox', { name: 'Split by thread' }).check();
        assert.match(await text(page, '#tree'), /^all threads, total[^]*\nworker, total/);
        const split = await graphAccount(page);
        assert.equal(split.frameSum + split.smallerSum, TOTAL);
        assert.match(await address(page), /split=1/);
    });
});

test('hiding keeps the total; "My code" leaves only mine', async () => {
    await withCard(card, {}, async (page) => {
        await page.getByRole('button', { name: 'My code' }).click();
        const mine = await graphAccount(page);
        assert.equal(mine.frameSum + mine.smallerSum, TOTAL);
        await page.locator('#q').fill('read');
        assert.equal(await text(page, '#q + output'), 'No match');
        await page.getByRole('button', { name: 'My code' }).click();
        assert.match(await text(page, '#q + output'), /^1 frame/);
    });
});

/** What is drawn of the callers in a sandwich. */
const callersAccount = (page) => page.$eval('.above', ({ dataset }) => dataset.frameSum * 1 + dataset.smallerSum * 1);

test('callers: what a frame holds by itself is its total, and the picture adds up', async () => {
    await withCard(card, {}, async (page) => {
        await page.getByRole('button', { name: 'Callers' }).click();
        const { frameSum, smallerSum } = await graphAccount(page);
        assert.equal(frameSum + smallerSum, TOTAL);
        assert.equal(await selected(page), 'load');
        assert.match(await text(page, '.side'), /Called\s+all threads[^]*Callers\s+fit[^]*work/);
        await page.waitForURL(/order=callers/);
        await clickBox(page, 0.1, 2);
        assert.deepEqual(await crumbs(page), ['all threads', 'read', 'load']);
        await page.keyboard.press('b');
        assert.equal((await graphAccount(page)).frameSum, frameSum + smallerSum - 820);
        assert.deepEqual(await crumbs(page), ['all threads']);
    });
});

test('a sandwich: callers and callees of one function over all paths, each its whole total', async () => {
    await withCard(card, {}, async (page) => {
        await page.keyboard.press('s');
        assert.equal(await selected(page), 'load');
        const { frameSum, smallerSum } = await graphAccount(page);
        assert.equal(frameSum + smallerSum, 930_000);
        assert.equal(await callersAccount(page), 930_000);
        assert.match(await text(page, '.side'), /Callers\s+main[^]*work[^]*Callees\s+read/);
        assert.match(await text(page, '.side .kv'), /908 KiB\s*92\.9 % of all/);
        await page.locator('.side .list button').getByText('fit').click();
        assert.equal(await selected(page), 'fit');
        assert.equal(await callersAccount(page), 300_000);
        await page.waitForURL(/order=sandwich&of=/);
        await page.reload();
        assert.equal(await selected(page), 'fit');
        const above = page.locator('.above canvas');
        await above.click({ position: { x: 30, y: (await above.boundingBox()).height - 12 } });
        assert.equal(await selected(page), 'main');
        await page.locator('.tabline').getByText('Table', { exact: true }).click();
        await page.locator('#panel-table').getByRole('button', { name: 'work', exact: true }).click();
        assert.equal(await selected(page), 'work');
        await page.locator('[data-tab=leaks]').click();
        assert.match(await text(page, '.nothing'), /This function holds nothing/);
        await page.goBack();
        await page.locator('[data-tab=peak][aria-selected=true]').waitFor();
        await page.locator('[data-tab=peak]').click();
        await page.getByRole('button', { name: 'Flame graph' }).click();
        const merged = await graphAccount(page);
        assert.equal(merged.frameSum + merged.smallerSum, TOTAL);
    });
});

test('the order of time: calls of one thread are where they ran, and the picture adds up', async () => {
    const stacks = [
        ['main@app.py:1 > load@io.py:3', 5_000_000],
        ['main@app.py:1 > save@io.py:9', 3_000_000],
        ['work@pool.py:1', 2_000_000, { thread: 1 }],
    ];
    const stretches = [
        [0, 0, 3_000_000],
        [1, 3_000_000, 3_000_000],
        [0, 6_000_000, 2_000_000],
        [2, 0, 2_000_000],
    ];
    const timed = saved('timed.html', pageAround(payloadOf(stacks, { threads: ['MainThread', 'worker'], stretches })));
    await withCard(timed, {}, async (page) => {
        await page.getByRole('button', { name: 'Time order' }).click();
        assert.deepEqual(await graphAccount(page), {
            frames: 5,
            frameSum: 8_000_000,
            smaller: 0,
            smallerSum: 0,
        });
        assert.match(await text(page, '.crumbs'), /MainThread, in time order/);
        // All that is said is of the thread that is drawn.
        assert.equal(await text(page, '.crumbs li'), 'MainThread');
        assert.match(await text(page, '#profile'), /Threads\s*MainThread/);
        assert.match(await text(page, '.crumbs .push'), /^7\.63 MiB/);
        await clickBox(page, 0.9, 2);
        assert.equal(await selected(page), 'load');
        assert.match(await text(page, '.side .kv'), /From\s+6\.00 ms \u2013 8\.00 ms/);
        await page.waitForURL(/order=time/);
        await page.reload();
        assert.match(await text(page, '.side .kv'), /From\s+6\.00 ms/);
        await page.getByText('Threads', { exact: false }).first().click();
        await page.getByRole('checkbox', { name: 'MainThread' }).uncheck();
        assert.equal((await graphAccount(page)).frameSum, 2_000_000);
        await page.locator('[data-tab=leaks]').click();
        assert.equal(await page.getByRole('button', { name: 'Time order' }).isVisible(), false);
    });
});

test('an order without a clock says so, and has no moments', async () => {
    const stacks = [
        ['main > load', 5_000_000],
        ['main > save', 3_000_000],
    ];
    const stretches = [
        [0, 0, 5_000_000],
        [1, 5_000_000, 3_000_000],
    ];
    const card = (lacksClock) =>
        saved(`clock-${lacksClock}.html`, pageAround(payloadOf(stacks, { stretches, lacksClock })));
    for (const lacksClock of [true, false]) {
        await withCard(card(lacksClock), { hash: '#order=time' }, async (page) => {
            const said = /in order only, without times/.test(await text(page, '.crumbs'));
            const moments = /From/.test(await text(page, '.side .kv'));
            assert.deepEqual([said, moments], [lacksClock, !lacksClock]);
        });
    }
});

test('frames are functions, or lines', async () => {
    await withCard(card, {}, async (page) => {
        await clickBox(page, 0.1, 2);
        assert.match(await text(page, '.side .kv'), /Lines\s*9\s\(66\.7\s%\), 12\s\(33\.3\s%\)/);
        await page.getByTitle('A frame for each line that ran').click();
        assert.match(await text(page, '.side .where'), /app\.py:9/);
        await page.getByTitle('A frame for each function').click();
        assert.equal(await text(page, '.side .where'), 'app.py');
    });
});

test('the root goes to the bottom and back', async () => {
    await withCard(card, {}, async (page) => {
        await page.getByTitle('Root at the bottom').click();
        const rows = Math.round((await graphBox(page)).height / 22);
        await clickBox(page, 0.1, rows - 3);
        assert.equal((await crumbs(page)).at(-1), 'main');
        await page.keyboard.press('i');
        await clickBox(page, 0.1, 0);
        assert.deepEqual(await crumbs(page), ['all threads']);
    });
});

test('the graph is walked by keys, announced as a tree', async () => {
    await withCard(card, {}, async (page) => {
        const tree = page.locator('#tree');
        await tree.focus();
        await page.keyboard.press('ArrowUp');
        const active = () =>
            tree.evaluate((e) => document.getElementById(e.getAttribute('aria-activedescendant')).textContent);
        assert.match(await active(), /^main, app\.py, my code, total 879 KiB, 89\.9 %/);
        await page.keyboard.press('ArrowDown');
        assert.match(await active(), /^load, io\.py:3/);
        await page.keyboard.press('ArrowRight');
        assert.match(await active(), /^fit/);
        await page.keyboard.press('ArrowUp');
        assert.match(await active(), /^main/);
        await page.keyboard.press('Enter');
        assert.equal((await crumbs(page)).at(-1), 'main');
        await page.keyboard.press('Backspace');
        assert.equal((await crumbs(page)).at(-1), '2 start-up frames');
        await page.keyboard.press('0');
        assert.deepEqual(await crumbs(page), ['all threads']);
        await page.keyboard.press('2');
        assert.equal(await page.locator('[data-tab=leaks]').getAttribute('aria-selected'), 'true');
        await page.keyboard.press('/');
        assert.equal(await page.evaluate(() => document.activeElement.id), 'q');
        await page.keyboard.press('Escape');
        await page.locator('[data-tab=leaks]').focus();
        await page.keyboard.press('ArrowLeft');
        assert.equal(await page.locator('[data-tab=peak]').getAttribute('aria-selected'), 'true');
        for (const view of ['Tree', 'Table', 'Graph']) {
            await page.keyboard.press('v');
            const shown = page.locator('.tabline [aria-pressed=true]');
            await soon(async () => assert.equal(await shown.innerText(), view));
        }
        await page.keyboard.press('Shift+?');
        assert.ok(await page.locator('dialog').isVisible());
        await page.keyboard.press('Escape');
        assert.equal(await page.locator('dialog').isVisible(), false);
    });
});

test('keys go on where a box was clicked', async () => {
    await withCard(card, {}, async (page) => {
        await clickBox(page, 0.1, 2);
        const clicked = await selected(page);
        await page.keyboard.press('ArrowDown');
        await soon(async () => assert.notEqual(await selected(page), clicked));
        const below = await selected(page);
        await page.keyboard.press('Enter');
        await soon(async () => assert.equal((await crumbs(page)).at(-1), below));
    });
});

test('the stack can be copied', async () => {
    await withCard(card, {}, async (page) => {
        await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
        await page.locator('#q').fill('read');
        await page.locator('#q').press('Enter');
        await page.getByRole('button', { name: 'Copy stack' }).click();
        await page.getByText('Copied').waitFor();
        const copied = await page.evaluate(() => navigator.clipboard.readText());
        assert.match(copied, /^586 KiB at the peak \(60\.0 % of 977 KiB\), 1 allocation, profile/);
        assert.ok(
            copied.endsWith('\n\nMost recent call last:\n\n```\nmain  app.py\nload  io.py:3\nread  np.py:5\n```'),
            copied,
        );
    });
});

test('light and dark: as the system, as chosen, as the address says; the canvas follows', async () => {
    const ground = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const pixel = (page) => page.locator('.flame canvas').evaluate((canvas) => canvas.toDataURL());
    await withCard(card, { colorScheme: 'dark' }, async (page) => {
        const dark = await ground(page);
        const inDark = await pixel(page);
        await page.getByRole('button', { name: 'Switch between light and dark' }).click();
        assert.notEqual(await ground(page), dark);
        assert.notEqual(await pixel(page), inDark);
        await page.waitForURL(/theme=light/);
        await page.reload();
        assert.notEqual(await ground(page), dark);
        await page.getByRole('button', { name: 'Switch between light and dark' }).click();
        await soon(() => assert.doesNotMatch(page.url(), /theme=/)); // as the system again, whatever that becomes
        assert.equal(await ground(page), dark);
        await page.emulateMedia({ colorScheme: 'light' });
        assert.notEqual(await ground(page), dark);
        await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
        assert.equal(await ground(page), 'rgb(255, 255, 255)');
    });
});

test('on a phone the words of the toolbar are not cut', async () => {
    await withCard(cardOf(sample('nightly')), { width: 390 }, async (page) => {
        await page.locator('.opener').click();
        const buttons = page.locator('.bar button:visible');
        const cut = await buttons.evaluateAll((all) =>
            all
                .filter((e) => e.scrollHeight > e.clientHeight + 1 || e.scrollWidth > e.clientWidth + 1)
                .map((e) => e.textContent),
        );
        assert.deepEqual(cut, []);
        assert.ok((await buttons.count()) > 8);
    });
});

test('on a phone nothing scrolls sideways, a tap selects, two taps zoom', async () => {
    await withCard(card, { width: 390, hasTouch: true, hash: '#tab=peak' }, async (page) => {
        for (const view of ['Table', 'Graph']) {
            await page.locator('.tabline').getByText(view, { exact: true }).tap();
            assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 390), view);
        }
        const canvas = await graphBox(page);
        const x = canvas.x + 60;
        await tap(page, { x, y: canvas.y + 22 * 2 + 11 });
        await soon(async () => assert.equal(await selected(page), 'main'));
        assert.deepEqual(await crumbs(page), ['all threads']);
        await tap(page, { x, y: canvas.y + 22 * 3 + 11 }, 2);
        await soon(async () => assert.equal((await crumbs(page)).at(-1), 'load'));
    });
});

test('two fingers apart zoom in, together zoom out', async () => {
    await withCard(card, { width: 390, hasTouch: true, hash: '#tab=peak' }, async (page) => {
        const canvas = await graphBox(page);
        const browser = await page.context().newCDPSession(page);
        const [x, y] = [canvas.x + 60, canvas.y + 22 * 3 + 11];
        const touch = (type, half) =>
            browser.send('Input.dispatchTouchEvent', {
                type,
                touchPoints: half ? [{ x: x - half, y, id: 1 }, { x: x + half, y, id: 2 }] : [], // prettier-ignore
            });
        const pinch = async (from, to) => {
            await touch('touchStart', from);
            for (let step = 1; step <= 4; step++) await touch('touchMove', from + ((to - from) * step) / 4);
            await touch('touchEnd', 0);
        };
        const seen = () => page.locator('.graph > .across').evaluate(({ style }) => parseFloat(style.width));
        await pinch(10, 20);
        await soon(async () => assert.ok(Math.abs((await seen()) - 50) < 1));
        assert.equal(await page.evaluate(() => visualViewport.scale), 1);
        await pinch(30, 10);
        await soon(async () => assert.equal(await seen(), 100));
        // Out of a frame as well.
        await tap(page, { x, y }, 2);
        await soon(async () => assert.equal((await crumbs(page)).at(-1), 'load'));
        await pinch(30, 20);
        await soon(async () => assert.deepEqual(await crumbs(page), ['all threads']));
    });
});

test('each view begins with its own heaviest function, until a person has chosen one', async () => {
    await withCard(cardOf(sample('daily-sales.bin')), {}, async (page) => {
        assert.equal(await selected(page), 'lag_matrix');
        await page.locator('[data-tab=leaks]').click();
        assert.equal(await selected(page), 'training_slice');
        await page.locator('[data-tab=peak]').click();
        await page.locator('.side .list button', { hasText: 'nan_to_num' }).click();
        await soon(async () => assert.equal(await selected(page), 'nan_to_num'));
        await page.locator('[data-tab=temporary]').click();
        assert.equal(await selected(page), 'nan_to_num');
    });
});
