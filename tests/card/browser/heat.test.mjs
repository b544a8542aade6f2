// SPDX-License-Identifier: Apache-2.0
/* The heat map of time: a drag, two clicks or keys choose a part of the run, with the figures of the program. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { assertAccessible } from '../support/axe.mjs';
import { PROGRAM, cardOf, profileIn, sample, soon, stopBrowser, text, withCard } from '../support/browser.mjs';

const folder = mkdtempSync(join(tmpdir(), 'profrender-heat-'));
after(async () => {
    await stopBrowser();
    rmSync(folder, { recursive: true });
});

const WIDE = { width: 1440, height: 1000 };
const HZ = 100;

/** perf script of a minute: `busy` in the first half of each second, `idle` now and then in the other. */
function perfScript() {
    const lines = [];
    for (let i = 0; i < 60 * HZ; i++) {
        const isBusy = i % HZ < HZ / 2;
        if (!isBusy && i % 7) continue;
        const name = isBusy ? 'busy' : 'idle';
        const at = (1000 + i / HZ + 0.003 * (i % 3)).toFixed(6);
        lines.push(`app 70/${70 + (i % 2)} ${at}: 10000000 cpu-clock:u: `, `\t 401000 ${name}+0x1 (/usr/bin/app)`,
            '\t 400100 main+0x1 (/usr/bin/app)', '');
    }
    return lines.join('\n');
}

const capture = join(folder, 'minute.txt');
writeFileSync(capture, perfScript());
const card = cardOf(capture);

const total = (window) =>
    execFileSync(PROGRAM, ['table', capture, '--window', window], { encoding: 'utf8' }).split(' cpu-clock')[0];

/** The middle of a cell. */
async function cellAt(page, second, row) {
    const { x, y, width } = await page.locator('.heat canvas').boundingBox();
    return [x + (second + 0.5) * Math.floor(width / 60), y + 3 * row + 1.5];
}

test('its head scrolls away with it, and never covers its cells', () =>
    withCard(card, { width: 1440, height: 500 }, async (page) => {
        const box = (selector) => page.locator(selector).evaluate((one) => one.getBoundingClientRect().toJSON());
        const { top, height } = await box('.heat canvas');
        await page.mouse.wheel(0, top + height / 2);
        await soon(async () => assert.ok((await box('.heat canvas')).top < 0));
        assert.ok((await box('.heat .bar')).bottom <= (await box('.heat canvas')).top);
    }));

test('a drag chooses what lies between two cells, and every figure is that of the program', () =>
    withCard(card, WIDE, async (page) => {
        await page.mouse.move(...(await cellAt(page, 12, 10)));
        await page.mouse.down();
        await page.mouse.move(...(await cellAt(page, 20, 30)), { steps: 3 });
        await page.mouse.up();
        await soon(async () => assert.match(await page.evaluate(() => location.hash), /during=12\.2-20\.62/));
        const wanted = total('12.2:20.62');
        assert.equal(await text(page, '.crumbs .push b'), wanted);
        assert.ok((await text(page, '.heat .bar')).includes(wanted));
        assert.match(await text(page, '[data-mount=command]'), /--window 12\.2:20\.62 /);
        await page.getByRole('button', { name: 'Clear the selection' }).click();
        await soon(async () => assert.doesNotMatch(await page.evaluate(() => location.hash), /during/));
    }));

test('two clicks choose too, backwards as well, and an address brings the part back', () =>
    withCard(card, WIDE, async (page) => {
        await page.mouse.click(...(await cellAt(page, 31, 0)));
        assert.match(await text(page, '.heat .bar'), /Select the end/);
        await page.mouse.click(...(await cellAt(page, 30, 0)));
        await soon(async () => assert.match(await page.evaluate(() => location.hash), /during=30-31\.02/));
        await page.reload();
        await soon(async () => assert.equal(await text(page, '.crumbs .push b'), total('30:31.02')));
    }));

test('keys move from cell to cell, choose and clear', () =>
    withCard(card, WIDE, async (page) => {
        await page.locator('.heat canvas').focus();
        for (const key of ['Home', 'ArrowRight', 'ArrowRight', 'ArrowDown', 'Enter', 'ArrowRight', 'Enter'])
            await page.keyboard.press(key);
        await soon(async () => assert.match(await page.evaluate(() => location.hash), /during=2\.02-3\.04/));
        await page.keyboard.press('Escape');
        await soon(async () => assert.doesNotMatch(await page.evaluate(() => location.hash), /during/));
    }));

test('the seconds of an address that a person wrote are a part of the time', () =>
    withCard(`${card}`, { ...WIDE, hash: '#window=5-7.5' }, async (page) => {
        await page.evaluate(() => (location.hash = '#window=5-7.5'));
        await soon(async () => assert.equal(await text(page, '.crumbs .push b'), total('5:7.5')));
    }));

/** What the program says was allocated in a window. */
const allocated = (capture, window) =>
    execFileSync(PROGRAM, ['table', capture, '--allocated', '--window', window, '-n', '1'], { encoding: 'utf8' })
        .split(' allocated')[0];

test('a drag over allocations shows who allocated then, and the peak and leaks of that window', () => {
    const capture = sample('daily-sales.bin');
    return withCard(cardOf(capture), WIDE, async (page) => {
        await page.locator('.heat canvas').scrollIntoViewIfNeeded();
        const { x, y, width } = await page.locator('.heat canvas').boundingBox();
        const column = Math.floor(width / 24);
        await page.mouse.move(x + 5.5 * column, y + 15);
        await page.mouse.down();
        await page.mouse.move(x + 9.5 * column, y + 135, { steps: 3 });
        await page.mouse.up();
        await soon(async () => assert.match(await page.evaluate(() => location.hash), /tab=allocated.*during=2-4/));
        assert.equal(await text(page, '.crumbs .push b'), allocated(capture, '2:4'));
        assert.ok((await text(page, '.heat .bar')).includes(allocated(capture, '2:4')));
        assert.match(await text(page, '[data-mount=command]'), /--metric allocated --window 2:4 /);
        await page.locator('[data-tab=peak]').click();
        const peak = execFileSync(PROGRAM, ['table', capture, '--window', '2:4', '-n', '1'], { encoding: 'utf8' });
        assert.ok(peak.startsWith(await text(page, '.crumbs .push b')), peak);
        await page.getByRole('button', { name: 'Clear the selection' }).click();
        await soon(async () => assert.doesNotMatch(await page.evaluate(() => location.hash), /during|window/));
        // A window of the timeline is one of the map.
        await page.evaluate(() => (location.hash = '#tab=allocated&window=b100:b200'));
        await soon(async () => assert.match(await text(page, '.heat .bar'), /3\.72 s \u2013 5\.92 s/));
        assert.equal(await text(page, '.crumbs .push b'), allocated(capture, 'b100:b200'));
    });
});

test('a recording of time and allocations has a map of the tab that is open', () => {
    const capture = sample('cpu/shop.jfr.zst');
    return withCard(cardOf(capture), WIDE, async (page) => {
        const ramp = () => text(page, '.heat .ramp');
        await soon(async () => assert.match(await ramp(), /ms$/));
        await page.evaluate(() => (location.hash = '#tab=allocated'));
        await soon(async () => assert.match(await ramp(), /MiB$/));
        await page.evaluate(() => (location.hash = `${location.hash}&during=1-2`));
        await soon(async () => assert.equal(await text(page, '.crumbs .push b'), execFileSync(PROGRAM,
            ['table', capture, '--metric', 'allocated', '--window', '1:2', '-n', '1'], { encoding: 'utf8' })
            .split(' allocated')[0]));
    });
});

/** Half an hour of a V8 profile, 20 ms a sample or nearly so, on stacks in no order. */
function halfAnHour() {
    let state = 11;
    const next = (most) => (state = (state * 48271) % 2147483647) % most;
    const node = (id, children) => ({
        id,
        callFrame: { functionName: `f${id}`, scriptId: '0', url: 'file:///app/x.js', lineNumber: id, columnNumber: 0 },
        children,
    });
    const leaves = Array.from({ length: 200 }, (_, i) => i + 2);
    const many = 90_000;
    const timeDeltas = Array.from({ length: many }, () => 19_500 + next(1000));
    return {
        nodes: [node(1, leaves), ...leaves.map((id) => node(id, []))],
        startTime: 0,
        endTime: timeDeltas.reduce((a, b) => a + b),
        samples: Array.from({ length: many }, () => leaves[next(200)]),
        timeDeltas,
    };
}

test('a page with less room has a coarser grid, and the sums of a part stay right', () => {
    const path = join(folder, 'half.cpuprofile');
    writeFileSync(path, JSON.stringify(halfAnHour()));
    const grids = [];
    for (const most of [10_000_000, 460_000, 380_000]) {
        const file = cardOf(path, '--max-size', String(most));
        assert.ok(statSync(file).size <= most, `${statSync(file).size} of ${most}`);
        const { heat, metrics } = profileIn(file);
        grids.push(heat.gridNs);
        for (const [from, to] of [[0, 1e6], [60, 61], [100.5, 900.02], [1700, 1701]]) {
            const words = ['export', path, '--window', `${from}:${to}`, '--format', 'json'];
            const exported = JSON.parse(execFileSync(PROGRAM, words, { encoding: 'utf8', maxBuffer: 2 ** 28 }));
            const wanted = exported.total_weight * 1e9;
            const { total } = heat.part(0, metrics[0], heat.seconds(`${from}-${to}`));
            assert.ok(Math.abs(total - wanted) <= 2 * heat.gridNs, `${total} and ${wanted}, grid of ${heat.gridNs}`);
        }
    }
    assert.ok(grids[0] === 1000 && grids[1] > grids[0] && grids[2] >= grids[1], grids.join());
});

/** One stack each millisecond. @param {number} ms */
function shortRun(ms) {
    const at = (id, children) => ({ id, callFrame: { functionName: `f${id}`, scriptId: '0', url: 'file:///app/x.js',
        lineNumber: id, columnNumber: 0 }, children });
    const samples = Array.from({ length: ms }, (_, i) => 2 + (i % 2));
    return { nodes: [at(1, [2, 3]), at(2, []), at(3, [])], startTime: 0, endTime: ms * 1000, samples,
        timeDeltas: samples.map(() => 1000) };
}

test('a short run has shorter cells, so that there are columns to see; one of a moment has no map, and says so', () => {
    const grids = [99, 110, 990, 4_900, 19_000, 21_000].map((ms) => {
        const path = join(folder, `${ms}.cpuprofile`);
        writeFileSync(path, JSON.stringify(shortRun(ms)));
        const file = cardOf(path);
        const { heat } = profileIn(file);
        const why = /No heat map: .*?([\d.]+ ms)<.*? is too short for one/.exec(readFileSync(file, 'utf8'));
        assert.equal(why?.[1] ?? null, heat ? null : '98.0 ms');
        return heat ? [heat.slotNs / 1e6, Math.ceil(heat.slots / heat.rows)] : null;
    });
    assert.deepEqual(grids, [null, [1, 22], [1, 40], [1, 98], [5, 76], [20, 21]]);
});

test('a run that is as busy in each cell shows when the selected frame ran', () => {
    const v8 = sample('cpu/wordcount.cpuprofile');
    return withCard(cardOf(v8), WIDE, async (page) => {
        const said = () => text(page, '.heat .bar > span');
        const at = async (second, words) => {
            const { x, y, height } = await page.locator('.heat canvas').boundingBox();
            const [column, row] = [Math.floor(second / 0.05), Math.round((second % 0.05) * 1000)];
            const wide = await page.locator('.heat .scroll > div').evaluate((one) => one.clientWidth);
            await page.mouse.move(x + (column + 0.5) * (wide / 53), y + ((row + 0.5) * (height - 20)) / 50);
            await soon(async () => assert.match(await text(page, '.heat .at'), words));
        };
        const ran = (name, from, to) => {
            const out = execFileSync(PROGRAM, ['export', v8, '--window', `${from}:${to}`, '--format', 'json']);
            return JSON.parse(out).records
                .filter(({ stack }) => stack.some(([called]) => called === name))
                .reduce((sum, { self }) => sum + self, 0);
        };
        assert.match(await said(), /^Steady: darker is more makeText\. Drag/);
        await at(0.302, /^0\.302 s: makeText 1\.00 ms in 1\.00 ms$/);
        assert.equal(ran('makeText', 0.302, 0.303), 0.001);
        await at(0.71, /^0\.710 s: makeText 0 s in 1\.00 ms$/);
        assert.equal(ran('makeText', 0.71, 0.711), 0);
        await page.locator('.mini .list button', { hasText: 'count' }).first().click();
        await soon(async () => assert.match(await said(), /darker is more count\./));
        await at(0.302, /^0\.302 s: count 0 s in/);
    });
});

test('the order of time shows the part that is chosen', () =>
    withCard(card, WIDE, async (page) => {
        await page.evaluate(() => (location.hash = '#window=10-10.5&order=time&threads=0'));
        const shown = async () => Number(/([\d.]+) ms/.exec(await text(page, '.crumbs .push'))?.[1]);
        await soon(async () => assert.ok((await shown()) > 100 && (await shown()) < 500));
    }));

/** A run of 8 s whose timeline knows the clock of its samples: they begin at 2 s and end at 6 s. */
function runWithClock() {
    const run = join(folder, 'run');
    mkdirSync(run);
    const points = Array.from({ length: 81 }, (_, i) => ({ ts: i / 10, rss_mb: 100 + i, cpu_pct: i > 20 ? 100 : 0 }));
    const lines = [{ type: 'start', version: 1, t: 1_795_860_000, argv: ['app'], pid: 70, interval: 0.1 }, ...points,
        { type: 'end', t: 1_795_860_008, wall: 8, exit: 0, signal: null }];
    writeFileSync(join(run, 'timeline.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const samples = perfScript().split('\n\n').filter((one) => Number(/ (\d+\.\d+):/.exec(one)?.[1]) < 1004);
    const clocks = '# reference time: x = 1795860000.500000 (TOD) = 998.500000 (monotonic)\n';
    writeFileSync(join(run, 'cpu.perf.txt'), `${clocks}${samples.join('\n\n')}\n\n`);
    return run;
}

test('a drag on the timeline is a window of samples that have its clock, with the figure of the program', async () => {
    const run = runWithClock();
    const says = (...options) => execFileSync(PROGRAM, ['table', run, ...options], { encoding: 'utf8' });
    await withCard(cardOf(run), WIDE, async (page) => {
        const drag = async (from, to) => {
            const { x, y, width } = await page.locator('#tl').boundingBox();
            const at = (/** @type {number} */ second) => x + 10 + ((width - 84) * second) / 8;
            await page.mouse.move(at(from), y + 20);
            await page.mouse.down();
            await page.mouse.move(at(to), y + 20, { steps: 3 });
            await page.mouse.up();
        };
        const sum = () => text(page, '.crumbs .push');
        const options = async () => (await text(page, '[data-mount=command]')).split(' ').slice(3);
        await drag(2.51, 4.52);
        await soon(async () => assert.match(await sum(), /cpu-clock:u in 2\.\d+ s \u2013 4\.\d+ s/));
        const shown = /([\d.]+ m?s) cpu-clock/.exec(await sum())[1];
        assert.ok(says(...(await options())).startsWith(`${shown} cpu-clock`), `${shown}: ${await options()}`);
        assert.match(await text(page, '.heat .bar'), new RegExp(`2\\.\\d+ s \u2013 4\\.\\d+ s: ${shown}`));
        // Compared with what was before it, where all samples of the first half second are.
        const menu = page.getByRole('combobox', { name: 'Compare the window with' });
        await menu.selectOption({ label: 'everything before' });
        await soon(async () => assert.match(await text(page, '.difference summary'), /before, .* after/));
        const [, base] = /^([\d.]+ m?s) before/.exec(await text(page, '.difference summary'));
        assert.ok(says('--window', '0:2.51').startsWith(`${base} cpu-clock`), base);
        // Before the first sample there is nothing, here and in the terminal.
        await page.getByRole('button', { name: 'Clear the window' }).click();
        await drag(0.5, 1.5);
        await soon(async () => assert.match(await sum(), /^0 s cpu-clock/));
        assert.throws(() => says('--window', '0.5:1.5'), /nothing was recorded in the window/);
    });
});

test('samples with an order but no clock have no heat map, and the card says why', () =>
    withCard(cardOf(sample('cpu/etl.pyspy.speedscope.json')), WIDE, async (page) => {
        assert.equal(await page.locator('.heat').count(), 0);
        assert.match(await text(page, '.aside'), /an order but no timestamps/);
    }));

test('a card without times has neither the map nor its script', () => {
    assert.equal(profileIn(cardOf(sample('cpu/hashtab.perf.folded'))).time, null);
    const html = execFileSync(PROGRAM, ['card', sample('cpu/hashtab.perf.folded'), '-o', '-'], { encoding: 'utf8' });
    assert.ok(!html.includes('select a part of the run') && !html.includes('data-mount=\'heat\''));
});

test('cards with a heat map are accessible, wide and narrow', async () => {
    for (const [width, colorScheme] of [
        [1280, 'light'],
        [390, 'dark'],
    ])
        await assertAccessible(`file://${card}`, { width, colorScheme });
});
