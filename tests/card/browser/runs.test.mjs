// SPDX-License-Identifier: Apache-2.0
/* How a run failed is on the first screen; notes run no script; a successful run has nothing red. */
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { cardOf, openAll, profileIn, sample, stopBrowser, withCard } from '../support/browser.mjs';

const folder = mkdtempSync(join(tmpdir(), 'profrender-runs-'));
after(async () => {
    await stopBrowser();
    rmSync(folder, { recursive: true, force: true });
});

/** When the capture of daily-sales.bin began, s since the epoch. */
const START_S = 1795262460.936;
const MIB = 1024 ** 2;
const MESSAGE = 'Unable to allocate 2.86 GiB for an array with shape (8, 48000000)';
const TRACEBACK = `Traceback (most recent call last):
  File "/srv/demo/daily_sales.py", line 30, in main
    report(features)
  File "/srv/demo/sales/features.py", line 33, in lag_matrix
    return stack(lags)
MemoryError: ${MESSAGE}
`;

/** A ten-second run with this end. @param {string} name @param {object} end @param {Record<string, string>} files */
function makeRun(name, end, files = {}) {
    const path = join(folder, name);
    const head = { type: 'start', version: 1, t: START_S, argv: ['python', 'daily_sales.py'], pid: 7, ncpu: 8 };
    const samples = Array.from({ length: 20 }, (_, i) => ({
        ts: i / 2,
        cpu_pct: 90 + i,
        rss_mb: 20 * i,
        cg_mem_mb: 22 * i,
        psi_io_some_pct: 25,
    }));
    const last = { type: 'end', t: START_S + 10, wall: 10, exit: null, signal: null, core: false, ...end };
    const records = [{ ...head, limits: { memory_max: 512 * MIB, cpu_max: null } }, ...samples, last];
    mkdirSync(path);
    writeFileSync(join(path, 'timeline.jsonl'), records.map((one) => JSON.stringify(one) + '\n').join(''));
    for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text);
    copyFileSync(sample('daily-sales.bin'), join(path, 'capture.bin'));
    return path;
}

const failed = cardOf(makeRun('failed', { exit: 1, stderr_tail: TRACEBACK }));
const killed = cardOf(makeRun('killed', { signal: 9, oom: { cgroup_oom_kill: 1 } }));
const good = cardOf(makeRun('good', { exit: 0, stderr_tail: TRACEBACK }));

for (const scripts of [true, false]) {
    for (const [width, height] of [
        [1280, 720],
        [390, 800],
    ]) {
        test(`why it failed is in the first screen of ${width} x ${height}, scripts ${scripts}`, () =>
            withCard(failed, { width, height, scripts }, async (page) => {
                const heading = page.locator('.banner.failed h2');
                assert.equal(await heading.innerText(), `MemoryError: ${MESSAGE}`);
                const box = await heading.boundingBox();
                assert.ok(box && box.y >= 0 && box.y + box.height <= height && box.width <= width, JSON.stringify(box));
                assert.match(await page.locator('.banner.failed').innerText(), /Exit status 1 after 10\.0 s/);
                assert.match(await page.locator('header .state').innerText(), /Failed/);
                assert.match(await page.title(), /^Failed: /);
                const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
                assert.ok(wide <= 0, `sideways scroll of ${wide} px`);
            }));
    }
}

test('a run that ended for lack of memory opens on its peak, another one on its time', async () => {
    const time = { 'cpu.speedscope.json': readFileSync(sample('nightly/cpu.speedscope.json'), 'utf8') };
    const other = TRACEBACK.replace('MemoryError', 'ValueError');
    for (const [name, stderr_tail, first] of [
        ['memory-first', TRACEBACK, 'peak'],
        ['time-first', other, 'cpu'],
    ])
        await withCard(cardOf(makeRun(name, { exit: 1, stderr_tail }, time)), {}, async (page) => {
            const tabs = await page.locator('[role=tab]').evaluateAll((all) => all.map((tab) => tab.dataset.tab));
            assert.equal(tabs[0], first);
            assert.ok(tabs.includes('cpu') && tabs.includes('peak'), tabs.join());
            assert.equal(await page.locator('[role=tab][aria-selected=true]').getAttribute('data-tab'), first);
        });
});

test('the frame that raised is shown in the graph', () =>
    withCard(failed, {}, async (page) => {
        await page.locator('.banner.failed a', { hasText: 'Show in the graph' }).click();
        await page.waitForFunction(() => document.querySelector('.side')?.textContent?.includes('lag_matrix'));
        assert.match(await page.locator('.side').innerText(), /lag_matrix/);
    }));

test('a frame that was never sampled is not shown as another one; its stack has the code of the traceback', () =>
    withCard(cardOf(sample('nightly')), {}, async (page) => {
        const banner = page.locator('.banner.failed');
        assert.match(await banner.innerText(), /in publish, nightly\.py:50, which was too short to be sampled\./);
        assert.equal(await banner.locator('a', { hasText: 'Show in the graph' }).count(), 0);
        const rows = await banner.locator('.trace tr').allInnerTexts();
        assert.deepEqual(
            rows.map((row) => row.split(/\s*\t\s*/).slice(0, 3).join(' ')),
            [
                'nightly.py:68 <module> main()',
                'nightly.py:64 main publish(models, 7)',
                'nightly.py:50 publish raise RuntimeError(f"upstream table {table} is empty") from error',
            ],
        );
        const told = await banner.locator('summary').innerText();
        assert.equal(told, '10 more frames of runpy and memray');
        await banner.getByText('Heap when it failed').click();
        assert.equal(await page.locator('[role=tab][aria-selected=true]').getAttribute('data-tab'), 'leaks');
        assert.match(await page.locator('.side').innerText(), /^Selected frame\s+train\s/);
    }));

test('the last output of a failed run is copied with a button', () =>
    withCard(cardOf(sample('nightly')), {}, async (page) => {
        const copied = page.evaluate(
            () => new Promise((done) => Object.assign(navigator.clipboard, { writeText: async (text) => done(text) })),
        );
        await page.getByRole('button', { name: 'Copy the last output' }).click();
        assert.match(await copied, /^Traceback .*\n[^]*RuntimeError: upstream table 7 is empty/);
    }));

test('hostile words of a run are shown as text: exception, traceback, notes, names of flow and step', () => {
    const words = `</script><img src=x onerror="document.title='ran'"><b>\u202e__proto__</b>`;
    const place = `  File "${words}.py", line 3, in ${words}`;
    const stack = `Traceback (most recent call last):\n${place}\nValueError: ${words}\n`;
    const run = { schema: 'profrender/run/1', name: words, flow: words, run: words, step: words };
    const files = { 'notes.md': `# ${words}\n\n${words}\n`, 'run.json': JSON.stringify(run) };
    const path = cardOf(makeRun('hostile', { exit: 1, stderr_tail: stack }, files));
    const check = async (page) => {
        await openAll(page);
        assert.equal(await page.locator('img, object, iframe, [onerror]').count(), 0);
        assert.match(await page.locator('.banner.failed h2').innerText(), /^ValueError: <\/script><img src=x onerror=/);
        for (const place of ['h1', '.chips', '.md'])
            assert.match(await page.locator(place).first().innerText(), /<\/script><img src=x onerror=/, place);
        assert.doesNotMatch(await page.locator('body').innerText(), /\u202e/);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
        assert.match(await page.title(), /<\/script><img src=x/);
    };
    return withCard(path, { width: 390 }, check).then(() => withCard(path, { scripts: false }, check));
});

test('without folders: the banner names files alone, and has no traceback', () => {
    const words = TRACEBACK.replace(MESSAGE, "no such file: '/srv/demo/orders.csv'");
    const path = cardOf(makeRun('hidden', { exit: 1, stderr_tail: words }), '--redact-paths');
    return withCard(path, { scripts: false }, async (page) => {
        const banner = page.locator('.banner.failed');
        assert.equal(await banner.locator('h2').innerText(), "MemoryError: no such file: 'orders.csv'");
        assert.doesNotMatch(await banner.innerHTML(), /srv/);
        assert.equal(await banner.locator('details').count(), 0);
    });
});

test('a kill for lack of memory is explained by its numbers', () =>
    withCard(killed, { width: 390, height: 800, scripts: false }, async (page) => {
        assert.equal(await page.locator('.banner.failed h2').innerText(), 'Killed: out of memory');
        const words = await page.locator('.banner.failed').innerText();
        assert.match(words, /Ended by SIGKILL/);
        assert.match(words, /\nAt most 418 MiB of the 512 MiB allowed were in use, 81\.6 %/);
    }));

test('a good run has nothing red, whatever it said', () =>
    withCard(good, {}, async (page) => {
        assert.equal(await page.locator('.banner').count(), 0);
        assert.match(await page.locator('header .state').innerText(), /Succeeded/);
        assert.doesNotMatch(await page.title(), /Failed/);
        const red = await page.evaluate(() => {
            const probe = document.createElement('p');
            probe.className = 'state bad';
            document.body.append(probe);
            const danger = getComputedStyle(probe).color;
            probe.remove();
            return [...document.querySelectorAll('main *, header *')].filter(
                (one) => getComputedStyle(one).color === danger || getComputedStyle(one).borderTopColor === danger,
            ).length;
        });
        assert.equal(red, 0);
    }));

test('lanes of the run and of the capture share one axis, with the limit', () =>
    withCard(good, {}, async (page) => {
        const names = await page.locator('[data-mount=timeline] :is(.n, .p)').allInnerTexts();
        for (const name of ['CPU', 'Memory', 'RSS', 'heap', 'base', 'Cgroup', 'Host disk wait'])
            assert.ok(names.includes(name), `${name} among ${names}`);
        // The run had one process: its samples by the recorder and by the tracker are one line.
        assert.ok(!names.includes('RSS, captured'), names.join());
        const lists = await page.locator('.lanes-none').allInnerTexts();
        assert.equal(lists.at(-1), 'Not recorded: PSS, disk, network, GPU.');
        // The pressure is that of the whole machine: it says nothing of this run.
        await openAll(page);
        assert.doesNotMatch(await page.locator('.told').innerText(), /waiting on disk/);
    }));

test('one real run: time, allocations, lanes, the failure and notes on one card, and no secret', () => {
    const path = cardOf(sample('nightly'));
    assert.doesNotMatch(readFileSync(path, 'utf8') + JSON.stringify(profileIn(path)), /k-3f8a/);
    return withCard(path, {}, async (page) => {
        assert.equal(await page.locator('h1').innerText(), 'Nightly sales');
        assert.equal(await page.locator('.banner.failed h2').innerText(), 'RuntimeError: upstream table 7 is empty');
        const tabs = (await page.locator('[role=tab]').allInnerTexts()).map((tab) => tab.split('\n')[0].split(' ')[0]);
        for (const tab of ['Time', 'Peak', 'Still', 'Temporary'])
            assert.ok(tabs.some((name) => name.startsWith(tab)), `${tab} among ${tabs}`);
        await page.locator('.lane.ax .link').click();
        const names = await page.locator('.gut .n, .gut .p').allInnerTexts();
        for (const name of ['CPU', 'RSS', 'PSS', 'heap', 'Threads']) assert.ok(names.includes(name), name);
        const quiet = (await page.locator('.lanes-none').allInnerTexts())[0];
        assert.match(quiet, /^0 throughout: Swap; Disk read; .*Host memory wait\.$/);
        assert.deepEqual(names.filter((name) => quiet.includes(name)), []);
        await openAll(page);
        assert.match(await page.locator('.md').innerText(), /Nightly sales, third night/);
        assert.doesNotMatch(await page.locator('body').innerText(), /k-3f8a/);
    });
});

test('a recorder that was killed too: what is known is shown, and that it is not all', () => {
    const path = join(folder, 'cut.jsonl');
    writeFileSync(path, '{"type":"start","t":1000,"ncpu":2}\n{"ts":0,"rss_mb":5}\n{"ts":12,"rss_mb":9}\n{"ts":13,"rs');
    return withCard(cardOf(path), {}, async (page) => {
        assert.equal(await page.locator('.banner.cut h2').innerText(), 'The recording is cut off after 12.0 s');
        assert.equal(await page.locator('#tl').count(), 1);
    });
});

const NOTES = `# Why <b>bold</b>

<script>document.title = 'ran'</script>
<img src=x onerror="document.title='ran'">

Text with <script>document.title = 'ran'</script>, [good](https://example.com/a), [mail](mailto:a@example.com),
[part](#peak), [bad](javascript:document.title='ran'), [file](file:///etc/passwd), [near](../secret),
<ftp://example.com>

![net](http://example.com/x.png) ![local](x.png)
![dot](data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==)
`;

test('notes show raw HTML as text, link to the web only, load nothing', () => {
    const path = cardOf(makeRun('notes', { exit: 0 }, { 'notes.md': NOTES }));
    return withCard(path, {}, async (page) => {
        await openAll(page);
        assert.notEqual(await page.title(), 'ran');
        const notes = page.locator('.md');
        assert.match(await notes.innerText(), /<script>document\.title = 'ran'<\/script>/);
        assert.equal(await notes.locator('script, b, [onerror]').count(), 0);
        const links = await notes.locator('a').evaluateAll((all) => all.map((one) => one.getAttribute('href')));
        assert.deepEqual(links, ['https://example.com/a', 'mailto:a@example.com', '#peak']);
        const images = await notes.locator('img').evaluateAll((all) => all.map((one) => one.getAttribute('src')));
        assert.deepEqual(images.map((src) => src.slice(0, 11)), ['data:image/']);
        assert.match(await notes.innerText(), /net local/);
    });
});
