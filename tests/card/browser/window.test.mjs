// SPDX-License-Identifier: Apache-2.0
/*
 * A window on the timeline. Its totals are the program's, in every tab; it is set by dragging, by
 * handles, in fields and with keys, is in the address, and is announced to screen readers.
 */
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { after, test } from 'node:test';
import {
    cardOf,
    collected,
    costMs,
    exported,
    graphAccount,
    open,
    profileIn,
    sample,
    saved,
    soon,
    stopBrowser,
    text,
    withCard,
} from '../support/browser.mjs';
import { pageAround } from '../support/page.mjs';
import { payloadOf, randomly } from '../support/profile.mjs';
import { BIN_MS, randomRun } from '../support/run.mjs';

after(stopBrowser);
/** The last of the commands that are closed at first. */
const last = (page) => page.locator('.cmds .cmd:last-of-type code').textContent();

const SLACK = 5;

/** How long the page waits for more before it writes a window to the address. */
const RESTS_MS = 600;

/** Shows the state of an address in the open page. */
async function go(page, hash) {
    await page.evaluate(
        (to) =>
            new Promise((done) => {
                // The page started listening earlier.
                window.addEventListener('hashchange', done, { once: true });
                if (location.hash === to) done();
                location.hash = to;
            }),
        hash,
    );
}

/** The total of the view that is open, from what is drawn. */
async function drawnTotal(page) {
    const { frameSum, smallerSum } = await graphAccount(page);
    return (await page.locator('.flame').isVisible()) ? frameSum + smallerSum : 0;
}

/** The current contents of the window's fields. */
const fields = (page) => page.locator('.win input').evaluateAll((inputs) => inputs.map((input) => input.value));

/** Where a moment of a run of `bins` bins is, in CSS pixels of the page. */
async function placeOf(page, bin, bins) {
    const { x, y, width } = await page.locator('#tl').boundingBox();
    const right = width > 500 ? 74 : 10;
    return { x: x + 10 + ((width - 10 - right) * bin) / bins, y: y + 40 };
}

async function drag(page, from, to) {
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move((from.x + to.x) / 2, from.y, { steps: 4 });
    await page.mouse.move(to.x, to.y, { steps: 4 });
    await page.mouse.up();
}

const CAPTURES = [
    sample('daily-sales.bin'),
    sample('killed-py3.12-memray1.20.0-default.bin'),
    sample('threads_named-py3.13-memray1.20.0-default.bin'),
    ...collected('three_seconds-py3.12-memray1.20.0-default.bin', 'call_tree-py3.12-memray1.20.0-api.bin'),
];

for (const capture of CAPTURES) {
    const name = capture.split('/').at(-1);
    test(`windows of ${name} have the program's totals, all threads and one`, async () => {
        const random = randomly(7);
        const card = cardOf(capture);
        const { history, threads } = profileIn(card);
        const bins = history.bins.count;
        const random2 = () => [random(bins), random(bins)].sort((a, b) => a - b);
        await withCard(card, {}, async (page) => {
            assert.match(await last(page), new RegExp(`--bins ${bins} `));
            for (const [first, last] of [[0, bins - 1], [0, 0], random2(), random2(), random2()]) {
                const thread = random(threads.length);
                for (const view of ['peak', 'leaks']) {
                    const window = `b${first}:b${last}`;
                    const options = ['--bins', String(bins), '--window', window];
                    const { total_size: total } = exported(capture, view, ...options);
                    await go(page, `#tab=${view}&hide=nothing&window=${window}`);
                    assert.equal(await drawnTotal(page), total, `${view} in ${window}`);
                    const title = await page.locator(`#t-${view} span`).getAttribute('title');
                    assert.equal(title.replace(/\D/g, ''), String(total));
                    const split = exported(capture, view, ...options, '--threads', 'split').records;
                    const own = split.filter((one) => (one.thread || `thread ${one.tid}`) === threads[thread]);
                    await go(page, `#tab=${view}&hide=nothing&window=${window}&threads=${thread}`);
                    const sum = own.reduce((all, { size }) => all + size, 0);
                    assert.equal(await drawnTotal(page), sum, `${view} in ${window}, ${threads[thread]}`);
                }
            }
        });
    });
}

test('a page with merged bins has the windows of the program with as many', async () => {
    const capture = sample('daily-sales.bin');
    const whole = cardOf(capture);
    const heat = /id="pr-payload">([^<]*)/.exec(readFileSync(whole, 'utf8'))[1].trim().split(' ').pop();
    const limit = statSync(whole).size - heat.length - 2; // one byte too few for all bins, without the heat map
    const card = cardOf(capture, '--max-size', String(limit));
    assert.ok(statSync(card).size <= limit);
    const { history } = profileIn(card);
    const bins = history.bins.count;
    assert.ok(bins > 1 && bins < history.recorded, `${bins} bins`);
    await withCard(card, {}, async (page) => {
        assert.match(
            await page.locator('.win .muted').getAttribute('title'),
            /merged from \d+ to limit the size of the page/,
        );
        for (const view of ['peak', 'leaks']) {
            const window = `b1:b${bins >> 1}`;
            await go(page, `#tab=${view}&hide=nothing&window=${window}`);
            const { total_size: total } = exported(capture, view, '--bins', String(bins), '--window', window);
            assert.equal(await drawnTotal(page), total);
        }
    });
});

// ---- a generated run: 20 bins, a second each

const BINS = 20;
const run = randomRun(5, { facts: 6, events: 400, bins: BINS });
const at = Array.from({ length: BINS + 1 }, (_, i) => i * BIN_MS);
const memory = { lane: 'Memory', unit: 'bytes', at };
const made = saved(
    'window.html',
    pageAround(
        payloadOf(
            run.steps.map((steps, i) => [
                `main@app.py:1 > f${i}@app.py:2`,
                10,
                { steps, moves: run.moves[i], leaked: 5 },
            ]),
            {
                bins: run.bins,
                series: [
                    { ...memory, name: 'rss', title: 'RSS', value: at.map((ms) => 5000 + ms) },
                    { ...memory, name: 'heap', title: 'Heap', short: 'heap', value: at.map(() => 1) },
                ],
                endMs: BINS * BIN_MS,
            },
        ),
    ),
);
const peakOf = (first, last) => run.peakOf(first, last).reduce((sum, v) => sum + v, 0);
const leaksOf = (first, last) => run.leaksOf(first, last).reduce((sum, v) => sum + v, 0);

test('dragging selects, snaps outward, and every tab shows the window', async () => {
    await withCard(made, {}, async (page) => {
        assert.deepEqual(await fields(page), ['', '']);
        assert.match(await text(page, '.win'), /Drag to select a time window/);
        await drag(page, await placeOf(page, 4.3, BINS), await placeOf(page, 9.6, BINS));
        assert.deepEqual(await fields(page), ['4 s', '10 s']);
        assert.match(await text(page, '.win'), /6\.00 s/);
        assert.equal(await drawnTotal(page), peakOf(4, 9));
        assert.match(await text(page, '.crumbs'), /in the heap at [\d.]+ s, its highest in 4 s – 10 s/);
        await page.locator('[data-tab=leaks]').click();
        assert.equal(await drawnTotal(page), leaksOf(4, 9));
        assert.match(await text(page, '.crumbs'), /allocated in 4 s – 10 s and not freed in it/);
        await page.locator('.tabline').getByText('Table', { exact: true }).click();
        assert.match(await text(page, '#panel-table .crumbs'), /allocated in 4 s – 10 s and not freed in it/);
        // Backwards gives the same.
        await page.locator('[data-tab=peak]').click();
        await drag(page, await placeOf(page, 9.6, BINS), await placeOf(page, 4.3, BINS));
        assert.deepEqual(await fields(page), ['4 s', '10 s']);
    });
});

test('a click is not a window, a double click and the button clear', async () => {
    await withCard(made, { hash: '#window=b2:b3' }, async (page) => {
        const place = await placeOf(page, 12, BINS);
        await page.mouse.click(place.x, place.y);
        assert.deepEqual(await fields(page), ['2 s', '4 s']);
        await page.mouse.dblclick(place.x, place.y);
        assert.deepEqual(await fields(page), ['', '']);
        assert.equal(await drawnTotal(page), 60);
        await page.locator('#w-first').fill('3');
        await page.locator('#w-first').press('Enter');
        assert.deepEqual(await fields(page), ['3 s', '20 s']);
        await page.getByRole('button', { name: 'Clear the window' }).click();
        assert.deepEqual(await fields(page), ['', '']);
        assert.equal(await page.getByRole('button', { name: 'Clear the window' }).isVisible(), false);
    });
});

test('fields take times, snap outward, say what is not a time, and are emptied to the end of the run', async () => {
    await withCard(made, { hash: '#window=b8:b12' }, async (page) => {
        const type = async (end, value) => {
            await page.locator(`#w-${end}`).fill(value);
            await page.locator(`#w-${end}`).press('Enter');
        };
        await type('first', '0:02.5');
        assert.deepEqual(await fields(page), ['2 s', '13 s']);
        await type('last', '5500 ms');
        assert.deepEqual(await fields(page), ['2 s', '6 s']);
        await type('last', 'noon');
        assert.equal(await page.locator('#w-last').getAttribute('aria-invalid'), 'true');
        await page.waitForFunction(
            () => /noon is not a time/.test(document.querySelector('[role=status]').textContent));
        await type('last', '');
        assert.deepEqual(await fields(page), ['2 s', '20 s']);
        assert.equal(await page.locator('#w-last').getAttribute('aria-invalid'), null);
        await type('last', '99:00');
        assert.deepEqual(await fields(page), ['2 s', '20 s']);
        await page.locator('#w-first').press('ArrowUp');
        assert.deepEqual(await fields(page), ['3 s', '20 s']);
        await type('first', '');
        assert.deepEqual(await fields(page), ['', '']);
    });
});

test('keys: P to the peak, [ and ] take its bin; arrows go from bin to bin', async () => {
    await withCard(made, {}, async (page) => {
        const highest = run.bins.peak.lastIndexOf(Math.max(...run.bins.peak));
        await page.mouse.move(5, 5);
        await page.keyboard.press('p');
        await page.keyboard.press('[');
        await page.keyboard.press(']');
        const bins = () => page.locator('.handle').evaluateAll((all) => all.map((one) => Number(one.ariaValueNow)));
        await soon(async () => assert.deepEqual(await bins(), [highest, highest]));
        await soon(async () => assert.equal(await drawnTotal(page), run.bins.peak[highest]));
        await page.locator('#tl').focus();
        await page.keyboard.press('ArrowLeft');
        await page.keyboard.press('[');
        await soon(async () => assert.deepEqual(await bins(), [highest - 1, highest]));
        await page.keyboard.press('Escape');
        await soon(async () => assert.deepEqual(await fields(page), ['', '']));
    });
});

test('handles are dragged, and are sliders for keys', async () => {
    await withCard(made, { hash: '#window=b5:b9' }, async (page) => {
        const from = page.getByRole('slider', { name: 'Window start' });
        const to = page.getByRole('slider', { name: 'Window end' });
        assert.equal(await from.getAttribute('aria-valuetext'), '5 s');
        await from.focus();
        await page.keyboard.press('ArrowRight');
        await page.keyboard.press('PageDown');
        assert.deepEqual(await fields(page), ['4 s', '10 s']);
        await to.focus();
        await page.keyboard.press('End');
        assert.equal(await to.getAttribute('aria-valuetext'), '20 s');
        await page.keyboard.press('Home');
        assert.deepEqual(await fields(page), ['4 s', '5 s']);
        const grip = await placeOf(page, 5, BINS);
        await drag(page, { x: grip.x + 4, y: grip.y }, await placeOf(page, 7.5, BINS));
        assert.deepEqual(await fields(page), ['4 s', '8 s']);
        const other = await placeOf(page, 4, BINS);
        await drag(page, { x: other.x - 4, y: other.y }, await placeOf(page, 1.5, BINS));
        assert.deepEqual(await fields(page), ['1 s', '8 s']);
        // Past each other, they swap.
        const third = await placeOf(page, 1, BINS);
        await drag(page, { x: third.x - 4, y: third.y }, await placeOf(page, 10.5, BINS));
        assert.deepEqual(await fields(page), ['7 s', '11 s']);
    });
});

test('a window is in the address: reload and Back restore it', async () => {
    await withCard(made, {}, async (page) => {
        await drag(page, await placeOf(page, 2.5, BINS), await placeOf(page, 6.5, BINS));
        await page.waitForFunction(() => location.hash.includes('window=b2%3Ab6'));
        await drag(page, await placeOf(page, 12.5, BINS), await placeOf(page, 14.5, BINS));
        await page.waitForFunction(() => location.hash.includes('window=b12%3Ab14'));
        await page.reload();
        assert.deepEqual(await fields(page), ['12 s', '15 s']);
        assert.equal(await drawnTotal(page), peakOf(12, 14));
        await page.goBack();
        await soon(async () => assert.deepEqual(await fields(page), ['2 s', '7 s']));
        await page.goBack();
        await soon(async () => assert.deepEqual(await fields(page), ['', '']));
        await page.goForward();
        await soon(async () => assert.equal(await drawnTotal(page), peakOf(2, 6)));
    });
});

test('a drag is one step of history, however long it rests on its way', async () => {
    await withCard(made, {}, async (page) => {
        const steps = await page.evaluate(() => history.length);
        const from = await placeOf(page, 2.5, BINS);
        const to = await placeOf(page, 6.5, BINS);
        await page.mouse.move(from.x, from.y);
        await page.mouse.down();
        await page.mouse.move((from.x + to.x) / 2, from.y, { steps: 4 });
        await soon(async () => assert.notDeepEqual(await fields(page), ['', '']));
        await page.evaluate((ms) => new Promise((done) => setTimeout(done, ms)), 2 * RESTS_MS);
        assert.equal(await page.evaluate(() => location.hash), '');
        await page.mouse.move(to.x, to.y, { steps: 4 });
        await page.mouse.up();
        await page.waitForFunction(() => location.hash.includes('window=b2%3Ab6'));
        assert.equal(await page.evaluate(() => history.length), steps + 1);
    });
});

test('what a window holds is said', async () => {
    await withCard(made, {}, async (page) => {
        await drag(page, await placeOf(page, 2.5, BINS), await placeOf(page, 6.5, BINS));
        await page.waitForFunction(() => document.querySelector('[role=status]').textContent !== '');
        const said = await page.locator('[role=status]').textContent();
        assert.match(said, /^Window 2 s – 7 s\. Peak [\d.,]+ K?i?B, Not freed [\d.,]+ K?i?B\. The heap is highest/);
    });
});

test('on a phone a finger selects across and scrolls down', async () => {
    const card = await open(made, { width: 390, height: 800, hasTouch: true });
    try {
        const { page } = card;
        await page.locator('#tl').scrollIntoViewIfNeeded();
        const client = await page.context().newCDPSession(page);
        const touch = async (points) => {
            const [first, ...rest] = points;
            await client.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [first] });
            for (const point of rest)
                await client.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [point] });
            await client.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
        };
        const from = await placeOf(page, 3.5, BINS);
        const to = await placeOf(page, 8.5, BINS);
        const steps = Array.from({ length: 9 }, (_, i) => ({ x: from.x + ((to.x - from.x) * i) / 8, y: from.y }));
        await touch(steps);
        await soon(async () => assert.deepEqual(await fields(page), ['3 s', '9 s']));
        const before = await page.evaluate(() => scrollY);
        const place = await placeOf(page, 10, BINS);
        await touch(Array.from({ length: 9 }, (_, i) => ({ x: place.x, y: place.y + 60 - i * 20 })));
        await page.waitForFunction((y) => scrollY > y, before);
        await soon(async () => assert.deepEqual(await fields(page), ['3 s', '9 s']));
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
        card.quiet();
    } finally {
        await card.close();
    }
});

test('the command in the page follows window and view; what has no history says whose it is', async () => {
    await withCard(cardOf(sample('daily-sales.bin')), { hash: '#tab=leaks&window=b10:b40' }, async (page) => {
        assert.match(await last(page), /--window b10:b40 --view leaks$/);
        const whole = await text(page, '#t-temporary span');
        await page.locator('[data-tab=temporary]').click();
        assert.match(await text(page, '.crumbs'), /for the whole run$/m);
        assert.equal(await text(page, '#t-temporary span'), whole);
        assert.match(await page.locator('#t-temporary span').getAttribute('title'), /, for the whole run$/);
        const peak = await text(page, '#t-peak span');
        await page.locator('#tl').focus();
        await page.keyboard.press('Escape');
        assert.doesNotMatch(await text(page, '.crumbs'), /for the whole run$/);
        assert.notEqual(await text(page, '#t-peak span'), peak);
        assert.match(await last(page), /--window b0:b\d+ --view peak$/);
    });
});

test('the heap lane shows the true peak of a bin, which its samples missed', async () => {
    await withCard(made, {}, async (page) => {
        const bin = run.bins.peak.findIndex((bytes, i) => bytes > 1 && i > 3);
        await page.locator('#tl').focus();
        const place = await placeOf(page, bin + 1, BINS);
        await page.mouse.move(place.x + 0.5, place.y);
        const title = await page.locator('.lane .p.heap + .c').getAttribute('title');
        assert.equal(title.replace(/\D/g, ''), String(run.bins.peak[bin]));
    });
});

test('a window of 100,000 frames is shown in time, by typed columns', async () => {
    const random = randomly(3);
    const bins = 256;
    const stacks = Array.from({ length: 100_000 }, (_, i) => {
        const from = random(bins);
        const to = from + 1 + random(bins - from);
        const bytes = 1 + random(1e5);
        const gone = to < bins;
        const name = ['a', 'b', 'c'].map((letter) => `${letter}${random(40)}@m${random(5)}.py:1`).join(' > ');
        return [
            `main@app.py:1 > ${name} > leaf_${i % 5000}@leaf.py:${1 + (i % 7)}`,
            bytes,
            {
                steps: gone
                    ? [
                          [from, bytes, 1],
                          [to, 0, 0],
                      ]
                    : [[from, bytes, 1]],
                moves: [[from, gone ? to : 'never', bytes, 1]],
            },
        ];
    });
    const held = Array.from({ length: bins }, (_, bin) =>
        stacks.reduce(
            (
                sum,
                [
                    ,
                    bytes,
                    {
                        moves: [[from, to]],
                    },
                ],
            ) => sum + (from <= bin && (to === 'never' || to > bin) ? bytes : 0),
            0,
        ),
    );
    const times = Array.from({ length: bins }, (_, bin) => bin * 100);
    const card = saved(
        'large-window.html',
        pageAround(
            payloadOf(stacks, {
                bins: { start: times, end: times.map((ms) => ms + 100), peak: held },
                series: [{ name: 'heap', title: 'Heap', unit: 'bytes', at: times, value: held }],
                endMs: bins * 100,
            }),
        ),
    );
    await withCard(card, { hash: '#window=b20:b30&by=line' }, async (page) => {
        assert.equal(await drawnTotal(page), Math.max(...held.slice(20, 31)));
        const handle = page.getByRole('slider', { name: 'Window end' });
        const press = (times) =>
            handle.evaluate((slider, count) => {
                for (let i = 0; i < count; i++)
                    slider.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }));
            }, times);
        await press(1);
        const took = await costMs(page, () => press(10));
        assert.ok(took < 10 * 100 * SLACK, `${took} ms for ten windows`);
        assert.equal(await drawnTotal(page), Math.max(...held.slice(20, 42)));
    });
});
