// SPDX-License-Identifier: Apache-2.0
/* Sharing: a copy of the page with a view and a note, links, words, stacks, and pictures that say what they are. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { cardOf, differenceOf, sample, saved, soon, stopBrowser, text, withCard } from '../support/browser.mjs';

after(stopBrowser);

const card = cardOf(sample('daily-sales.bin'));
const NOTE = 'See <script>alert(1)</script> & "lag_matrix".\n\nSecond part.';

const share = async (page, label, note = '') => {
    await page.locator('.actions summary').click();
    await page.locator('.actions .pop button', { hasText: label }).filter({ hasText: note }).click();
};

/** What the page copies, kept by the page itself. */
const copied = async (page, act) => {
    await page.evaluate(() => {
        navigator.clipboard.writeText = async (words) => void (window.copiedWords = words);
    });
    await act();
    await soon(async () => assert.ok(await page.evaluate(() => window.copiedWords)));
    return page.evaluate(() => window.copiedWords);
};

test('a copy of the page opens with the view and the note, which is text', async () => {
    await withCard(card, { hash: '#tab=leaks&q=read' }, async (page) => {
        await share(page, 'Copy of this page');
        await page.getByLabel('Note', { exact: true }).fill(NOTE);
        const [download] = await Promise.all([
            page.waitForEvent('download'),
            page.getByRole('button', { name: 'Save the copy' }).click(),
        ]);
        const copy = saved('copy.html', readFileSync(await download.path(), 'utf8'));
        await withCard(copy, {}, async (again) => {
            assert.equal(await again.locator('[role=tab][aria-selected=true]').getAttribute('data-tab'), 'leaks');
            assert.equal(await again.inputValue('#q'), 'read');
            const note = /See <script>alert\(1\)<\/script> & "lag_matrix"\.\s+Second part\./;
            assert.match(await text(again, '.copynote'), note);
            const [first, next] = await again.locator('main > *').evaluateAll((all) => all.map((e) => e.className));
            assert.equal(await again.locator('#h-find').count(), 1, 'nothing else is gone');
            assert.match(first, /copynote/);
            assert.doesNotMatch(next, /copynote/);
            await share(again, 'Copy of this page');
            const [third] = await Promise.all([
                again.waitForEvent('download'),
                again.getByRole('button', { name: 'Save the copy' }).click(),
            ]);
            const html = readFileSync(await third.path(), 'utf8');
            assert.doesNotMatch(html, /class="panel copynote"/, 'a copy of a copy has its own note, or none');
        });
    });
});

test('a page on a disk has no link to share: it offers the copy, or is closed without a keyboard', async () => {
    await withCard(card, {}, async (page) => {
        await share(page, 'Link to this view');
        assert.match(await text(page, 'dialog[open]'), /Others cannot open the address.*Save the copy/s);
        await page.getByRole('button', { name: 'Close' }).click();
        assert.equal(await page.locator('dialog[open]').count(), 0);
    });
});

test('a copied stack begins with how much, of what and of which run; the most recent call is last', async () => {
    await withCard(card, { hash: '#tab=leaks' }, async (page) => {
        const words = await copied(page, () => page.getByRole('button', { name: 'Copy stack' }).click());
        const amount = '[\\d.,]+ [KM]iB not freed at the end \\([\\d.]+ % of [\\d.,]+ [KM]iB\\)';
        const run = 'daily_sales\\.py.*, \\d{4}-\\d\\d-\\d\\d';
        assert.match(words, new RegExp(`^${amount}, [\\d,]+ allocations?, ${run}\\n`));
        assert.match(words, /\nMost recent call last:\n\n```\n[^`]*\n```$/);
        const name = await text(page, '.side .name');
        assert.ok(words.trim().split('\n').at(-2).startsWith(name), words);
    });
});

test('the view as Markdown: heading, totals, functions, stack', async () => {
    await withCard(card, {}, async (page) => {
        const words = await copied(page, () => share(page, 'Markdown'));
        assert.match(words, /^### daily_sales\.py/);
        assert.match(words, /\n\| `\w+` \| `[^|]+` \| [\d.]+ MiB \| [\d.]+ % \|/);
        assert.match(words, /Most recent call last:/);
    });
});

test('of a difference the Markdown has what changed most', async () => {
    const [old, now] = ['py3.9-memray1.2.0', 'py3.13-memray1.18.0'].map((of) => sample(`json_dict-${of}-default.bin`));
    await withCard(differenceOf(old, now), {}, async (page) => {
        const words = await copied(page, () => share(page, 'Markdown'));
        assert.match(words, /\n\| Largest change of self \| File \| Change \| Amount \|\n/);
        assert.match(words, /\n\| `group_by_quantity` \| `[^`]+` \| \u25b2 768 KiB \| 257 KiB \u2192 1\.00 MiB \|\n/);
        assert.match(words, /\n\| `_iterencode_dict` \| `[^`]+` \| \u25bc 259 KiB \| 259 KiB \u2192 0 B \|\n/);
    });
});

test('a saved picture names the run, the view and the colours, and keeps bold and the file of <module>', async () => {
    await withCard(card, {}, async (page) => {
        await page.locator('.actions summary').click();
        const [download] = await Promise.all([
            page.waitForEvent('download'),
            page.locator('.actions .pop button', { hasText: 'Picture' }).filter({ hasText: 'SVG' }).click(),
        ]);
        const picture = readFileSync(await download.path(), 'utf8');
        const title = />daily_sales\.py[^<]*, \d{4}-\d\d-\d\d</;
        for (const words of [title, /MiB at the peak/, />my code</])
            assert.match(picture, words);
        assert.match(picture, /font-weight="600"[^>]*>/);
        assert.match(picture, />\s[\w/.]*daily_sales\.py(?::\d+)?</);
    });
});
