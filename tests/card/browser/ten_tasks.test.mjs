// SPDX-License-Identifier: Apache-2.0
/*
 * Ten things that people open a card for, done in a browser. Each is answered where the page opens or after one or two
 * steps (a click, a drag, a word typed, a file chosen), without leaving the page; what is found is what the program
 * says.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
    cardOf,
    exported,
    graphAccount,
    sample,
    soon,
    stopBrowser,
    text,
    withCard,
} from '../support/browser.mjs';

after(stopBrowser);

const DAILY = sample('daily-sales.bin');
const daily = cardOf(DAILY);
const failed = cardOf(sample('nightly'));
const MOST_STEPS = 2;

/**
 * Walks a task: counts what a person does, and keeps what the page copies.
 * @param {string} card
 * @param {object} look
 * @param {(page, act: Record<string, Function>) => Promise<void>} task
 */
const walk = (card, look, task) =>
    withCard(card, look, async (page) => {
        const start = page.url().split('#')[0];
        let steps = 0;
        const counted = (act) => async (...words) => (steps++, act(...words));
        await page.evaluate(() => {
            navigator.clipboard.writeText = async (words) => void (window.copiedWords = words);
        });
        await task(page, {
            click: counted((target) => target.click()),
            tap: counted((target) => target.tap()),
            type: counted((words) => page.keyboard.type(words)),
            choose: counted((target, value) => target.selectOption(value)),
            file: counted((path) => page.setInputFiles('.actions input[type=file]', path)),
            drag: counted(async (from, to) => {
                await page.mouse.move(from.x, from.y);
                await page.mouse.down();
                await page.mouse.move((from.x + to.x) / 2, from.y, { steps: 4 });
                await page.mouse.move(to.x, to.y, { steps: 4 });
                await page.mouse.up();
            }),
        });
        assert.ok(steps <= MOST_STEPS, `${steps} steps`);
        assert.equal(page.url().split('#')[0], start);
        assert.equal(page.context().pages().length, 1);
    });

const copied = async (page) => {
    await soon(async () => assert.ok(await page.evaluate(() => window.copiedWords)));
    return page.evaluate(() => window.copiedWords);
};

/** Bytes below a function, by the program's records. */
const below = ({ records }, name) =>
    records.filter(({ stack }) => stack.some(([called]) => called === name)).reduce((sum, { size }) => sum + size, 0);

/** "253 MiB" as the page writes it: three digits. */
const mib = (bytes) => `${(bytes / 2 ** 20).toPrecision(3)} MiB`;
const share = (part, whole) => `${((100 * part) / whole).toFixed(1)} %`;
const escaped = (words) => new RegExp(words.replace(/[.*+?()]/g, '\\$&').replace(/ /g, '\\s*'));
const button = (page, name) => page.getByRole('button', { name });

test('who holds the peak: said at once, shown by one click', () =>
    walk(daily, { width: 1440, height: 900 }, async (page, { click }) => {
        const peak = exported(DAILY, 'peak');
        const held = below(peak, 'lag_matrix');
        const said = await text(page, '.findings li');
        assert.match(said, escaped(`lag_matrix holds ${mib(held)}`));
        await click(page.locator('.findings a').first());
        await soon(async () => assert.equal(await text(page, '.side .name'), 'lag_matrix'));
        assert.match(await text(page, '.side .kv'), escaped(`${mib(held)} ${share(held, peak.total_size)} of all`));
        const { y } = await page.locator('.flame').boundingBox();
        assert.ok(y >= 0 && y < 900, 'the graph is in view');
    }));

test('what is never freed, and its stack in the clipboard', () =>
    walk(daily, {}, async (page, { click }) => {
        await click(page.locator('#t-leaks'));
        await soon(async () => assert.equal(await text(page, '.side .name'), 'training_slice'));
        await click(button(page, 'Copy stack'));
        const held = below(exported(DAILY, 'leaks'), 'training_slice');
        const words = await copied(page);
        assert.match(words, escaped(mib(held)));
        assert.match(words, /Most recent call last:[^]*store_forecast[^]*training_slice/);
    }));

test('where a search has many matches, its share is legible beside the word', () =>
    walk(daily, { width: 1280, height: 720 }, async (page, { type }) => {
        await type('/');
        await type('concat');
        await page.keyboard.press('Enter');
        await soon(async () => assert.match(await text(page, '#q + output'), /^1 of 20 · [\d.]+ MiB · [\d.]+ %$/));
        const isWhole = (selector) => page.locator(selector).evaluate((one) => one.scrollWidth <= one.clientWidth);
        assert.ok(await isWhole('#q + output'), 'the share');
        assert.ok(await isWhole('#q'), 'the word');
    }));

test('what all calls of a name hold together', () =>
    walk(daily, {}, async (page, { type }) => {
        await type('/');
        await type('lag_matrix');
        const peak = exported(DAILY, 'peak');
        const held = below(peak, 'lag_matrix');
        await soon(async () =>
            assert.match(await text(page, '#q + output'), escaped(`${mib(held)} · ${share(held, peak.total_size)}`)),
        );
    }));

test('who grew in a part of the run', () =>
    walk(daily, { width: 1440 }, async (page, { drag, choose }) => {
        const { x, y, width } = await page.locator('#tl').boundingBox();
        const at = (part) => ({ x: x + 10 + (width - 84) * part, y: y + 40 });
        await drag(at(0.52), at(0.62));
        const menu = page.getByLabel('Compare the window with');
        await menu.waitFor();
        const names = await menu.locator('option').allTextContents();
        await choose(menu, { label: names.find((name) => /as much before/.test(name)) });
        await soon(async () => assert.match(await text(page, '.mini'), /Largest change of self[^]*\u25b2 [\d.]+ MiB/));
        await soon(async () => assert.match(await text(page, '.side'), /Change\s+[\u25b2\u25bc] [\d.]+ MiB/));
    }));

test('what differs from another run', () =>
    walk(cardOf(sample('json_dict-py3.9-memray1.2.0-default.bin')), {}, async (page, { file }) => {
        const NEW = sample('json_dict-py3.13-memray1.18.0-default.bin');
        await file(cardOf(NEW));
        await soon(async () => assert.match(await text(page, '.verdict'), /\u2192/));
        assert.match(await text(page, '.verdict'), escaped(mib(exported(NEW, 'peak').total_size)));
        assert.match(await text(page, '.difference tbody'), /group_by_quantity/);
    }));

test('why it failed: the first screen says so, one click shows the traceback', () =>
    walk(failed, { width: 1280, height: 720 }, async (page, { click }) => {
        const banner = page.locator('.banner').first();
        const said = await banner.innerText();
        for (const words of ['RuntimeError', 'upstream table 7 is empty', 'nightly.py:50', 'raise RuntimeError(f'])
            assert.ok(said.includes(words), words);
        const { y, height } = await banner.boundingBox();
        assert.ok(y + height < 720, `${y + height}`);
        await click(banner.locator('summary'));
        assert.match(await banner.locator('pre').innerText(), /^Traceback[^]*IndexError[^]*RuntimeError/);
    }));

test('what is shown, in words to send', () =>
    walk(daily, { hash: '#tab=leaks' }, async (page, { click }) => {
        await click(page.locator('.actions summary', { hasText: 'Share' }));
        await click(page.locator('.actions .pop button', { hasText: 'Markdown' }));
        const words = await copied(page);
        assert.match(words, escaped(mib(exported(DAILY, 'leaks').total_size)));
        assert.match(words, /training_slice/);
    }));

test('imports are hidden, and can be shown; the total stays', () =>
    walk(daily, {}, async (page, { click }) => {
        const hide = page.locator('.bar summary', { hasText: 'Hide' });
        assert.match(await hide.innerText(), /imports/, 'hidden to begin with');
        const before = await graphAccount(page);
        await click(hide);
        await click(page.getByRole('checkbox', { name: 'Imports' }));
        await soon(async () => assert.notDeepEqual(await graphAccount(page), before));
        const now = await graphAccount(page);
        assert.equal(now.frameSum + now.smallerSum, exported(DAILY, 'peak').total_size);
    }));

test('another metric by one click, one thread by two', async () => {
    await walk(daily, {}, async (page, { click }) => {
        await click(page.locator('#t-temporary'));
        const { total_size: all } = exported(DAILY, 'temporary');
        await soon(async () => assert.match(await text(page, '#t-temporary'), escaped(mib(all))));
        await soon(async () => assert.ok((await text(page, '.crumbs')).includes(mib(all))));
    });
    await walk(daily, {}, async (page, { click }) => {
        await click(page.locator('.bar summary', { hasText: 'Threads' }));
        const first = page.locator('.threads button').first();
        const name = await first.locator('span').first().innerText();
        await click(first);
        const { records } = exported(DAILY, 'peak', '--threads', 'split');
        const sum = records
            .filter(({ thread, tid }) => (thread || `thread ${tid}`) === name)
            .reduce((all, { size }) => all + size, 0);
        await soon(async () => {
            const { frameSum, smallerSum } = await graphAccount(page);
            assert.equal(frameSum + smallerSum, sum, name);
        });
    });
});

test('on a phone: my own code in rows, and the figures of the one that is tapped', () =>
    walk(failed, { width: 390, height: 844, hasTouch: true }, async (page, { tap }) => {
        const row = page.locator('.ctree tr', { has: page.locator('th', { hasText: /^\W*train\b/ }) }).first();
        await soon(async () => assert.ok(await row.isVisible()));
        const [total] = /[\d.]+ s/.exec(await row.innerText());
        await tap(row);
        await soon(async () => assert.match(await text(page, '.sheet .name'), /^train/));
        assert.match(await text(page, '.sheet .much'), escaped(`${total} 42.5 %`));
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 390));
    }));
