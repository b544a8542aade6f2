// SPDX-License-Identifier: Apache-2.0
/*
 * How fast a card opens, zooms, searches and shows a window, compared with other viewers of the same stacks
 * in the same browser:
 *
 *     node tests/bench/card.mjs [STACKS ...]      default: 20000; at most 12 frames each
 *
 * The viewers: memray's flamegraph (the program that MEMRAY names, else that of build/tests/profilers, which bench.py
 * makes), speedscope (npm), inferno-flamegraph (from the PATH, by `cargo install inferno`); missing
 * ones are reported. Each number is the median of ROUNDS. Times depend on the machine, so every row also has its ratio
 * to ours. A viewer that is not ready after PATIENCE_MS has no time.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT, PROGRAM, madeCapture, saved, startBrowser, stopBrowser } from '../card/support/browser.mjs';

const ROUNDS = 5;
const PATIENCE_MS = 60_000;
const MOST_BYTES = 2 ** 31 - 1;

const run = (program, ...words) => execFileSync(program, words, { cwd: ROOT, maxBuffer: 2 ** 30, stdio: 'pipe' });
const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];

/** A viewer: how to make its page, how to see that it is ready, and what to click to zoom. */
const VIEWERS = {
    profrender: {
        make(capture, path) {
            run(PROGRAM, 'card', capture, '-o', path, '--max-nodes', '100000000', '--max-size', '2GB', '-q');
            return path;
        },
        ready: () => Number(document.querySelector('.graph')?.dataset.frames) > 1,
        zoom: '.flame canvas',
    },
    memray: {
        program: process.env.MEMRAY ?? join(ROOT, 'build/tests/profilers/bin/memray'),
        make(capture, path) {
            run(this.program, 'flamegraph', '--no-web', '-f', '-o', path, capture);
            return path;
        },
        ready: () => document.querySelectorAll('#chart svg g').length > 1,
        zoom: '#chart svg g:nth-of-type(3)',
    },
    speedscope: {
        program: join(ROOT, 'node_modules/speedscope/dist/release/index.html'),
        make(capture, path) {
            const profile = `${path}.speedscope.json`;
            run(PROGRAM, 'export', capture, '--view', 'peak', '--format', 'speedscope', '-o', profile, '-q');
            const script = `${path}.js`;
            const base64 = readFileSync(profile).toString('base64');
            writeFileSync(script, `speedscope.loadFileFromBase64("peak.json", "${base64}")`);
            return { file: this.program, hash: `#localProfilePath=${script}`, bytes: statSync(profile).size };
        },
        ready: () => document.querySelectorAll('canvas').length > 1,
        zoom: 'canvas >> nth=1',
    },
    inferno: {
        program: 'inferno-flamegraph',
        make(capture, path) {
            const stacks = run(PROGRAM, 'export', capture, '--view', 'peak', '--format', 'collapsed', '-q');
            const svg = execFileSync(this.program, [], { input: stacks, maxBuffer: 2 ** 30 });
            const file = path.replace(/html$/, 'svg');
            writeFileSync(file, svg);
            return file;
        },
        ready: () => document.querySelectorAll('#frames g').length > 1,
        zoom: '#frames g:nth-of-type(3)',
    },
};

function isThere(program) {
    if (!program) return true;
    return program.includes('/')
        ? existsSync(program)
        : (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, program)));
}

/** The longest time without a frame, in ms, while ACT is done and for a second after it. */
async function longestGap(page, act) {
    await page.evaluate(() => {
        let last = performance.now();
        globalThis.longest = 0;
        const tick = (now) => {
            globalThis.longest = Math.max(globalThis.longest, now - last);
            last = now;
            requestAnimationFrame(tick);
        };
        requestAnimationFrame(tick);
    });
    await act();
    await page.waitForTimeout(1000);
    return page.evaluate(() => globalThis.longest);
}

/** One round with a page. */
async function measure(viewer, file, hash) {
    const context = await (await startBrowser()).newContext({ viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    const times = {};
    try {
        await page.goto(pathToFileURL(file).href + hash, { timeout: PATIENCE_MS });
        await page.waitForFunction(viewer.ready, undefined, { timeout: PATIENCE_MS, polling: 'raf' });
        times.open = await page.evaluate(() => performance.now());
        times.gap = await longestGap(page, () =>
            page.locator(viewer.zoom).first().click({ position: { x: 5, y: 5 }, timeout: 5000, force: true }),
        );
        if (viewer === VIEWERS.profrender) Object.assign(times, await measureOurs(page));
    } catch (error) {
        process.stderr.write(`${file}: ${String(error.message).split('\n')[0]}\n`);
    }
    await context.close();
    return times;
}

/** Search, and a window where the page has a timeline: until the numbers appear. */
const measureOurs = (page) =>
    page.evaluate(() => {
        const input = document.querySelector('#q');
        const from = performance.now();
        input.value = '1';
        input.dispatchEvent(new Event('input'));
        const search = performance.now() - from;
        input.value = '';
        input.dispatchEvent(new Event('input'));
        const field = document.querySelector('.win input');
        if (!field) return { search };
        const start = performance.now();
        field.value = '1 s';
        field.dispatchEvent(new Event('change'));
        return { search, window: performance.now() - start };
    });

/** Medians of some rounds. */
async function rounds(viewer, made) {
    const { file, hash = '', bytes = statSync(file).size } = typeof made === 'string' ? { file: made } : made;
    const all = [];
    for (let round = 0; round < ROUNDS; round++) {
        all.push(await measure(viewer, file, hash));
        if (all[0].open === undefined) break;
    }
    const of = (key) => (all.every((one) => one[key] !== undefined) ? median(all.map((one) => one[key])) : null);
    return { bytes, open: of('open'), gap: of('gap'), search: of('search'), window: of('window') };
}

const inMs = (value, ours) =>
    value === null ? '-' : `${value.toFixed(0)} ms${ours && value !== ours ? ` (${(value / ours).toFixed(1)})` : ''}`;

function print(name, { bytes, open, gap, search, window }, ours) {
    const size = `${(bytes / 1e6).toFixed(2)} MB${bytes === ours.bytes ? '' : ` (${(bytes / ours.bytes).toFixed(1)})`}`;
    const cells = [name, size, inMs(open, ours.open), inMs(gap, ours.gap), inMs(search, null), inMs(window, null)];
    console.log(`| ${cells.join(' | ')} |`);
}

const sizes = process.argv.slice(2).map(Number);
for (const stacks of sizes.length ? sizes : [20_000]) {
    const capture = madeCapture('stacks', stacks);
    const size = (statSync(capture).size / 1e6).toFixed(1);
    console.log(`\n${stacks} stacks, a capture of ${size} MB; in brackets: times ours\n`);
    console.log('| viewer | size | opens | longest gap at a zoom | search | window |\n|---|---|---|---|---|---|');
    let ours = null;
    for (const [name, viewer] of Object.entries(VIEWERS)) {
        if (!isThere(viewer.program)) {
            console.log(`| ${name} | not here: ${basename(viewer.program)} | | | | |`);
            continue;
        }
        try {
            const made = viewer.make(capture, join(dirname(saved('here', '')), `${name}-${stacks}.html`));
            const result = await rounds(viewer, made);
            ours ??= result;
            if (result.bytes < MOST_BYTES) print(name, result, ours);
        } catch (error) {
            console.log(`| ${name} | ${String(error.message).split('\n')[0]} | | | | |`);
        }
    }
}
await stopBrowser();
