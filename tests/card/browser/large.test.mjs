// SPDX-License-Identifier: Apache-2.0
/*
 * A page of over 500,000 nodes: the largest are drawn before the browser has read the others, with the same figures,
 * and what one zoomed to among them stays when all are there.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { cardOf, firstIn, graphAccount, graphBox, madeCapture, open, profileIn, stopBrowser } from '../support/browser.mjs';

after(stopBrowser);

const path = cardOf(madeCapture('paths', 510_000), '--max-nodes', '10000000', '--max-size', '1GB');

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
    const { fillRect } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.fillRect = function (...box) {
        if (this.canvas.closest('.flame')) globalThis.restWhenDrawn ??= document.querySelectorAll('.rest').length;
        return fillRect.apply(this, box);
    };
}

const isWaiting = (page) => page.locator('[inert]').count();

test('the first nodes of a large page hold what they hold among all', () => {
    const [first, all] = [firstIn(path), profileIn(path)];
    assert.equal(all.whole, null);
    assert.equal(all.tree.count, 510_001);
    assert.ok(first.tree.count <= 20_000, `${first.tree.count} nodes`);
    assert.deepEqual([first.history.bins, first.heat], [all.history.bins, null]);
    first.metrics.forEach((metric, i) => {
        const totals = [first, all].map(({ tree, facts, metrics }) => {
            const total = new Float64Array(tree.count);
            facts.leaf.forEach((leaf, fact) => (total[leaf] += metrics[i].value[fact]));
            for (let n = tree.count - 1; n > 0; n--) total[tree.parent[n]] += total[n];
            return total;
        });
        for (let n = 0; n < first.tree.count; n++)
            if (!first.tree.smaller[n]) assert.equal(totals[0][n], totals[1][first.whole[n]], `${metric.name} of ${n}`);
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
    await page.keyboard.press('0');
    assert.deepEqual(await graphAccount(page), drawn);
    card.quiet();
    await card.close();
});

test('an address means a frame among all, and the elements are whole bytes of one pack each', async () => {
    const pieces = [...readFileSync(path, 'utf8').matchAll(/class="rest">([^<]*)</g)].map(([, text]) => text);
    pieces.forEach((text) => assert.match(text, /^(?:[\w+/]{4})*(?:[\w+/]{2}==|[\w+/]{3}=)? ?$/));
    const card = await open(path, { hash: '#q=load_&order=callers' });
    await card.page.waitForFunction(() => !document.querySelector('[inert]'));
    assert.equal(await card.page.inputValue('#q'), 'load_');
    await card.page.getByRole('button', { name: 'Callers', pressed: true, exact: true }).waitFor();
    card.quiet();
    await card.close();
});
