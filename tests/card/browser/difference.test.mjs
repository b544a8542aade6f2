// SPDX-License-Identifier: Apache-2.0
/* The card of a difference: both sides and the change in one graph, colours as in its legend, a table by change. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, test } from 'node:test';
import { PROGRAM, profileIn, sample, saved, soon, stopBrowser, withCard } from '../support/browser.mjs';

after(stopBrowser);

const BEFORE = sample('json_dict-py3.9-memray1.2.0-default.bin');
const AFTER = sample('json_dict-py3.13-memray1.18.0-default.bin');
const differenceOf = (name, from, to) => {
    const path = saved(name, '');
    execFileSync(PROGRAM, ['diff', from, to, '-o', path], { stdio: 'pipe' });
    return path;
};
const forth = differenceOf('forth.html', BEFORE, AFTER);
const back = differenceOf('back.html', AFTER, BEFORE);

/** How many pixels of the graph have each colour of the legend: [shrank most, ..., as before, ..., grew most]. */
const painted = (page) =>
    page.evaluate(() => {
        const probe = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
        const bytesOf = (colour) => {
            probe.fillStyle = colour;
            probe.fillRect(0, 0, 1, 1);
            return probe.getImageData(0, 0, 1, 1).data.slice(0, 3).join();
        };
        const keys = [...document.querySelectorAll('#difference .legend i')];
        const colours = keys.map((key) => bytesOf(getComputedStyle(key).backgroundColor));
        const canvas = document.querySelector('.flame canvas');
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        const counts = colours.map(() => 0);
        for (let i = 0; i < data.length; i += 4) {
            const at = colours.indexOf(data.slice(i, i + 3).join());
            if (at >= 0) counts[at]++;
        }
        return { colours, counts };
    });

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
const less = ({ counts }) => sum(counts.slice(0, 3));
const more = ({ counts }) => sum(counts.slice(4));

for (const colorScheme of ['light', 'dark']) {
    test(`what grew and what shrank have colours of their own, in ${colorScheme}`, async () => {
        const look = async (card, hash) => {
            let seen;
            await withCard(card, { colorScheme, hash }, async (page) => {
                assert.equal(await page.locator('#difference .legend').isVisible(), true);
                seen = await painted(page);
            });
            return seen;
        };
        const peak = await look(forth, '');
        assert.equal(new Set(peak.colours).size, 7, 'a colour for each step');
        assert.ok(more(peak) > 3 * less(peak), `the peak grew: ${peak.counts}`);
        assert.ok(peak.counts[6] > 0, 'one function has most of the growth');
        const temporary = await look(forth, '#tab=temporary');
        assert.ok(less(temporary) > 0, `of what was temporary there is less: ${temporary.counts}`);
        assert.ok(less(temporary) > more(temporary), `${temporary.counts}`);
        const turned = await look(back, '');
        assert.ok(turned.counts[0] > 0, 'the other way round that function lost most of it');
        assert.ok(less(turned) > more(turned), `or less: ${turned.counts}`);
    });
}

test('the table has the largest change first, and what is under a hundredth of all in one line', async () => {
    for (const [card, first] of [
        [forth, 'group_by_quantity'],
        [back, 'group_by_quantity'],
    ]) {
        await withCard(card, {}, async (page) => {
            const part = page.locator('#difference details').first();
            assert.equal(await part.getAttribute('open'), '');
            const changes = await part
                .locator('tbody tr:not(.rest) td.r:has(.amount > [class])')
                .evaluateAll((cells) =>
                    cells
                        .map((cell) => cell.querySelector('.amount [title]')?.title ?? cell.innerText)
                        .map((title) => Number(title.replace('\u2212', '-').replace(/[^\d-]/g, ''))),
                );
            assert.ok(changes.some((change) => change > 0) && changes.some((change) => change < 0), `${changes}`);
            assert.deepEqual(changes, changes.slice().sort((a, b) => Math.abs(b) - Math.abs(a)));
            const all = changes.reduce((total, change) => total + Math.abs(change), 0);
            assert.ok(changes.every((change) => Math.abs(change) * 101 >= all), `${changes}`);
            assert.match(await part.locator('tr.rest').innerText(), /^\d+ smaller change/);
            assert.equal(await part.locator('tbody th').first().innerText(), first);
        });
    }
});

test('shares of each side instead of amounts: in the graph, in the panel and in the address', async () => {
    let amounts;
    await withCard(forth, { hash: '#tab=temporary' }, async (page) => {
        amounts = await painted(page);
        const change = /Change\s+[\u25b2\u25bc] [\d.,]+ [KM]iB\s+[\u2212+][\d.]+ %/;
        assert.match(await page.locator('.side').innerText(), change);
        await page.getByLabel('Shares of each side').check();
        assert.match(await page.locator('.side').innerText(), /Before\s+[\d.,]+ [KM]iB\s+[\d.]+ % of all/);
        assert.match(await page.locator('#difference .legend').innerText(), /a smaller share.*a larger share/s);
        await page.waitForURL(/compare=shares/);
        await page.reload();
        assert.equal(await page.getByLabel('Shares of each side').isChecked(), true);
        await page.goBack();
        await soon(async () => assert.equal(await page.getByLabel('Amounts').isChecked(), true));
    });
    await withCard(forth, { hash: '#tab=temporary&compare=shares' }, async (page) => {
        const shares = await painted(page);
        // Half of the total is left: what lost less than that has a larger share.
        assert.ok(less(shares) < less(amounts), `${amounts.counts} became ${shares.counts}`);
        assert.ok(shares.counts[6] > amounts.counts[6], `${amounts.counts} became ${shares.counts}`);
    });
});


/** How far the root's row is painted, in pixels. */
const inkWidth = (page) =>
    page.evaluate(() => {
        const canvas = document.querySelector('.flame canvas');
        const probe = Object.assign(document.createElement('canvas'), { width: canvas.width, height: 40 });
        const g = probe.getContext('2d', { willReadFrequently: true });
        g.drawImage(canvas, 0, 0);
        const { data } = g.getImageData(0, 18, canvas.width, 1);
        let x = canvas.width;
        while (x > 0 && !data[4 * x - 1]) x--;
        return x;
    });

test('before, change, after: a switch, in the address; before and after have one scale', async () => {
    await withCard(forth, { hash: '#tab=peak' }, async (page) => {
        const group = page.getByRole('group', { name: 'Difference' });
        assert.equal(await group.getByRole('button', { name: 'Change' }).getAttribute('aria-pressed'), 'true');
        const widths = {};
        for (const side of ['Before', 'After']) {
            await group.getByRole('button', { name: side }).click();
            await page.waitForURL(new RegExp(`side=${side.toLowerCase()}`));
            widths[side] = await inkWidth(page);
        }
        const { metrics } = profileIn(forth);
        const peak = metrics.findIndex((metric) => metric.name === 'peak');
        const share = metrics[metrics[peak].base].total / metrics[peak].total;
        assert.ok(share < 0.9, 'the peak grew');
        assert.ok(Math.abs(widths.Before / widths.After - share) < 0.01, `${widths.Before} of ${widths.After} px`);
        await page.reload();
        assert.equal(await group.getByRole('button', { name: 'After' }).getAttribute('aria-pressed'), 'true');
    });
});

test('what is gone is a frame of the graph: it can be found, selected, and its change read', async () => {
    const files = [
        ['before', 'main;gone;deep 60\nmain;gone 40\nmain;kept 50\n'],
        ['after', 'main;kept 80\nmain;fresh 5\n'],
    ].map(([name, stacks]) => saved(`${name}.folded`, stacks));
    await withCard(differenceOf('gone.html', ...files), {}, async (page) => {
        await page.fill('#q', 'gone');
        await page.keyboard.press('Enter');
        await soon(async () => assert.match(await page.locator('.side').innerText(), /Change\s+\u25bc 100\s+gone/));
        assert.match(await page.locator('#tree [aria-selected=true]').innerText(), /^gone,.*before 100/);
        assert.match(await page.locator('.side').innerText(), /Callees\s+deep\s+\u25bc 60\s+self\s+\u25bc 40/);
        const bars = page.locator('.side [aria-labelledby=h-callees] .barc rect:last-child');
        const [deep, own] = await bars.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().width));
        assert.ok(Math.abs(own / deep - 40 / 60) < 0.05, `${own} of ${deep}`);
        // 40 and 60 of its own and below it, the larger 80 of what is kept, and the 5 that are new.
        const { frameSum, smallerSum } = await page.evaluate(() => ({ ...document.querySelector('.graph').dataset }));
        assert.equal(Number(frameSum) + Number(smallerSum), 185);
        await page.getByRole('group', { name: 'Difference' }).getByRole('button', { name: 'After' }).click();
        const after = await page.evaluate(() => ({ ...document.querySelector('.graph').dataset }));
        assert.equal(Number(after.frameSum) + Number(after.smallerSum), 85);
    });
});

test('labels, callees and lists show the change; owners have no line', async () => {
    await withCard(forth, { hash: '#tab=peak' }, async (page) => {
        assert.match(await page.locator('#h-top').innerText(), /^Largest change of self/);
        for (const list of ['h-top', 'h-own', 'h-callees'])
            assert.match(await page.locator(`table[aria-labelledby=${list}]`).innerText(), /[\u25b2\u25bc] [\d.]+/);
        await page.getByRole('group', { name: 'Difference' }).getByRole('button', { name: 'After' }).click();
        const { counts } = await painted(page);
        assert.equal(sum(counts.slice(0, 3)) + sum(counts.slice(4)), 0, 'after is drawn in the colours of owners');
    });
});

test('the peaks of both heaps are those of the verdict, however few samples the lane has', () =>
    withCard(forth, {}, async (page) => {
        const verdict = await page.locator('.verdict').first().innerText();
        const [, ...said] = /\(([\d.]+\s\wiB) \u2192 ([\d.]+\s\wiB)\)/.exec(verdict);
        const held = ['heap before', 'heap after'].map((wanted) => {
            const { max } = profileIn(forth).series.find(({ name }) => name === wanted);
            return Math.max(...max);
        });
        const bytes = said.map((words) => Number.parseFloat(words) * (words.includes('MiB') ? 2 ** 20 : 2 ** 10));
        held.forEach((most, i) => assert.ok(Math.abs(most / bytes[i] - 1) < 0.006, `${most} is ${said[i]}`));
    }));

/** A profile of V8 in which `main` calls functions named `run`: [line, milliseconds] of each. */
function callsOf(name, runs) {
    const call = (id, functionName, line, children = []) => ({
        id,
        hitCount: 0,
        children,
        callFrame: { functionName, scriptId: '1', url: 'file:///app/job.js', lineNumber: line - 1, columnNumber: 0 },
    });
    const nodes = [call(1, '(root)', 0, [2]), call(2, 'main', 1, runs.map((_, i) => i + 3))];
    nodes.push(...runs.map(([line], i) => call(i + 3, 'run', line)));
    const samples = runs.flatMap(([, many], i) => Array(many).fill(i + 3));
    const timeDeltas = samples.map(() => 1000);
    return saved(name, JSON.stringify({ nodes, startTime: 0, endTime: 1000 * samples.length, samples, timeDeltas }));
}

test('two functions of one name that are at one line, one before and one after, both have that line', () => {
    const before = callsOf('b.cpuprofile', [[10, 50], [20, 60], [31, 70]]);
    const now = callsOf('a.cpuprofile', [[21, 50], [31, 60]]);
    return withCard(differenceOf('moved.html', before, now), { width: 1440 }, async (page) => {
        const named = [...(await page.locator('.mini').innerText()).matchAll(/\brun:(\d+)/g)].map(([, line]) => line);
        assert.deepEqual(named, ['31', '31']);
        assert.doesNotMatch(await page.locator('.split').innerText(), /\d{9}/);
    });
});

test('heap dumps compare classes that retain, not functions that call', () => {
    const files = [sample('heap/shelf.heapsnapshot.zst'), sample('heap/shelf.hprof.zst')];
    return withCard(differenceOf('dumps.html', ...files), {}, async (page) => {
        assert.match(await page.locator('.verdict').innerText(), /spread over \d+ classes, most in/);
        assert.match(await page.locator('.side').innerText(), /Retained by[^]*Retains/);
        assert.doesNotMatch(await page.locator('.bar').innerText(), /Callers|Functions/);
        assert.equal(await page.locator('#h-own').isVisible(), false, "it is nobody's code");
    });
});

test('runs without stacks are a difference of figures and curves', () => {
    const card = differenceOf('runs.html', sample('timeline/etl.mprof.dat'), sample('nightly/timeline.jsonl'));
    return withCard(card, {}, async (page) => {
        assert.match(await page.locator('.verdict').innerText(), /^▲\s*\S.* \(.* → .*\)\./);
        const colours = await page.evaluate(() =>
            [...document.querySelectorAll('.verdict b, .verdict span')].map((part) => getComputedStyle(part).color)
        );
        assert.notEqual(colours[0], colours[1], 'what rose has its colour');
        assert.match(await page.locator('[data-mount=timeline]').innerText(), /RSS\s*after[^]*before/);
        assert.equal(await page.locator('.flame, #difference').count(), 0, 'there is nothing to draw as a graph');
    });
});

test('a command of one long word wraps on a phone, also where there is no other table', () => {
    const runs = [1, 2].map((pause) => {
        const run = `${saved(`command-${pause}`, '')}.run`;
        const word = `pause=0.${pause};${'x'.repeat(90)}=${'y'.repeat(90)}`;
        execFileSync(PROGRAM, ['record', '-o', run, '--', 'sh', '-c', word], { stdio: 'pipe' });
        return run;
    });
    return withCard(differenceOf('commands.html', ...runs), { width: 390 }, async (page) => {
        assert.match(await page.locator('.runs').innerText(), /Command[^]*pause=0.1[^]*pause=0.2/);
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
        const looks = await page.locator('.runs td').last().evaluate((cell) => {
            const { paddingBottom, borderBottomWidth } = getComputedStyle(cell);
            const { textAlign } = getComputedStyle(cell.closest('table').querySelector('th:last-child'));
            return { paddingBottom, borderBottomWidth, textAlign };
        });
        assert.deepEqual(looks, { paddingBottom: '4px', borderBottomWidth: '1px', textAlign: 'left' });
    });
});
