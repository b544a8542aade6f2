// SPDX-License-Identifier: Apache-2.0
/*
 * A page of over 500,000 nodes: the largest are drawn before the browser has read the others, with the same figures,
 * and what one zoomed to among them stays when all are there.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { integers } from '../../../assets/src/payload/unpack.js';
import {
    PROGRAM,
    cardOf,
    firstIn,
    graphAccount,
    graphBox,
    madeCapture,
    open,
    profileIn,
    saved,
    soon,
    stopBrowser,
    text,
} from '../support/browser.mjs';

after(stopBrowser);

const path = cardOf(madeCapture('paths', 510_000), '--max-nodes', '10000000', '--max-size', '1GB');
const copy = { path: '' };

/** Before the page's script: keeps what it puts off, until go() is called, and what there was when it first drew. */
function hold() {
    const held = [];
    const { setTimeout } = globalThis;
    let holds = true;
    globalThis.setTimeout = (act, ms, ...rest) =>
        holds && ms === undefined ? held.push(act) : setTimeout(act, ms, ...rest);
    globalThis.go = () => {
        holds = false;
        held.forEach((act) => setTimeout(act));
    };
    const { fillRect, fillText } = CanvasRenderingContext2D.prototype;
    globalThis.said = [];
    CanvasRenderingContext2D.prototype.fillText = function (words, ...place) {
        globalThis.said.push(words);
        return fillText.call(this, words, ...place);
    };
    CanvasRenderingContext2D.prototype.fillRect = function (...box) {
        if (this.canvas.closest('.flame')) globalThis.restWhenDrawn ??= document.querySelectorAll('.rest').length;
        return fillRect.apply(this, box);
    };
}

const isWaiting = (page) => page.locator('[inert]').count();

test('the first nodes of a large page hold what they hold among all', () => {
    const [first, all] = [firstIn(path), profileIn(path)];
    assert.equal(all.whole, undefined);
    assert.equal(all.tree.count, 510_001);
    assert.ok(first.tree.count <= 20_000, `${first.tree.count} nodes`);
    assert.deepEqual([first.history.bins, first.heat], [all.history.bins, null]);
    const numbers = integers(first.whole);
    first.metrics.forEach((metric, i) => {
        const totals = [first, all].map(({ tree, facts, metrics }) => {
            const total = new Float64Array(tree.count);
            facts.leaf.forEach((leaf, fact) => (total[leaf] += metrics[i].value[fact]));
            for (let n = tree.count - 1; n > 0; n--) total[tree.parent[n]] += total[n];
            return total;
        });
        for (let n = 0; n < first.tree.count; n++)
            if (!first.tree.smaller[n]) assert.equal(totals[0][n], totals[1][numbers[n]], `${metric.name} of ${n}`);
    });
    const frames = first.tree.smaller.reduce((sum, many) => sum + (many || 1), 0);
    assert.equal(frames, all.tree.count);
});

test('they are drawn first, only the graph answers, and nothing changes when all are there', async () => {
    const card = await open(path, { prepare: (page) => page.addInitScript(hold) });
    const { page } = card;
    assert.equal(await page.evaluate(() => globalThis.restWhenDrawn), 0);
    assert.ok((await page.locator('.rest').count()) > 1);
    assert.ok((await isWaiting(page)) > 5);
    assert.match(await page.locator('[data-mount=mini]').innerText(), /^Reading all frames/);
    const saidAll = () => page.evaluate(() => globalThis.said);
    const counts = async () => (await saidAll()).filter((words) => /^\+|smaller/.test(words));
    const early = await counts();
    assert.ok(early.length > 0);
    early.forEach((words) => assert.match(words, /^\+?\u2026/, 'how many are smaller is not known'));
    const drawn = await graphAccount(page);
    assert.equal(drawn.frameSum + drawn.smallerSum, firstIn(path).metrics[0].total);
    const box = await graphBox(page);
    await page.mouse.dblclick(box.x + 10, box.y + 33);
    const zoomed = await graphAccount(page);
    const sum = ({ frameSum, smallerSum }) => frameSum + smallerSum;
    assert.ok(sum(zoomed) < sum(drawn));
    await page.evaluate(() => globalThis.go());
    await page.waitForFunction(() => !document.querySelector('[inert]'));
    const now = await graphAccount(page);
    assert.equal(sum(now), sum(zoomed));
    assert.ok(now.frames > zoomed.frames, 'those that were too small have boxes of their own');
    await page.getByText('Allocates most itself').waitFor();
    assert.ok((await counts()).some((words) => /^\+?\d/.test(words)));
    await page.keyboard.press('0');
    assert.deepEqual(await graphAccount(page), drawn);
    await page.fill('#q', 'load_');
    await page.locator('.actions summary').click();
    await page.locator('.actions .pop button', { hasText: 'Copy of this page' }).click();
    const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Save the copy' }).click(),
    ]);
    copy.path = saved('copy.html', readFileSync(await download.path(), 'utf8'));
    card.quiet();
    await card.close();
});

test('a copy of the page has all nodes, and so has a card that is dropped or published', async () => {
    const pieces = [...readFileSync(path, 'utf8').matchAll(/class="rest">([^<]*)</g)].map(([, text]) => text);
    pieces.forEach((text) => assert.match(text, /^(?:[\w+/]{4})*(?:[\w+/]{2}==|[\w+/]{3}=)? ?$/));
    assert.equal(profileIn(copy.path).tree.count, 510_001);
    const card = await open(copy.path);
    const { page } = card;
    await page.waitForFunction(() => !document.querySelector('[inert]'));
    assert.equal(await page.inputValue('#q'), 'load_', 'an address means a frame among all');
    await page.setInputFiles('.actions input[type=file]', path);
    await soon(async () => assert.match(await text(page, '.verdict'), /is the same/));
    assert.match(await text(page, '.title'), /Difference/);
    card.quiet();
    await card.close();
    const site = mkdtempSync(join(tmpdir(), 'profrender-large-'));
    const made = join(site, 'made');
    copyFileSync(path, join(site, 'large.html'));
    execFileSync(PROGRAM, ['publish', site, '-o', made]);
    assert.match(readFileSync(join(made, 'runs.json'), 'utf8'), /"card": "cards\/large/);
    rmSync(site, { recursive: true });
});

test('a page that is cut says so, and shows the heaviest nodes', async () => {
    const card = await open(saved('cut.html', readFileSync(path, 'utf8').slice(0, -1e6)));
    await card.page.getByText('This page is damaged.').waitFor();
    assert.equal((await graphAccount(card.page)).frames > 100, true);
    card.quiet();
    await card.close();
});
