// SPDX-License-Identifier: Apache-2.0
/*
 * The hardest cards that the program makes open, zoom, search, sort and scroll. Counts are exact;
 * times are the page's processor times and may be five times the goals. tests/bench/card.mjs prints them.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
    address,
    cardOf,
    graphAccount,
    graphBox,
    madeCapture,
    payloadIn,
    profileIn,
    soon,
    stopBrowser,
    text,
    withCard,
} from '../support/browser.mjs';
import { openPaced, scroll, search, setWindow, sortBy, zooms } from '../support/pace.mjs';

after(stopBrowser);

const SLACK = 5;
const MB = 1e6;

/** The card of a generated capture with everything in it. */
const wholeCard = (kind, size) => cardOf(madeCapture(kind, size), '--max-nodes', '100000000', '--max-size', '2GB');

/** Opens a card, does something, and checks that it was silent. */
async function withPaced(path, options, act) {
    const card = await openPaced(path, options);
    try {
        await act(card);
        card.quiet();
    } finally {
        await card.close();
    }
}

const median = (numbers) => numbers.slice().sort((a, b) => a - b)[numbers.length >> 1];

/** What each of several actions costs the page. @returns {Promise<number[]>} ms */
async function work({ cost }, acts) {
    const all = [];
    for (const act of acts) all.push((await cost(act)).workMs);
    return all;
}

/** @param {number[]} ms @param {number} goal @param {string} what */
const assertPace = (ms, goal, what) =>
    assert.ok(median(ms) < goal * SLACK, `${what}: ${ms.map(Math.round).join(', ')} ms, the goal is ${goal} ms`);

for (const [nodes, goal] of [
    [100_000, 400],
    [1_000_000, 800],
]) {
    test(`${nodes} nodes open, zoom and are searched in time, in 16 bytes each`, async () => {
        const path = wholeCard('paths', nodes);
        const profile = profileIn(path);
        const { total } = profile.metrics[0];
        assert.equal(profile.tree.count, nodes + 1);
        const [pack] = payloadIn(path).split(' ');
        assert.ok((pack.length / 4) * 3 <= 16 * nodes, `${(pack.length * 0.75) / nodes} bytes a node`);
        await withPaced(path, {}, async (card) => {
            const { page } = card;
            assertPace([card.opened.workMs], goal, 'opening');
            assert.ok((await card.heapBytes()) < 500 * MB, `${await card.heapBytes()} bytes`);
            await card.whole();
            const whole = await graphAccount(page);
            assert.equal(whole.frameSum + whole.smallerSum, total);
            assert.ok(whole.frames < 10_000 && whole.smaller > nodes / 2, JSON.stringify(whole));
            assertPace(await work(card, zooms(page)), 50, 'zooming');
            assertPace(await work(card, [() => scroll(page, '.flame', 60)]), 30 * 16, 'panning');
            assert.deepEqual(await graphAccount(page), whole);
            const words = ['a', 'load_', '/_1\\d*$/', 'file:engine', 'nowhere'];
            assertPace(await work(card, words.map((one) => () => search(page, one))), 150, 'search'); // prettier-ignore
            assert.match(await search(page, 'load_'), /^[\d,]+ frames \u00b7 [\d.]+ [MG]iB \u00b7 \d\d\.\d %$/);
        });
    });
}

/** Runs in the page: what is there in the first frame that has a graph. */
function watchFirst() {
    const look = () => {
        if (!document.querySelector('[data-live]:not([hidden]) .flame canvas')) return requestAnimationFrame(look);
        const { length } = document.querySelectorAll('.mini tbody tr, .side dd');
        return Object.assign(globalThis, { first: { ...document.querySelector('.graph').dataset, lists: length } });
    };
    requestAnimationFrame(look);
}

test('of a large tree the graph comes first, and what is said of it follows', async () => {
    const prepare = (page) => page.addInitScript(watchFirst);
    await withCard(wholeCard('paths', 600_000), { prepare }, async (page) => {
        await page.waitForFunction(
            () =>
                document.querySelectorAll('.mini tbody tr').length > 1 &&
                document.querySelector('.side .name')?.textContent,
        );
        const first = await page.evaluate(() => globalThis.first);
        assert.ok(first.frames > 100, JSON.stringify(first));
        assert.equal(first.lists, 0);
        const name = '.side .name';
        const [before, after, node] = await page.evaluate((selector) => {
            const said = () => document.querySelector(selector).textContent;
            const tree = document.querySelector('#tree');
            const then = said();
            tree.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true }));
            const { textContent } = tree.querySelector('[aria-selected=true]');
            return [then, said(), textContent];
        }, name);
        assert.ok(before && before === after && !node.startsWith(`${before},`), `${before} ${after} ${node}`);
        await soon(async () => assert.ok(node.startsWith(`${await text(page, name)},`)));
    });
});

test('a window of a run of 100,000 nodes is shown in time, with the total of its bins', async () => {
    const path = wholeCard('paths', 100_000);
    const { history } = profileIn(path);
    await withPaced(path, {}, async (card) => {
        const windows = ['20 s', '3:00', '40 s', '2:40', '1:00'];
        const acts = windows.map((moment, i) => () => setWindow(card.page, i % 2 ? 'last' : 'first', moment));
        assertPace(await work(card, acts), 100, 'windows');
        const bins = /window=b(\d+)(?::|%3A)b(\d+)/;
        // On a busy machine the address is still that of the window before for a while.
        await soon(async () => {
            const [, first, last] = bins.exec(await address(card.page)) ?? [];
            assert.ok(Number(first) > 0 && Number(last) > Number(first));
            const most = Math.max(...history.bins.peak.slice(Number(first), Number(last) + 1));
            const { frameSum, smallerSum } = await graphAccount(card.page);
            assert.equal(frameSum + smallerSum, most);
        });
    });
});

test('a table of 1,000,000 rows opens, sorts, is filtered and scrolls with some dozen elements', async () => {
    await withPaced(wholeCard('wide', 1_000_000), { hash: '#tab=table' }, async (card) => {
        const { page } = card;
        const rows = page.locator('#panel-table tbody tr:not(.gap)');
        await card.whole();
        assert.match(await text(page, '#panel-table .crumbs'), /^1,000,001 functions/);
        assertPace(await work(card, [0, 0, 1, 3, 5].map((column) => () => sortBy(page, column))), 500, 'sorting');
        assertPace(await work(card, [() => scroll(page, '#panel-table .tblwrap', 400)]), 30 * 16, 'scrolling');
        await sortBy(page, 0);
        for (const part of [0.25, 0.5, 1]) {
            await page.locator('#panel-table .tblwrap').evaluate((wrap, at) => {
                wrap.scrollTop = at * wrap.scrollHeight;
            }, part);
            await page.waitForFunction(() => {
                const view = document.querySelector('#panel-table .tblwrap').getBoundingClientRect();
                const drawn = document.querySelectorAll('#panel-table tbody tr:not(.gap)');
                const [top, bottom] = [drawn[0], drawn[drawn.length - 1]].map((row) => row.getBoundingClientRect());
                return top.top < view.bottom && bottom.bottom > view.bottom - 40;
            });
            assert.ok((await rows.count()) > 20 && (await rows.count()) < 80, `${await rows.count()} rows`);
        }
        assert.equal(await rows.last().locator('th').innerText(), 'main');
        await page.getByRole('button', { name: 'Filters' }).click();
        await page.getByLabel('name contains').fill('999');
        assert.match(await text(page, '#panel-table .crumbs'), /^[\d,]+ of 1,000,001 functions/);
        assert.equal(await page.locator('#panel-table tbody .gap:visible').count(), 1);
    });
});

test('a stack of 100,000 frames is drawn, scrolled and walked', async () => {
    const depth = 100_000;
    const path = wholeCard('deep', depth);
    const { total } = profileIn(path).metrics[0];
    await withCard(path, { height: 1400 }, async (page) => {
        const { frames, frameSum, smallerSum } = await graphAccount(page);
        assert.ok(frames > depth / 2, `${frames} boxes`);
        assert.equal(frameSum + smallerSum, total);
        assert.ok((await page.locator('.flame').boundingBox()).height < 900);
        await page.locator('.flame').evaluate((flame) => {
            flame.scrollTop = flame.scrollHeight;
        });
        const canvas = await graphBox(page);
        await page.mouse.dblclick(canvas.x + 1, canvas.y + canvas.height - 30);
        assert.match(await text(page, '.crumbs'), /\u2026/);
        assert.match(await search(page, 'descend'), /^100,000 frames \u00b7 .* \u00b7 100 %$/);
        await page.locator('.tabline').getByText('Table', { exact: true }).click();
        assert.match(await text(page, '#panel-table .crumbs'), /^1 function/);
        for (const key of ['b', 's']) {
            await page.keyboard.press('1');
            await page.keyboard.press(key);
            await soon(async () => {
                const { frameSum, smallerSum } = await graphAccount(page);
                assert.equal(frameSum + smallerSum, total, key);
            });
        }
    });
});

test('a timeline of 10,000,000 samples is some thousand points a lane', async () => {
    const card = cardOf(madeCapture('samples', 10_000_000));
    const { series, history } = profileIn(card);
    for (const { name, at, min, mean, max } of series) {
        assert.ok(at.length <= 4000 + history.bins.count, `${name} has ${at.length} points`);
        assert.ok(at.length > 1000 && mean.every((value, i) => min[i] <= value && value <= max[i]), name);
    }
    assert.ok(history.bins.count > 256 && history.bins.count <= 512);
    await withCard(card, { hash: '#window=b100:b200' }, async (page) => {
        assert.doesNotMatch(await text(page, '.win'), /b100|Drag to select/);
        assert.match(await address(page), /window=b100(:|%3A)b200/);
        assert.ok((await page.locator('#tl').boundingBox()).height > 100);
        const fields = page.locator('.win input');
        assert.match(await fields.first().inputValue(), /^\d+:\d\d:\d\d$/);
    });
});

test('captures of the program: deep, wide, many threads, many samples', async () => {
    for (const [kind, size] of [
        ['deep', 5000],
        ['wide', 50_000],
        ['threads', 500],
        ['samples', 200_000],
        ['stacks', 100_000],
    ]) {
        await withCard(cardOf(madeCapture(kind, size)), {}, async (page) => {
            assert.ok(await page.locator('.flame canvas, .empty').first().isVisible(), kind);
            assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), kind);
        });
    }
});

test('a tree of 100,000 frames is turned over in slices; another choice ends them', async () => {
    const path = wholeCard('paths', 100_000);
    const isPressed = (page, name) => page.getByRole('button', { name, pressed: true, exact: true });
    await withCard(path, {}, async (page) => {
        const said = await page.evaluateHandle(() => {
            const sum = document.querySelector('.crumbs .push');
            const words = [];
            new MutationObserver(() => words.push(sum.textContent)).observe(sum, { childList: true });
            return words;
        });
        const total = await text(page, '.crumbs b');
        await page.keyboard.press('b');
        await isPressed(page, 'Callers').waitFor();
        const shares = (await said.jsonValue())
            .map((words) => /^Building the tree of callers, (\d+) %$/.exec(words)?.[1])
            .filter(Boolean)
            .map(Number);
        assert.ok(shares.length > 0 && shares.every((share, i) => share <= 100 && share >= (shares[i - 1] ?? 0)));
        assert.equal(await text(page, '.crumbs b'), total);
        const drawn = await graphAccount(page);
        assert.ok(drawn.frameSum + drawn.smallerSum > 0);
    });
    await withCard(path, {}, async (page) => {
        await page.evaluate(() => {
            const press = (key) => document.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
            press('b');
            press('i');
        });
        await soon(async () => assert.match(await address(page), /up=1/));
        assert.doesNotMatch(await text(page, '.crumbs'), /Building/);
        assert.ok(await isPressed(page, 'Flame graph').isVisible());
    });
});

/** A V8 profile of a day at 50 Hz, each sample on another of 2,000 stacks than the one before. */
function dayOfSamples() {
    const nodes = [];
    const add = (parent, name) => {
        const id = nodes.length + 1;
        const callFrame = { functionName: name, scriptId: '1', url: 'file:///day.js', lineNumber: id, columnNumber: 0 };
        nodes.push({ id, callFrame, children: [] });
        parent?.children.push(id);
        return nodes.at(-1);
    };
    const root = add(null, '(root)');
    const leaves = [];
    for (let i = 0; i < 400; i++) {
        let path = root;
        for (let depth = 0; depth < 12; depth++) path = add(path, `f${i % 40}_${depth}`);
        for (let j = 0; j < 5; j++) leaves.push(add(path, `leaf${i}_${j}`).id);
    }
    let state = 17;
    const next = (most) => (state = (state * 48271) % 2147483647) % most;
    const many = 24 * 3600 * 50;
    const samples = Array.from({ length: many }, () => leaves[next(leaves.length)]);
    const timeDeltas = samples.map(() => 19_700 + next(600));
    return JSON.stringify({ nodes, startTime: 0, endTime: many * 20_000, samples, timeDeltas });
}

test('24 hours of samples at 20 ms are one page, and a part of them costs little more than all', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'profrender-day-'));
    try {
        const capture = join(folder, 'day.cpuprofile');
        writeFileSync(capture, dayOfSamples());
        const card = cardOf(capture);
        assert.ok(statSync(card).size < 15 * MB, `${statSync(card).size} bytes`);
        const { heat } = profileIn(card);
        assert.equal(heat.slotNs, 20 * MB);
        await withPaced(card, { width: 1440, height: 1000 }, async (paced) => {
            const windows = ['0-3600', '40000-40001', '1-86000', '50000-60000.5', '80000-80000.02', '30000-30060'];
            const show = (window) => () => paced.page.evaluate((part) => (location.hash = `#during=${part}`), window);
            // Before each part the whole run, whose graph is drawn from sums that the card has: nothing is added up.
            const ms = await work(paced, windows.flatMap((window) => [show(''), show(window)]));
            const [whole, parts] = [0, 1].map((odd) => ms.filter((_, i) => i % 2 === odd));
            const said = [parts, whole].map((list) => list.map(Math.round).join(', ')).join(' ms, the whole ');
            assert.ok(median(parts) < 2 * median(whole), `parts ${said} ms`);
            assert.match(await text(paced.page, '.heat .bar'), /8:20:00.00 . 8:21:00.00/);
        });
    } finally {
        rmSync(folder, { recursive: true });
    }
});
