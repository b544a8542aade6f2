// SPDX-License-Identifier: Apache-2.0
/* Another card, chosen or dropped: the page becomes the difference, without a program and without a network. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, truncateSync } from 'node:fs';
import { after, test } from 'node:test';
import {
    PROGRAM,
    cardOf,
    differenceOf,
    open,
    sample,
    saved,
    soon,
    stopBrowser,
    text,
    withCard,
} from '../support/browser.mjs';

after(stopBrowser);

const one = cardOf(sample('json_dict-py3.9-memray1.2.0-default.bin'));
const other = cardOf(sample('json_dict-py3.13-memray1.18.0-default.bin'));

test('a card that is chosen: the difference, swapped, and back', async () => {
    await withCard(one, {}, async (page) => {
        await page.setInputFiles('.actions input[type=file]', other);
        const amounts = /879 KiB \u2192 1.09 MiB|1.09 MiB \u2192 879 KiB/;
        await soon(async () => assert.match(await text(page, '.verdict'), amounts));
        const said = await text(page, '.verdict');
        assert.match(await text(page, '.title'), /Difference/);
        assert.equal(await page.locator('.findings, .totals, .banner').count(), 0, 'nothing of one card alone is left');
        assert.match(await text(page, '.versus'), /^Before .*After .*Drop another card here/s);
        assert.ok(await page.getByRole('group', { name: 'Difference' }).isVisible());
        assert.match(await page.locator('.difference tbody').innerText(), /group_by_quantity/);
        assert.match(await text(page, '.difference .legend'), /dashed: gone$/);
        assert.match(await text(page, '[role=tab][aria-selected=true]'), /[\u25b2\u25bc] 2\d\d KiB$/);
        await page.getByRole('button', { name: 'Before', exact: true }).click();
        await soon(async () => assert.ok(said.includes(`: ${await text(page, '.crumbs .push b')} \u2192`), said));
        await page.getByRole('button', { name: 'Change', exact: true }).click();
        await page.getByRole('button', { name: 'Swap before and after' }).click();
        await soon(async () => assert.notEqual(await text(page, '.verdict'), said));
        await page.keyboard.press('i');
        await page.waitForURL(/up=1/);
        await page.getByRole('button', { name: 'Back to the card' }).click();
        await soon(async () => assert.equal(await page.locator('.verdict').count(), 0));
        assert.ok(await page.locator('.totals').first().isVisible());
    });
});

test('a difference has a place for a third card, which is compared with the run after', async () => {
    const runs = ['json_dict-py3.9-memray1.2.0-default.bin', 'json_dict-py3.13-memray1.18.0-default.bin'];
    await withCard(differenceOf(...runs.map(sample)), {}, async (page) => {
        const lanes = await page.locator('.gut .lane').count();
        assert.match(await text(page, '.versus'), /Before .*json_dict-py3\.9.*After .*json_dict-py3\.13/s);
        for (const amounts of [/1\.09 MiB \u2192 879 KiB|879 KiB \u2192 1\.09 MiB/, /is the same/]) {
            await page.setInputFiles('.versus input[type=file]', amounts.test('is the same') ? other : one);
            await soon(async () => assert.match(await text(page, '.verdict'), amounts));
            assert.equal(await page.locator('.versus').count(), 1);
            assert.equal(await page.locator('.gut .lane').count(), lanes, 'both curves are there');
        }
        await page.getByRole('button', { name: 'Back to the card' }).click();
        await soon(async () => assert.match(await text(page, '.versus'), /Before .*json_dict-py3\.9/));
    });
});

test('a card that is dropped', async () => {
    await withCard(one, {}, async (page) => {
        const data = await page.evaluateHandle(
            (html) => {
                const transfer = new DataTransfer();
                transfer.items.add(new File([html], 'other.html', { type: 'text/html' }));
                return transfer;
            },
            readFileSync(other, 'utf8'),
        );
        await page.dispatchEvent('.wrap', 'dragover', { dataTransfer: data });
        assert.ok(await page.locator('.wrap.dropping').isVisible());
        await page.dispatchEvent('.wrap', 'drop', { dataTransfer: data });
        await soon(async () => assert.match(await text(page, '.verdict'), /\u2192/));
        assert.equal(await page.locator('.wrap.dropping').count(), 0);
    });
});

test('what is no card is refused, with the way out', async () => {
    await withCard(one, {}, async (page) => {
        await page.setInputFiles('.actions input[type=file]', saved('run.prz', 'not a card'));
        const told = /run\.prz is not a card of a profile\..*profrender diff/s;
        await soon(async () => assert.match(await text(page, 'dialog[open]'), told));
        await page.getByRole('button', { name: 'Close' }).click();
        assert.ok(await page.locator('.totals').first().isVisible(), 'the page is as it was');
    });
});

test('a large file that is not a card is refused without being read, a card of a table by what it is', () =>
    withCard(one, {}, async (page) => {
        const large = saved('large.html', '');
        truncateSync(large, 400_000_000);
        const table = saved('table.html', '');
        execFileSync(PROGRAM, ['frame', sample('tables/orders.csv'), '-q', '-o', table]);
        for (const file of [large, table]) {
            await page.evaluate(() => {
                const whole = File.prototype.text;
                File.prototype.text = function () {
                    document.title = 'read';
                    return whole.call(this);
                };
            });
            await page.setInputFiles('.actions input[type=file]', file);
            await soon(async () => assert.match(await text(page, 'dialog[open]'), /is not a card of a profile\./));
            assert.notEqual(await page.title(), 'read');
            await page.getByRole('button', { name: 'Close' }).click();
        }
    }));

test('cards that measured different things are not sent to the program, which could not compare them either', () =>
    withCard(cardOf(sample('cpu/endpoints.cpu.pb.gz')), {}, async (page) => {
        assert.doesNotMatch(await text(page, '.side'), /Thread/, 'no thread where none was recorded');
        await page.setInputFiles('.actions input[type=file]', cardOf(sample('cpu/goindex.heap.pb.gz')));
        const why = /has no metric in common with this card/;
        await soon(async () => assert.match(await text(page, 'dialog[open]'), why));
        assert.doesNotMatch(await text(page, 'dialog[open]'), /profrender diff/);
    }));

test('of a run without stacks the program says what differs, and both cards name its command', async () => {
    const run = cardOf(sample('timeline/etl.mprof.dat'));
    await withCard(cardOf(sample('nightly')), {}, async (page) => {
        await page.setInputFiles('.actions input[type=file]', run);
        const why = /no metric in common[^]*runs without stacks:\s+profrender diff BEFORE AFTER/;
        await soon(async () => assert.match(await text(page, 'dialog[open]'), why));
    });
    await withCard(run, {}, async (page) => {
        await page.getByText('More commands').click();
        assert.match(await text(page, '.cmds'), /Compare with another run.*profrender diff \S+ OTHER -o /s);
    });
});

test('two equal cards: no function changed', () =>
    withCard(cardOf(sample('cpu/endpoints.cpu.pb.gz')), {}, async (page) => {
        await page.setInputFiles('.actions input[type=file]', cardOf(sample('cpu/endpoints.cpu.pb.gz')));
        await soon(async () => assert.match(await text(page, '.mini'), /Nothing changed\./));
    }));

test('in a sandbox, too: the button is enough', async () => {
    const quoted = readFileSync(one, 'utf8').replace(/&/g, '&amp;').replace(/"/g, '&quot;');
    const host = saved('meets.html', `<iframe sandbox="allow-scripts" width="1200" height="900" srcdoc="${quoted}">`);
    const { page, close } = await open(host);
    const inner = page.frameLocator('iframe');
    await inner.locator('.actions input[type=file]').setInputFiles(other);
    await soon(async () => assert.match(await inner.locator('.verdict').innerText(), /\u2192/));
    await close();
});

test('a card with other parts is met in silence', () =>
    withCard(one, {}, async (page) => {
        await page.setInputFiles('.actions input[type=file]', cardOf(sample('nightly')));
        await soon(async () => assert.match(await text(page, '.verdict'), /\u2192/));
    }));
