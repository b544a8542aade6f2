// SPDX-License-Identifier: Apache-2.0
/* Several sections in one card: each kind is shown, nothing of theirs runs, and no file outside the folder is read. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { deflateSync, crc32 } from 'node:zlib';
import { assertAccessible } from '../support/axe.mjs';
import { PROGRAM, ROOT, open, stopBrowser } from '../support/browser.mjs';

after(stopBrowser);

const folder = mkdtempSync(`${tmpdir()}/sections-`);
const ATTACK = `</h2></pre>'"><script>document.title='ran'</script><img src=x onerror="document.title='ran'">`;

function chunk(type, data) {
    const body = Buffer.concat([Buffer.from(type), data]), ends = Buffer.alloc(8);
    ends.writeUInt32BE(data.length);
    ends.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}

/** A grey square of PNG. */
function png(side) {
    const head = Buffer.from([0, 0, 0, side, 0, 0, 0, side, 8, 0, 0, 0, 0]);
    const rows = deflateSync(Buffer.alloc(side * (side + 1), 0x77));
    return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk('IHDR', head), chunk('IDAT', rows),
        chunk('IEND', Buffer.alloc(0))]);
}

const put = (name, content) => writeFileSync(`${folder}/${name}`, content);
for (const table of ['orders.csv', 'steps.csv', 'events.jsonl'])
    copyFileSync(`${ROOT}samples/tables/${table}`, `${folder}/${table}`);
put('plot.png', png(40));
put('evil.svg', `<?xml version="1.0"?>\n<!-- <svg> --><svg xmlns="http://www.w3.org/2000/svg" width="30"
    height="20" onload="parent.document.title='ran'"><script>parent.document.title='ran'</script>
    <image href="https://x.example/"/></svg>`);
put('notes.md', `# Monday\n\n${ATTACK}\n\n[a](javascript:alert(1)) [b](https://example.com) ` +
    '![c](https://x.example/y.png)\n');
put('code.py', `def f():\n\treturn "${ATTACK}"\r\n\n`);
mkdirSync(`${folder}/sub`);
put('sub/in.csv', 'a,b\n1,2\n3,4\n');
symlinkSync('/etc/passwd', `${folder}/link.md`);

const ALL = [
    { kind: 'markdown', file: 'notes.md', title: ATTACK }, { kind: 'profile', file: 'orders.csv' },
    { kind: 'profile', file: 'events.jsonl', schema: { tags: 'ignore' } },
    { kind: 'table', file: 'orders.csv', sort: 'price', descending: true, rows: 3 },
    { kind: 'box', file: 'orders.csv', value: 'total', by: 'country' },
    { kind: 'gantt', file: 'steps.csv', group: 'Kind' }, { kind: 'source', file: 'code.py', first_line: 41 },
    { kind: 'source', text: 'select 1;', title: 'Query' }, { kind: 'image', file: 'plot.png', alt: ATTACK },
    { kind: 'image', file: 'evil.svg' }, { kind: 'table', file: 'sub/in.csv', header: 'no', separator: ',' },
];

function make(sections, ...more) {
    put('card.json', JSON.stringify({ title: 'All kinds', sections }));
    const words = ['frame', 'sections', `${folder}/card.json`, '-q', '-o', `${folder}/card.html`, ...more];
    return spawnSync(PROGRAM, words, { encoding: 'utf8' });
}

function made(sections, ...more) {
    const answer = make(sections, ...more);
    assert.equal(answer.status, 0, answer.stderr);
    return `${folder}/card.html`;
}

for (const [width, colorScheme] of [[1440, 'light'], [390, 'dark']])
    test(`axe finds nothing, and nothing is wider than the window: ${colorScheme}, ${width} px`, async () => {
        await assertAccessible(pathToFileURL(made(ALL)).href, { width, colorScheme }, 'sections');
    });

test('each section is shown, without a script, and nothing of theirs runs or is asked for', async () => {
    const path = made(ALL), html = readFileSync(path, 'utf8');
    assert.ok(!/<script|javascript:|<svg[^>]*onload/i.test(html));
    assert.match(html, /default-src 'none'/);
    assert.equal(html.match(/<img/g).length, 2);
    const { page, quiet, close } = await open(path);
    assert.equal(await page.title(), 'All kinds');
    const seen = await page.evaluate(() => ({
        ids: [...document.querySelectorAll('[id]')].map((one) => one.id),
        sizes: [...document.images].map((image) => [image.complete, image.naturalWidth]),
        lines: [...document.querySelectorAll('#s7 .n')].map((one) => one.dataset.n),
        parts: [...document.querySelectorAll('section.part')].length,
        heads: [...document.querySelectorAll('#s4 tbody tr')].length,
        broken: [...document.querySelectorAll('a[href^="#"]')].filter((a) => !document.querySelector(a.hash)).length,
    }));
    assert.equal(new Set(seen.ids).size, seen.ids.length, 'an id occurs twice');
    assert.deepEqual(seen.sizes, [[true, 40], [true, 30]]);
    assert.deepEqual([seen.parts, seen.heads, seen.broken], [ALL.length, 3, 0]);
    assert.deepEqual(seen.lines, ['41', '42', '43']);
    assert.ok((await page.locator('#s7').innerText()).includes(ATTACK.slice(0, 60)));
    assert.ok(!(await page.locator('#s3').innerText()).includes('tags'));
    await page.locator('#s2 .found a', { hasText: 'email' }).first().click();
    await page.waitForURL((url) => url.hash === '#s2-c8');
    quiet();
    await close();
});

test('a text without a title has the name of its kind, and the next one a number', () => {
    const html = readFileSync(made([{ kind: 'markdown', text: 'x' }, { kind: 'source', text: 'y' },
        { kind: 'markdown', text: 'z' }]), 'utf8');
    assert.deepEqual([...html.matchAll(/<h2 class='part'>([^<]*)/g)].map((found) => found[1]),
        ['Notes', 'Source code', 'Notes 2']);
});

const one = (section) => [{ kind: 'markdown', text: 'x' }, section];
for (const [name, sections, words] of [
    ['a file outside', one({ kind: 'markdown', file: '../x.md' }), /section 2: .*outside|section 2: .*leads out/],
    ['an absolute path', one({ kind: 'source', file: '/etc/passwd' }), /section 2: .*\/etc\/passwd/],
    ['a link', one({ kind: 'markdown', file: 'link.md' }), /section 2: .*link/],
    ['a folder', one({ kind: 'source', file: 'sub' }), /section 2: sub/],
    ['no such file', one({ kind: 'profile', file: 'nosuch.csv' }), /section 2: nosuch\.csv/],
    ['an image that is none', one({ kind: 'image', file: 'orders.csv' }), /section 2: is not a PNG.*orders\.csv/],
    ['an unknown kind', one({ kind: 'pie', file: 'orders.csv' }), /section 2: kinds are .*'pie'/],
    ['an unknown member', one({ kind: 'table', file: 'orders.csv', colour: 'red' }), /section 2: there is no 'colour'/],
    ['a member of another kind', one({ kind: 'box', file: 'orders.csv', sort: 'total' }), /section 2: .*no 'sort'/],
    ['an unknown column', one({ kind: 'table', file: 'orders.csv', sort: 'nosuch' }), /no column 'nosuch'/],
    ['an unknown type', one({ kind: 'profile', file: 'orders.csv', schema: { total: 'zip' } }), /section 2: schema: /],
    ['no kind', one({ file: 'orders.csv' }), /section 2: lacks 'kind'/],
    ['no file', one({ kind: 'table' }), /section 2: lacks 'file'/],
    ['a NUL in a name', one({ kind: 'table', file: 'orders.csv\0.html' }), /section 2: .*'file'/],
    ['no sections', [], /is not a list of sections/],
    ['rows beyond the limit', one({ kind: 'table', file: 'orders.csv', rows: 1e6 }), /'rows'/],
    ['too many', Array.from({ length: 201 }, () => ({ kind: 'markdown', text: 'x' })), /more than 200 sections/],
])
    test(`${name} is refused with its reason`, () => {
        const answer = make(sections);
        assert.equal(answer.status, 3);
        assert.match(answer.stderr, words);
    });

test('other members of the document, and formats, are refused', () => {
    put('odd.json', '{"sections": [{"kind": "markdown", "text": "x"}], "style": "red"}');
    const run = (...words) => spawnSync(PROGRAM, ['frame', 'sections', ...words], { encoding: 'utf8' });
    assert.match(run(`${folder}/odd.json`, '-o', `${folder}/x.html`).stderr, /is not a list of sections/);
    assert.match(run(`${folder}/card.json`).stderr, /makes a page/);
    assert.match(run(`${folder}/card.json`, '--json').stderr, /makes a page/);
});

test('without values, only profiles are shown', () => {
    assert.match(make(ALL, '--redact', 'values').stderr, /leaves nothing of a section of kind markdown/);
    const html = readFileSync(made([{ kind: 'profile', file: 'orders.csv' }], '--redact', 'values'), 'utf8');
    assert.ok(!html.includes('customer31') && html.includes('Values are left out'));
});

test('a description from standard input is beneath the current folder', () => {
    const input = JSON.stringify({ sections: [{ kind: 'table', file: 'in.csv' }] });
    const words = ['frame', 'sections', '-', '-q', '--format', 'html'];
    const html = execFileSync(PROGRAM, words, { input, cwd: `${folder}/sub`, encoding: 'utf8' });
    assert.ok(html.includes('<title>standard input</title>') && html.includes("<h2 class='part'>in.csv</h2>"));
});
