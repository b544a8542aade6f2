// SPDX-License-Identifier: Apache-2.0
/* Which package code is part of, in each language; the table by package, and a package that is hidden. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { sumUp } from '../../../assets/src/model/calltree.js';
import { exactByFrame } from '../../../assets/src/model/exact.js';
import { makeGraph } from '../../../assets/src/model/graph.js';
import { ROOT, stringAt } from '../../../assets/src/model/profile.js';
import { makeRows } from '../../../assets/src/model/rows.js';
import {
    PROGRAM,
    cardOf,
    exported,
    graphAccount,
    graphBox,
    profileIn,
    sample,
    soon,
    stopBrowser,
    text,
    withCard,
} from '../support/browser.mjs';

after(stopBrowser);
const folder = mkdtempSync(join(tmpdir(), 'profrender-packages-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const DAILY = sample('daily-sales.bin');

/** The package of each function of a profile. */
function packagesOf(capture) {
    const { frames, strings, packages } = profileIn(cardOf(capture));
    return Object.fromEntries(
        Array.from(frames.function, (name, f) => [stringAt(strings, name), stringAt(packages, frames.package[f])]),
    );
}

test('installed code is in the package that its manager put there', () => {
    const places = {
        frame: '/v/lib/python3.12/site-packages/pandas/core/frame.py',
        six: '/v/lib/python3.12/site-packages/six.py',
        ext: '/v/lib/python3.12/site-packages/_cffi_backend.cpython-312-x86_64-linux-gnu.so',
        parse: '/usr/lib/python3.12/json/decoder.py',
        scoped: '/app/node_modules/a/node_modules/@scope/name/index.js',
        plain: '/app/node_modules/left-pad/index.js',
        gem: '/usr/lib/ruby/gems/3.2.0/gems/rack-test-2.1.0/lib/rack.rb',
        own: '/app/jobs/etl.py',
    };
    const stacks = join(folder, 'installed.folded');
    writeFileSync(stacks, Object.entries(places).map(([name, file]) => `${name} (${file}:3) 5\n`).join(''));
    assert.deepEqual(packagesOf(stacks), {
        ...{ frame: 'pandas', six: 'six', ext: '_cffi_backend', parse: 'Python', scoped: '@scope/name' },
        ...{ plain: 'left-pad', gem: 'rack-test', own: 'jobs/' },
    });
});

test('compiled code is in a module, a Java package, or that of its language', () => {
    const go = packagesOf(sample('cpu/endpoints.cpu.pb.gz'));
    assert.equal(go['main.parse'], 'main');
    assert.equal(go['time.Now'], 'Go');
    const java = packagesOf(sample('cpu/shop.jfr.zst'));
    assert.equal(java['shop.Work.sell'], 'shop');
    assert.equal(java['java.lang.Integer.toString'], 'JDK');
    assert.equal(packagesOf(sample('cpu/hashtab.perf.folded'))['[unknown]'] ?? 'native', 'native');
});

/** Two samples of a program of Rust, with a crate and a shared object. */
const RUST = [['serde_json::de::from_str+0x1f', '/app/api'], ['deflate+0x12', '/usr/lib/libz.so.1.3']]
    .map(([leaf, object]) => [
        'api 100 [000] 10.000000:   10000000 cpu-clock:',
        ...[[leaf, object], ['api::list+0x40', '/app/api'], ['std::rt::lang_start::h1b5d3a3e5f1a2b3c+0x2', '/app/api']]
            .map(([name, file], i) => `\t    55d0c0de${i}000 ${name} (${file})`),
    ].join('\n'))
    .join('\n\n');

/** What the program's table by package says, in the unit of the card. */
function packagesInTerminal(capture, metric, hide) {
    const words = ['table', '--group', 'package', '--json', '--metric', metric.name];
    if (hide.length) words.push('--hide', hide.join());
    const { unit, rows } = JSON.parse(execFileSync(PROGRAM, [...words, capture], { encoding: 'utf8' }));
    const exact = (value) => Math.round(value * (unit === 'seconds' ? 1e9 : 1));
    return Object.fromEntries(
        rows.map((row) => [
            row.file ?? 'no stack',
            [exact(row.self), exact(row.total), row.self_count ?? 0, row.file ? (row.total_count ?? 0) : 0],
        ]),
    );
}

/** The same rows of the card's table. */
function packagesOnCard(profile, number, hide) {
    const metric = profile.metrics[number];
    const isOfAllocations = profile.facts.allocator && metric.unit === 'bytes';
    const left = isOfAllocations ? [...hide, 'native'] : hide;
    const graph = makeGraph(profile, { split: false, lines: true, runner: false, hide: left });
    const sums = sumUp(graph, metric, null);
    const exact = exactByFrame(profile, number, null, hide);
    const rows = makeRows(profile, graph, sums, 'package', exact, metric.countName === 'calls');
    const { frames, packages } = profile;
    const named = Array.from(rows.frame, (f, row) => [
        stringAt(packages, frames.package[f]) || '(no package)',
        [rows.self[row], rows.total[row], rows.selfCount[row], rows.totalCount[row]],
    ]);
    const rest = exact ? [] : [sums.self[ROOT], sums.self[ROOT], sums.selfCount[ROOT], 0];
    return Object.fromEntries(rest.some(Boolean) ? [...named, ['no stack', rest]] : named);
}

/** Of each language, samples and stacks that tell its packages apart. */
const OF_LANGUAGES = {
    'Python, memory': () => DAILY,
    'Python, samples with threads': () => sample('cpu/etl.full.austin.txt'),
    'Python, calls': () => sample('cpu/fanout.yappi.pstats'),
    'Python, calls of a graph': () => sample('cpu/fanout.yappi.callgrind.out'),
    'Go, CPU': () => sample('cpu/endpoints.cpu.pb.gz'),
    'Go, memory': () => sample('cpu/goindex.heap.pb.gz'),
    JVM: () => sample('cpu/shop.jfr.zst'),
    Node: () => sample('cpu/wordcount.cpuprofile'),
    Ruby: () => sample('cpu/shop.wall.stackprof'),
    'C, memory': () => sample('cpu/hashtab.heaptrack.zst'),
    'C, kernel and objects': () => sample('cpu/tally.perf.data'),
    'Rust crates and shared objects': () => {
        const path = join(folder, 'rust.perf.txt');
        writeFileSync(path, `${RUST}\n`);
        return path;
    },
    'heap of V8, by kind': () => sample('heap/shelf.heapsnapshot.zst'),
    'heap of the JVM': () => sample('heap/shelf.hprof.zst'),
    'npm and gems': () => {
        const path = join(folder, 'managers.folded');
        const npm = 'main (/app/index.js:1);walk (/app/node_modules/@scope/name/index.js:3)';
        const gem = 'main (/app/index.js:1);call (/usr/lib/ruby/gems/3.2.0/gems/rack-test-2.1.0/lib/rack.rb:3)';
        writeFileSync(path, `${npm} 5\n${npm};walk (/app/node_modules/left-pad/index.js:9) 7\n${gem} 11\n`);
        return path;
    },
};

for (const [language, captureOf] of Object.entries(OF_LANGUAGES))
    test(`each row by package has the same figures on the card and in a terminal: ${language}`, () => {
        const capture = captureOf();
        const profile = profileIn(cardOf(capture));
        for (const hide of [[], ['imports'], ['library', 'stdlib']])
            profile.metrics.forEach((metric, number) =>
                assert.deepEqual(
                    packagesOnCard(profile, number, hide),
                    packagesInTerminal(capture, metric, hide),
                    `${metric.name} without ${hide}`,
                ),
            );
    });

test('objects are of the package of their class, or of the kind that V8 calls them', () => {
    const java = packagesOf(sample('heap/shelf.hprof.zst'));
    assert.equal(java['java.util.HashMap$Node[]'], 'java.util');
    assert.equal(java['java.util.HashMap.table'], 'java.util');
    assert.equal(java['Shelf$Book.pages'], '(default package)');
    assert.equal(java['byte[]'], 'arrays of primitives');
    const v8 = packagesOf(sample('heap/shelf.heapsnapshot.zst'));
    assert.equal(v8['Shelf.books'], 'constructors');
    assert.equal(v8['Function'], 'closures');
    assert.equal(v8['(concatenated string)'], 'strings');
    assert.equal(v8['Uint8Array'] ?? 'arrays', 'arrays');
    assert.equal(v8['(object shape)'], 'system');
});

for (const colorScheme of ['light', 'dark'])
    test(`where nothing is code, kinds of objects have the colours, and a legend, ${colorScheme}`, () =>
        withCard(cardOf(sample('heap/shelf.heapsnapshot.zst')), { width: 1440, colorScheme }, async (page) => {
            const list = await page.locator('#h-own + *').innerText();
            assert.match(await text(page, '#h-own'), /Objects by kind/);
            assert.deepEqual(list.match(/system|arrays|strings|closures|constructors|built-in objects/g)?.length, 6);
            const colours = await page.locator('#h-own + * .sw').evaluateAll((all) =>
                all.map((one) => getComputedStyle(one).backgroundColor));
            assert.equal(new Set(colours).size, 6, colours.join());
            assert.match(await text(page, '.side'), /\(array\)\s+arrays/);
            const { x, y } = await graphBox(page);
            const [one, other] = await page.evaluate(([left, top]) => {
                const canvas = [...document.querySelectorAll('canvas')].find((one) => {
                    const box = one.getBoundingClientRect();
                    return box.left <= left && left < box.right && box.top <= top && top < box.bottom;
                });
                const box = canvas.getBoundingClientRect();
                const { data } = canvas.getContext('2d').getImageData(left - box.left, top - box.top, 1, 23);
                return [0, 22].map((row) => data.slice(4 * row, 4 * row + 4).join());
            }, [x + 30, y + 22 + 20]);
            assert.notEqual(one, other, 'built-in objects, closures');
        }));

test('where all code is mine, its packages have the colours', () => {
    const path = join(folder, 'mine.folded');
    const at = (name, file) => `${name} (/app/${file}:3)`;
    writeFileSync(path, `${at('main', 'jobs/a.py')};${at('load', 'tables/b.py')} 5\n${at('main', 'jobs/a.py')} 7\n`);
    return withCard(cardOf(path), { width: 1440 }, async (page) => {
        assert.match(await text(page, '#h-own'), /All my code, by package/);
        assert.match(await page.locator('#h-own + *').innerText(), /jobs\/[^]*tables\//);
    });
});

test('a package opens to its functions, by a click and by keys, whatever the order', () =>
    withCard(cardOf(DAILY), { hash: '#tab=peak&view=table&by=package', width: 1440 }, async (page) => {
        const table = page.locator('#panel-table table');
        const rows = page.locator('#panel-table tbody tr:not(.gap)');
        const named = (name) => rows.filter({ has: page.locator('th', { hasText: name }) }).first();
        const levels = () => rows.evaluateAll((all) => all.map((row) => Number(row.getAttribute('aria-level'))));
        assert.equal(await table.getAttribute('role'), 'treegrid');
        const dateutil = named(/dateutil$/);
        assert.match(await dateutil.innerText(), /\d+ functions in \d+ files/);
        assert.equal(await dateutil.getAttribute('aria-expanded'), 'false');
        await dateutil.locator('button').click();
        assert.equal(await named(/dateutil$/).getAttribute('aria-expanded'), 'true');
        assert.ok((await levels()).filter((level) => level === 2).length > 3);
        const [, functions] = /(\d+) functions/.exec(await named(/dateutil$/).innerText());
        assert.equal((await levels()).filter((level) => level === 2).length, Number(functions));
        assert.equal(await page.evaluate(() => document.activeElement?.closest('tr')?.ariaExpanded), 'true');
        await page.keyboard.press('ArrowDown');
        assert.equal(await page.evaluate(() => document.activeElement?.closest('tr')?.ariaLevel), '2');
        await page.keyboard.press('ArrowLeft');
        await page.keyboard.press('ArrowLeft');
        assert.deepEqual([...new Set(await levels())], [1]);
        await page.keyboard.press('ArrowRight');
        await page.locator('#panel-table thead button', { hasText: 'Self' }).click();
        await soon(async () => assert.ok((await levels()).includes(2), 'it stays open'));
        await page.locator('#panel-table thead button', { hasText: 'File' }).click();
        const counts = (await rows.allInnerTexts())
            .flatMap((line) => /(\d+) functions?/.exec(line)?.[1] ?? [])
            .map(Number);
        assert.deepEqual(counts, counts.toSorted((a, b) => a - b));
        await page.locator('#q').fill('lag_matrix');
        await soon(async () => assert.deepEqual(await levels(), [1, 2, 2], 'it, and its list comprehension'));
        await named(/lag_matrix/).locator('button').click();
        await soon(async () => assert.match(await text(page, '.side'), /lag_matrix/));
    }));

test('the table has a row for each package, with what it holds; a search filters them', () =>
    withCard(cardOf(DAILY), { hash: '#tab=peak&view=table&by=package' }, async (page) => {
        const rows = page.locator('#panel-table tbody tr:not(.gap)');
        const { records } = exported(DAILY, 'peak');
        const below = records
            .filter(({ stack }) => stack.some(([, file]) => file.includes('/site-packages/pandas/')))
            .reduce((sum, { size }) => sum + size, 0);
        const pandas = rows.filter({ has: page.locator('th', { hasText: /pandas$/ }) });
        const shown = page.locator('.cmd, code', { hasText: '--group package' });
        assert.ok(await shown.count(), 'the same in a terminal');
        const { rows: told } = JSON.parse(
            execFileSync(PROGRAM, ['table', '--group', 'package', '--json', DAILY], { encoding: 'utf8' }),
        );
        assert.match(await shown.first().innerText(), /--hide imports/, 'as the card hides them');
        assert.equal(told.find(({ file }) => file === 'pandas').total, below);
        assert.match(await pandas.innerText(), new RegExp(`${(below / 2 ** 20).toPrecision(3)}\\s+MiB`));
        await page.locator('#q').fill('distutils');
        await soon(async () => assert.deepEqual(await rows.locator('th').allInnerTexts(), ['▸ _distutils_hack']));
    }));

test('code of the file of a frame counts as a library, in all figures and by a link, until it is taken back', () =>
    withCard(cardOf(DAILY), { hash: '#tab=peak', width: 1440 }, async (page) => {
        const mine = async () => Number(/my code\s+([\d.]+)\s%/.exec(await text(page, '.mini'))?.[1] ?? 0);
        const whole = exported(DAILY, 'peak').total_size;
        const before = await mine();
        assert.match(await text(page, '.mini'), /^lag_matrix\t/m);
        const { x, y } = await graphBox(page);
        await page.mouse.click(x + 60, y + 1 + 22 * 4 + 10, { button: 'right' });
        await page.getByRole('menuitem', { name: /Count as library\s*features.py/ }).click();
        for (const again of [false, true]) {
            if (again) await page.reload();
            await soon(async () => assert.match(await text(page, '.filters'), /as library\s+features.py/));
            await soon(async () => assert.ok((await mine()) < before - 15, `${await mine()} of ${before}`));
            assert.doesNotMatch(await text(page, '.mini'), /^lag_matrix\t/m); // its comprehension is a library now
            assert.match(await text(page, '.side'), /lag_matrix[^]*library/);
            await soon(async () => assert.equal(await page.locator('.layers .o-l').count(), 1));
            const { frameSum, smallerSum } = await graphAccount(page);
            assert.equal(frameSum + smallerSum, whole);
        }
        await page.locator('.filters button').click();
        await soon(async () => assert.equal(await mine(), before));
        assert.match(await text(page, '.side'), /lag_matrix[^]*my code/);
    }));

test('a package is hidden by the menu of a frame, by a link, and comes back', () =>
    withCard(cardOf(DAILY), { hash: '#tab=peak', width: 1440 }, async (page) => {
        const whole = exported(DAILY, 'peak').total_size;
        const { x, y } = await graphBox(page);
        await page.mouse.click(x + 60, y + 1 + 22 * 5 + 10, { button: 'right' });
        await page.getByRole('menuitem', { name: /Hide this package\s*numpy/ }).click();
        await soon(async () => assert.match(await text(page, '.filters'), /without package\s+numpy/));
        const { frameSum, smallerSum } = await graphAccount(page);
        assert.equal(frameSum + smallerSum, whole, 'what it held counts for its callers');
        await page.reload();
        await soon(async () => assert.match(await text(page, '.filters'), /without package\s+numpy/));
        await page.locator('.filters button').click();
        await soon(async () => assert.equal(await text(page, '.filters'), ''));
    }));
