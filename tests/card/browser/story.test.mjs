// SPDX-License-Identifier: Apache-2.0
/* The weight of what a card shows: what matters is in the first screens, the rest is one step away. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
    PROGRAM,
    cardOf,
    clickBox,
    graphAccount,
    graphBox,
    openAll,
    profileIn,
    sample,
    soon,
    stopBrowser,
    text,
    withCard,
} from '../support/browser.mjs';

after(stopBrowser);
const folder = mkdtempSync(join(tmpdir(), 'profrender-story-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const failed = cardOf(sample('nightly'));
const daily = cardOf(sample('daily-sales.bin'));
const top = (page, selector) =>
    page.locator(selector).first().evaluate((one) => Math.round(one.getBoundingClientRect().top + scrollY));

const between = (before, after) => {
    const path = join(folder, `${Math.random()}.html`);
    execFileSync(PROGRAM, ['diff', sample(before), sample(after), '-o', path], { stdio: 'pipe' });
    return path;
};

/** Each is a function, as most cards are made for this only. */
const KINDS = {
    'a failed run': () => failed,
    memray: () => daily,
    'a killed program': () => cardOf(sample('killed-py3.12-memray1.20.0-default.bin')),
    'several processes': () => cardOf(sample('daily-sales.bin'), sample('nightly/memray.bin')),
    'a difference': () => between('daily-sales.bin', 'nightly/memray.bin'),
    'a run and a capture': () => between('nightly', 'nightly/memray.bin'),
    'a difference of recordings': () => between('cpu/shop.jdk11.jfr.zst', 'cpu/shop.jfr.zst'),
    'stacks without a clock': () => cardOf(sample('cpu/etl.pyspy.folded')),
    pprof: () => cardOf(sample('cpu/endpoints.cpu.pb.gz')),
    JFR: () => cardOf(sample('cpu/shop.jfr.zst')),
    '.NET': () => cardOf(sample('cpu/shelf.nettrace.zst')),
    V8: () => cardOf(sample('cpu/wordcount.cpuprofile')),
    'a heap dump': () => cardOf(sample('heap/shelf.hprof.zst')),
    'a heap snapshot': () => cardOf(sample('heap/shelf.heapsnapshot.zst')),
    DHAT: () => cardOf(sample('cpu/tree.dhat.json.gz')),
    heaptrack: () => cardOf(sample('cpu/hashtab.heaptrack.zst')),
    'memory of PyTorch': () => cardOf(sample('cpu/train.torch.pickle')),
    'a trace of PyTorch': () => cardOf(sample('cpu/train.torch.trace.json.gz')),
};

for (const [kind, card] of Object.entries(KINDS)) {
    test(`the graph begins in the second screen at most: ${kind}`, async () => {
        const path = card();
        for (const [width, most] of [
            [1440, 950],
            [390, 1600],
        ]) {
            await withCard(path, { width, height: 900 }, async (page) => {
                const tops = await page.$$eval('.flame, .ctree', (all) =>
                    all
                        .filter((one) => one.checkVisibility())
                        .map((one) => one.getBoundingClientRect().top + scrollY),
                );
                assert.ok(tops.length && Math.min(...tops) <= most, `${Math.min(...tops)} of ${most} at ${width} px`);
            });
        }
    });
}

test('start-up frames are as many whatever is hidden', async () => {
    const several = cardOf(sample('daily-sales.bin'), sample('nightly/memray.bin'));
    for (const card of [failed, several, cardOf(sample('cpu/wordcount.cpuprofile'))]) {
        const told = [];
        for (const hash of ['', '#hide=', '#hide=imports.library.stdlib.native.kernel'])
            await withCard(card, { hash, width: 1440 }, async (page) =>
                told.push(/[\d,]+ start-up frames/.exec(await page.locator('body').innerText())[0]),
            );
        assert.deepEqual(new Set(told).size, 1, told.join());
    }
});

test('the two runs of a difference are next to each other, with what differs between them', async () => {
    for (const width of [1440, 390])
        await withCard(KINDS['a run and a capture'](), { width }, async (page) => {
            assert.equal(await page.locator('.also').count(), 0, 'the figures say what else changed');
            const [before, after, third] = await page.locator('.versus > div').all();
            assert.match(await before.innerText(), /^Before .*UTC .*Python 3\.11/s);
            assert.match(await after.innerText(), /^After .*UTC .*Python 3\.11/s);
            assert.match(await third.innerText(), /^Drop another card here to compare\s+or choose a file/);
            const runs = page.locator('.runs');
            assert.match(await runs.locator('table').innerText(), /Before\s+After\s+Run\s.*\s+Command\s/);
            assert.match(await runs.locator('.same').innerText(), /^Same: Python 3\.11\.15/);
        });
});

test('long notes are a line with their first words that opens', async () => {
    await withCard(cardOf(sample('cpu/train.torch.pickle')), {}, async (page) => {
        const told = page.locator('.notes').first();
        assert.match(await told.locator('summary').innerText(), /^About this profile\s+Out of memory on device 1/);
        assert.ok((await told.boundingBox()).height < 50);
        await told.locator('summary').click();
        assert.match(await told.innerText(), /Device 1 had at most 168 MiB allocated\./);
    });
});

test('three findings, five figures, four lanes; more of each opens, with scripts or without', async () => {
    for (const scripts of [true, false]) {
        await withCard(failed, { scripts }, async (page) => {
            const seen = (selector) => page.locator(`${selector}:visible`).count();
            assert.equal(await seen('.findings li'), 3);
            assert.equal(await seen('.stat'), 5);
            const before = [await page.locator('.findings li').count(), await page.locator('.stat').count()];
            const told = await page.locator('.more > summary').allInnerTexts();
            assert.deepEqual(told.slice(0, 2), [`${before[0] - 3} more`, `${before[1] - 5} more`]);
            await openAll(page);
            assert.deepEqual([await seen('.findings li'), await seen('.stat')], before);
        });
    }
    await withCard(failed, {}, async (page) => {
        assert.ok((await page.locator('.gut .lane:not(.ax):visible').count()) <= 4);
        const more = page.locator('.lane.ax .link');
        assert.equal(await more.innerText(), '6 more lanes');
        const height = (await page.locator('#tl').boundingBox()).height;
        await more.click();
        assert.equal(await more.innerText(), 'Fewer lanes');
        assert.equal(await more.getAttribute('aria-expanded'), 'true');
        assert.equal(await page.locator('.gut .lane:not(.ax):visible').count(), 8);
        const lanes = await page.$$eval('.gut .lane', (all) => all.reduce((sum, one) => sum + one.offsetHeight, 0));
        const now = (await page.locator('#tl').boundingBox()).height;
        assert.ok(now > height);
        assert.equal(now, lanes, 'names and lines have the same height');
        await more.click();
        assert.equal((await page.locator('#tl').boundingBox()).height, height);
    });
});

test('figures of one line have no button', () =>
    withCard(cardOf(sample('cpu/wordcount.cpuprofile')), {}, async (page) => {
        assert.equal(await page.locator('.totals .more').count(), 0);
    }));

test('notes come before the figures, in a line; they open', () =>
    withCard(failed, {}, async (page) => {
        assert.ok((await top(page, '.notes')) < (await top(page, '.stats')));
        assert.match(await text(page, '.teaser'), /^Nightly sales, third night: First run since/);
        assert.equal(await page.locator('.md').isVisible(), false);
        await page.locator('.notes summary').click();
        assert.ok(await page.locator('.md').isVisible());
    }));

test('one command follows the view', () =>
    withCard(daily, {}, async (page) => {
        const command = () => page.locator('.cmd.now code').innerText();
        const input = /^profrender table \S*daily-sales\.bin/.exec(await command())[0];
        const rows = '--hide imports --group code --sort total';
        assert.equal(await command(), `${input} ${rows}`);
        await page.locator('[data-tab=leaks]').click();
        assert.equal(await command(), `${input} --metric leaked ${rows}`);
        await page.evaluate(() => (location.hash = 'tab=leaks&window=b3:b17'));
        await page.waitForFunction(() => document.querySelector('.cmd.now code').textContent.includes('--window'));
        assert.equal(await command(), `${input} --metric leaked --window b3:b17 ${rows}`);
        await page.locator('#q').fill('concat');
        await page.waitForFunction(() => /--filter concat$/.test(document.querySelector('.cmd.now code').textContent));
        await page.evaluate(() => (location.hash = 'tab=peak&window=b3:b17&against=b0:b2'));
        await page.waitForFunction(() => document.querySelector('.cmd.now code').textContent.includes('diff'));
        const windows = '--window b3:b17 --base-window b0:b2 --by total';
        assert.equal(await command(), `${input.replace('table', 'diff')} ${windows}`);
    }));

test('zooming moves nothing below the graph', () =>
    withCard(daily, { width: 1440, height: 900 }, async (page) => {
        const before = await top(page, '.mini');
        await clickBox(page, 0.2, 5);
        assert.match(await page.evaluate(() => location.hash), /zoom=/);
        assert.equal(await top(page, '.mini'), before);
        // Next to a graph that is higher than the window, the panel of the frame stays in view.
        await page.evaluate(() => (location.hash = 'tab=peak&hide=nothing&runner=open&chains=open'));
        await page.getByRole('button', { name: 'more rows' }).click();
        const graph = await page.locator('.graph').boundingBox();
        await page.evaluate((y) => scrollTo(0, scrollY + y), graph.y + 100);
        const panel = await page.locator('.side').boundingBox();
        assert.ok(panel.y > (await page.locator('.graph').boundingBox()).y + 20, `${panel.y}`);
    }));

test('a finding, the panel and its link agree, and the link changes no search, grouping or order', () =>
    withCard(daily, { hash: '#tab=peak&q=stack&order=callers&hide=nothing' }, async (page) => {
        await page.locator('.findings a', { hasText: 'Show' }).first().click();
        const hash = new URLSearchParams((await page.evaluate(() => location.hash)).slice(1));
        assert.equal(hash.get('order'), 'callers');
        assert.equal(hash.get('q'), 'stack');
        assert.equal(hash.get('by'), null);
        assert.equal(await page.locator('#q').inputValue(), 'stack');
        await page.evaluate(() => (location.hash = 'tab=peak'));
        await page.waitForFunction(() => document.querySelector('#q').value === '');
        await page.locator('.findings a', { hasText: 'Show' }).first().click();
        const found = await page.locator('.findings li').first().innerText();
        const [, value, share] = /holds (\S+ \S+) of .*\((\S+ %)\)/s.exec(found.replace(/\u00a0/g, ' '));
        const panel = (await text(page, '.side .kv')).replace(/\s+/g, ' ');
        assert.ok(panel.includes(`Total ${value} ${share} of all`), `${value}, ${share}: ${panel}`);
        assert.ok((await page.locator('.tabs').boundingBox()).y >= 0, 'the tabs are in view');
    }));

test('what a failed run still held is not a leak', () =>
    withCard(failed, {}, async (page) => {
        await openAll(page);
        assert.match(await text(page, '#t-leaks'), /^Still in use/);
        assert.doesNotMatch(await text(page, '.told'), /not freed/);
        assert.match(await text(page, '.totals'), /In use when it failed/);
        assert.match(await text(page, '.totals'), /327 samples, all threads/);
        await page.locator('.bar summary', { hasText: 'Threads' }).click();
        const threads = await page.locator('.thread').allInnerTexts();
        assert.deepEqual(threads.map((name) => name.split('\n')[0]).sort(), ['MainThread', 'train-0', 'train-1']);
        await page.keyboard.press('Escape');
        await page.locator('#t-leaks').click();
        assert.match(await text(page, '.crumbs'), /in use when it failed/);
    }));

test('a click selects, two zoom; the menu of a frame filters, hides, and both can be taken back', () =>
    withCard(daily, { width: 1440, height: 900 }, async (page) => {
        /** Clicks the first function that the largest one of mine calls. */
        const click = async (options) => {
            const box = await graphBox(page);
            await page.mouse.click(box.x + 30, box.y + 1 + 22 * 5 + 10, options);
        };
        const total = () => text(page, '.crumbs .push b');
        const whole = await total();
        await click();
        const name = await text(page, '.side .name');
        assert.doesNotMatch(await page.evaluate(() => location.hash), /zoom=/);
        await click({ button: 'right' });
        await page.getByRole('menuitem', { name: 'Only stacks through this' }).click();
        assert.notEqual(await total(), whole);
        const { frameSum, smallerSum } = await graphAccount(page);
        const shown = profileIn(daily);
        assert.ok(frameSum + smallerSum > 0 && frameSum + smallerSum < shown.metrics[0].total);
        assert.match(await text(page, '.filters'), new RegExp(`^only through\\s+${name}`));
        await page.reload();
        assert.match(await text(page, '.filters'), new RegExp(`^only through\\s+${name}`));
        await page.locator('.filters button').click();
        assert.equal(await total(), whole);
        await click({ button: 'right' });
        await page.keyboard.press('Escape');
        assert.equal(await page.getByRole('menu').count(), 0);
        await click({ button: 'right' });
        await page.getByRole('menuitem', { name: 'Hide this function' }).click();
        assert.equal(await total(), whole);
        await page.locator('#q').fill(name);
        assert.match(await text(page, '.search output'), /^No match/);
        await page.locator('.filters button').click();
        assert.doesNotMatch(await text(page, '.search output'), /^No match/);
    }));

test('the search filters the table, and lists below the graph are those of the zoomed frame', () =>
    withCard(daily, { width: 1440, height: 900 }, async (page) => {
        assert.equal(await text(page, '#h-own'), 'Whose code');
        assert.match(await text(page, '.mini'), /lag_matrix \u203a list comprehension/);
        await clickBox(page, 0.2, 4);
        assert.equal(await text(page, '#h-own'), 'Whose code in lag_matrix');
        assert.match(await text(page, '#h-top'), / in lag_matrix$/);
        await page.locator('.tabline').getByText('Table', { exact: true }).click();
        await page.locator('#q').fill('lag_matrix');
        assert.deepEqual(await page.locator('.tbl:visible tbody tr:not(.gap) th').allInnerTexts(), [
            'lag_matrix',
            'lag_matrix \u203a list comprehension',
        ]);
    }));

test('no key figure is there twice', async () => {
    for (const card of [failed, daily, cardOf(sample('cpu/train.torch.pickle')), cardOf(sample('cpu/shop.jfr.zst'))]) {
        await withCard(card, {}, async (page) => {
            const names = await page.locator('.stat dt').allTextContents();
            assert.ok(names.length > 5 && new Set(names).size === names.length, names.join(', '));
        });
    }
});

test('of many threads one is found by name and shown alone', () =>
    withCard(failed, {}, async (page) => {
        await page.locator('.bar summary', { hasText: 'Threads' }).click();
        const rows = page.locator('.threads .thread button');
        await rows.first().waitFor();
        assert.equal(await rows.count(), 3, 'both profilers name train-0 and train-1; one has no time');
        const name = await rows.nth(1).locator('span').first().innerText();
        await rows.nth(1).click();
        assert.ok((await page.locator('.bar summary', { hasText: 'Threads' }).innerText()).includes(name));
        assert.match(await page.evaluate(() => location.hash), /threads=\d+(&|$)/);
    }));

test('threads of several processes are told apart: their names begin with the process and are not cut', () =>
    withCard(KINDS['several processes'](), {}, async (page) => {
        await page.locator('.bar summary', { hasText: 'Threads' }).click();
        const names = page.locator('.threads .thread button > span:first-child');
        await names.first().waitFor();
        assert.ok((await names.count()) > 2);
        for (const name of await names.all()) {
            assert.match(await name.innerText(), /^process \d+, /);
            assert.ok(await name.evaluate((one) => one.scrollWidth <= one.clientWidth), await name.innerText());
        }
        await names.first().click();
        assert.match(await text(page, '.bar summary:has-text("Threads")'), /process \d+,/);
    }));

test('of many threads those that hold nothing wait to be found', () =>
    withCard(cardOf(sample('cpu/shop.jfr.zst')), {}, async (page) => {
        await page.locator('.bar summary', { hasText: 'Threads' }).click();
        const rows = page.locator('.threads .thread button');
        await soon(async () => assert.equal(await rows.count(), 3));
        assert.match(await text(page, '.threads'), /9 more: find them by name/);
        await page.getByLabel('Find a thread').fill('park');
        await soon(async () => assert.match((await rows.allTextContents()).join(), /^parker0 s$/));
    }));

test('a menu that opens at the lower edge is all in view, and one at the upper edge moves nothing', () =>
    withCard(daily, { width: 1440, height: 900 }, async (page) => {
        const lower = () => page.locator('.threads').evaluate((one) => one.getBoundingClientRect().bottom);
        await page.locator('.actions summary', { hasText: 'Share' }).click();
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
        assert.equal(await page.evaluate(() => scrollY), 0);
        const { x, y, height } = await page.locator('.bar summary', { hasText: 'Threads' }).boundingBox();
        await page.mouse.click(x + 20, y + height / 2);
        await soon(async () => assert.ok((await lower()) > 0 && (await lower()) <= 900, String(await lower())));
    }));

test('a function on two paths: the panel shows this path beside all, and the finding says the same', () =>
    withCard(cardOf(sample('killed-py3.12-memray1.20.0-default.bin')), { width: 1440 }, async (page) => {
        const panel = (await text(page, '.side .kv')).replace(/\s+/g, ' ');
        assert.match(panel, /^This path All 2 paths Total 210 KiB 325 KiB Share 61\.6 % 95\.4 % Self 210 KiB 325 KiB/);
        assert.match(panel, /Allocations 195 316 Peak without it .* without this path, then at/);
        assert.match(await text(page, '.findings'), /^325\sKiB from work[^]*\s2\spaths; the largest has 210\sKiB/);
    }));

test('a selected frame shows its life in the lane of the heap, and the peak without it', () =>
    withCard(daily, { width: 1440, height: 900 }, async (page) => {
        const picture = () => page.$eval('#tl', (canvas) => canvas.toDataURL());
        await page.waitForTimeout(300);
        const first = await picture();
        const panel = (await text(page, '.side .kv')).replace(/\s+/g, ' ');
        const [, rest, saved] = /Peak without it (\S+ MiB) \u2212(\S+) %/.exec(panel);
        assert.ok(parseFloat(rest) > 0 && parseFloat(saved) > 0, panel);
        const box = await graphBox(page);
        await page.mouse.click(box.x + 30, box.y + 1 + 22 * 5 + 10);
        await soon(async () => assert.notEqual(await picture(), first));
    }));

test('a view that cannot follow the window says so, and leads to one that can; peaks open their view', () =>
    withCard(failed, { width: 1440, height: 900 }, async (page) => {
        await page.locator('.jumps .btn', { hasText: 'Peak RSS' }).click();
        await page.waitForFunction(() => /tab=peak&.*window=b/.test(location.hash));
        await page.getByRole('tab', { name: /^Time/ }).click();
        assert.match(await text(page, '.filters'), /This view has no times; it covers the whole run/);
        await page.locator('.filters button').click();
        assert.equal(await page.locator('[data-tab=peak]').getAttribute('aria-selected'), 'true');
        assert.equal(await text(page, '.filters'), '');
        await page.locator('summary', { hasText: 'Threads' }).click();
        const threads = await page.locator('.threads').innerText();
        assert.match(threads, /train-1/);
        assert.doesNotMatch(threads, /\b0 B/);
        await page.keyboard.press('Escape');
        await page.locator('.jumps .btn', { hasText: 'Peak heap' }).click();
        await page.waitForFunction(() => !location.hash.includes('window='));
    }));

test('a metric can be read as a tree, by keys too; selection and zoom are those of the graph', () =>
    withCard(daily, { hash: '#tab=peak&view=tree', width: 1440, height: 900 }, async (page) => {
        assert.equal(await page.locator('.flame').isVisible(), false);
        const rows = page.locator('.ctree tbody tr');
        const selected = () => page.locator('.ctree tr[aria-selected=true] th').innerText();
        assert.match(await selected(), /lag_matrix/);
        const total = await text(page, '.crumbs .push b');
        assert.equal(await rows.first().locator('td').nth(1).innerText(), total);
        await page.locator('.ctree tr[aria-selected=true]').focus();
        await page.keyboard.press('ArrowDown');
        assert.match(await selected(), /nan_to_num/);
        assert.equal(await text(page, '.side .name'), 'nan_to_num');
        await page.keyboard.press('ArrowLeft');
        await page.keyboard.press('ArrowLeft');
        assert.match(await selected(), /lag_matrix/);
        const before = await rows.count();
        await page.keyboard.press('ArrowLeft');
        assert.ok((await rows.count()) < before);
        await page.keyboard.press('Enter');
        assert.match(await rows.first().innerText(), /lag_matrix/);
        assert.match(await page.evaluate(() => location.hash), /zoom=\w+\.\w+.*view=tree/);
        await page.locator('.tabline .seg button', { hasText: 'Graph' }).click();
        assert.ok(await page.locator('.flame').isVisible());
        assert.match(await text(page, '.crumbs [aria-current]'), /lag_matrix/);
    }));

test('the frame that is selected first is that of the first finding of the tab', async () => {
    for (const [name, found] of [
        ['cpu/etl.pyspy.speedscope.json', 'parse'],
        ['cpu/fanout.pyspy.trace.json', 'hash_blocks'],
        ['cpu/endpoints.cpu.pb.gz', 'main.parse'],
    ]) {
        await withCard(cardOf(sample(name)), {}, async (page) => {
            assert.ok((await text(page, '.findings li')).startsWith(`${found} takes`), name);
            await soon(async () => assert.equal(await text(page, '.side .name'), found));
        });
    }
});

test('one number for a function with its libraries: in the list, the panel and below the lanes', () =>
    withCard(daily, { width: 1440 }, async (page) => {
        const [, listed] = /lag_matrix\s+(\S+)\sMiB/.exec(await text(page, '.mini'));
        assert.match(await text(page, '.side'), new RegExp(`With libraries\\s+${listed}\\sMiB`));
        assert.match(await text(page, '.layers'), new RegExp(`lag_matrix\\s*${listed}\\sMiB`));
    }));

for (const kind of ['a failed run', 'memray', 'a killed program', 'pprof', 'memory of PyTorch', 'a difference']) {
    test(`lists below the graph and the panel of the selected frame end together: ${kind}`, async () => {
        const path = KINDS[kind]();
        for (const width of [1440, 1280])
            await withCard(path, { width, height: 900 }, async (page) => {
                const bottom = (selector) =>
                    page.$$eval(selector, (all) => {
                        const seen = all.filter((one) => one.checkVisibility());
                        return Math.max(...seen.map((one) => one.getBoundingClientRect().bottom));
                    });
                const empty = Math.abs((await bottom('.left .list')) - (await bottom('.side > *')));
                assert.ok(empty < 150, `${empty} px are empty at ${width}`);
            });
    });
}

test('next to a graph that is higher than the panel of the frame, lists are below both', async () => {
    const all = '#hide=nothing&runner=open&chains=open';
    await withCard(KINDS.V8(), { width: 1440, height: 1000, hash: all }, async (page) => {
        const boxOf = (selector) => page.locator(selector).first().boundingBox();
        await soon(async () => {
            const [side, graph, lists] = await Promise.all(['.side', '.graph', '.mini'].map(boxOf));
            assert.ok(lists.width > graph.width + side.width - 50, `${lists.width} of ${graph.width} + ${side.width}`);
            assert.ok(side.y + side.height <= lists.y + 2 && graph.y + graph.height <= lists.y + 2);
        });
    });
    await withCard(daily, { width: 1440, height: 1000, hash: '#order=sandwich' }, async (page) => {
        const widthOf = async (selector) => (await page.locator(selector).first().boundingBox()).width;
        await soon(async () => assert.ok((await widthOf('.mini')) <= (await widthOf('.left'))));
        assert.ok((await widthOf('.left')) < (await widthOf('.split')) - 200);
    });
});

test('a shallow graph has the width of its panel, and so it has after a zoom and back', () =>
    withCard(KINDS['a killed program'](), { width: 1440 }, async (page) => {
        const widths = () =>
            page.$$eval('.split, .flame', (all) => all.map((one) => Math.round(one.getBoundingClientRect().width)));
        const [whole, graph] = await widths();
        assert.ok(whole - graph < 40, `${graph} of ${whole}`);
        const below = await top(page, '.side');
        await clickBox(page, 0.2, 4);
        assert.match(await page.evaluate(() => location.hash), /zoom=/);
        assert.deepEqual(await widths(), [whole, graph]);
        assert.equal(await top(page, '.side'), below);
        await page.getByRole('button', { name: 'Tree' }).click();
        assert.ok((await top(page, '.side')) < below, 'next to the tree, which may be long');
    }));

test('the link of a finding shows what the finding says, whatever part of the run was chosen before', async () => {
    await withCard(daily, { hash: '#window=0.9-2.95&threads=1' }, async (page) => {
        const finding = page.locator('.findings li').first();
        const [, total] = /holds\s(\S+)\sMiB/.exec(await finding.innerText());
        await soon(async () => assert.doesNotMatch(await text(page, '.crumbs b'), /327/));
        await finding.getByText('Show in the graph').click();
        await soon(async () => assert.match(await text(page, '.side'), new RegExp(`Total\\s*${total}\\sMiB`)));
        assert.equal(await text(page, '.side .name'), 'lag_matrix');
    });
});
