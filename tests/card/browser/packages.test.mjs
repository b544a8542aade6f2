// SPDX-License-Identifier: Apache-2.0
/* Which package code is part of, in each language; the table by package, and a package that is hidden. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { stringAt } from '../../../assets/src/model/profile.js';
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

test('the table has a row for each package, with what it holds; a search filters them', () =>
    withCard(cardOf(DAILY), { hash: '#tab=peak&view=table&by=package' }, async (page) => {
        const rows = page.locator('#panel-table tbody tr:not(.gap)');
        const { records } = exported(DAILY, 'peak');
        const below = records
            .filter(({ stack }) => stack.some(([, file]) => file.includes('/site-packages/pandas/')))
            .reduce((sum, { size }) => sum + size, 0);
        const pandas = rows.filter({ has: page.locator('th', { hasText: /^pandas$/ }) });
        const shown = page.locator('.cmd, code', { hasText: '--group package' });
        assert.ok(await shown.count(), 'the same in a terminal');
        const { rows: told } = JSON.parse(
            execFileSync(PROGRAM, ['table', '--group', 'package', '--json', DAILY], { encoding: 'utf8' }),
        );
        assert.equal(told.find(({ file }) => file === 'pandas').total, below);
        assert.match(await pandas.innerText(), new RegExp(`${(below / 2 ** 20).toPrecision(3)}\\s+MiB`));
        await page.locator('#q').fill('num');
        await soon(async () => assert.deepEqual(await rows.locator('th').allInnerTexts(), ['numpy']));
    }));

test('code of the file of a frame counts as a library, in all figures and by a link, until it is taken back', () =>
    withCard(cardOf(DAILY), { hash: '#tab=peak', width: 1440 }, async (page) => {
        const mine = async () => Number(/my code\s+([\d.]+)\s%/.exec(await text(page, '.mini'))?.[1] ?? 0);
        const whole = exported(DAILY, 'peak').total_size;
        const before = await mine();
        const { x, y } = await graphBox(page);
        await page.mouse.click(x + 60, y + 1 + 22 * 4 + 10, { button: 'right' });
        await page.getByRole('menuitem', { name: /Count as library\s*features.py/ }).click();
        for (const again of [false, true]) {
            if (again) await page.reload();
            await soon(async () => assert.match(await text(page, '.filters'), /as library\s+features.py/));
            await soon(async () => assert.ok((await mine()) < before - 15, `${await mine()} of ${before}`));
            assert.doesNotMatch(await text(page, '.mini'), /^lag_matrix/m);
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
