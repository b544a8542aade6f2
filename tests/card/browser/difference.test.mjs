// SPDX-License-Identifier: Apache-2.0
/* The card of a difference: colours for both directions, as in its legend, and a table ordered by change. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, test } from 'node:test';
import { PROGRAM, sample, saved, soon, stopBrowser, withCard } from '../support/browser.mjs';

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
        assert.ok(more(peak) > 20 * less(peak), `the peak grew: ${peak.counts}`);
        assert.ok(peak.counts[6] > 0, 'one function has four times of what it had');
        const temporary = await look(forth, '#tab=temporary');
        assert.ok(less(temporary) > 0, `of what was temporary there is less: ${temporary.counts}`);
        assert.ok(less(temporary) > more(temporary), `${temporary.counts}`);
        const turned = await look(back, '');
        assert.ok(turned.counts[0] > 0, 'the other way round that function lost most of it');
        assert.ok(peak.counts[5] > 0 && peak.counts[1] === 0, `all above it has more: ${peak.counts}`);
        assert.ok(turned.counts[1] > 0 && turned.counts[5] === 0, `or less: ${turned.counts}`);
    });
}

test('the table has what grew first, then what shrank, the largest change first', async () => {
    for (const [card, first] of [
        [forth, 'group_by_quantity'],
        [back, 'roundtrip'],
    ]) {
        await withCard(card, {}, async (page) => {
            const part = page.locator('#difference details').first();
            assert.equal(await part.getAttribute('open'), '');
            const changes = await part
                .locator('tbody tr td:has(.amount)')
                .evaluateAll((cells) =>
                    cells
                        .filter((cell) => /^[+\u2212-]/.test(cell.querySelector('.amount').textContent))
                        .map((cell) => cell.querySelector('[title]').title.replace('\u2212', '-'))
                        .map((title) => Number(title.replace(/[^\d-]/g, ''))),
                );
            assert.ok(changes.some((change) => change > 0) && changes.some((change) => change < 0), `${changes}`);
            const sorted = changes.slice().sort((a, b) => (b > 0) - (a > 0) || Math.abs(b) - Math.abs(a));
            assert.deepEqual(changes, sorted);
            assert.equal(await part.locator('tbody th').first().innerText(), first);
        });
    }
});

test('shares of each side instead of amounts: in the graph, in the panel and in the address', async () => {
    let amounts;
    await withCard(forth, { hash: '#tab=temporary' }, async (page) => {
        amounts = await painted(page);
        assert.match(await page.locator('.side').innerText(), /Before\s+[\d.,]+ [KM]iB\s+[\u2212+][\d.]+ %/);
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
        assert.ok(more(shares) > more(amounts), `${amounts.counts} became ${shares.counts}`);
    });
});
