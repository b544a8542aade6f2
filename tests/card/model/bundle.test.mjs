// SPDX-License-Identifier: Apache-2.0
/* The bundle: the same bytes each time, fit for an inline element, with the hashes that the policy needs. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'profrender-bundle-'));
after(() => rmSync(folder, { recursive: true }));

function bundle(name) {
    const out = join(folder, name);
    const { status, stderr } = spawnSync(process.execPath, ['assets/bundle.mjs', out], { cwd: root, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    return (file) => readFileSync(join(out, file), 'latin1');
}

/** The bytes of an array in C. */
const arrayIn = (source, name) =>
    Buffer.from(new RegExp(`${name}\\[\\d+\\] = \\{([^}]*)\\}`).exec(source)[1].split(',').map(Number));

test('twice the same, and what C embeds is what was built', () => {
    const first = bundle('first');
    const second = bundle('second');
    const source = first('assets.c');
    assert.equal(second('assets.c'), source);
    assert.equal(second('assets.h'), first('assets.h'));
    for (const [name, file] of [
        ['script', 'card.js'],
        ['style', 'card.css'],
    ]) {
        const bytes = arrayIn(source, `pr_asset_${name}`);
        assert.equal(bytes.toString('latin1'), first(file));
        assert.ok(
            source.includes(
                `pr_asset_${name}_sha256[] = "sha256-${createHash('sha256').update(bytes).digest('base64')}"`,
            ),
        );
        assert.doesNotMatch(first(file), /<\/(script|style)|<!--|\r|[^\0-\x7f]|sourceMappingURL/i);
    }
    assert.equal(
        arrayIn(source, 'pr_template_card').toString('latin1'),
        readFileSync(join(root, 'templates/card.html'), 'latin1'),
    );
    assert.ok(!source.includes(root), 'no path of the machine');
});

/** The declarations of the one block that begins with a rule. */
function declarations(css, rule) {
    const [, block, ...more] = css.split(rule);
    assert.ok(block && more.length === 0, `one ${rule}`);
    return block.slice(0, block.indexOf('}')).split(';').sort();
}

test('the dark theme is the same whether a person or the system chose it', () => {
    const built = bundle('themes');
    for (const file of ['card.css', 'index.css']) {
        const css = built(file);
        const chosen = declarations(css, '@media screen{:root[data-theme=dark],:host([data-theme="dark"]){');
        const bySystem = declarations(
            css,
            '@media screen and (prefers-color-scheme:dark){' +
                ':root:not([data-theme=light]),:host(:not([data-theme="light"])){',
        );
        assert.deepEqual(bySystem, chosen);
        assert.ok(chosen.length > 50 && chosen.includes('color-scheme:dark'), `${chosen.length} in ${file}`);
    }
});

test('each colour of the dark theme has one of the light theme to replace', () => {
    const names = (file) =>
        new Set(readFileSync(join(root, 'assets/src/css', file), 'utf8').match(/(?<=^\s+)--[\w-]+(?=:)/gm));
    const light = names('tokens.css');
    assert.deepEqual([...names('dark.css')].filter((name) => !light.has(name)), []);
});

test('a property whose name is shortened is never named by a string', () => {
    const [, list] = /const SHORTENED = \[(.*?)\n\];/s.exec(readFileSync(join(root, 'assets/bundle.mjs'), 'utf8'));
    const names = [...list.matchAll(/'(\w+)'/g)].map(([, name]) => name);
    assert.ok(names.length > 10);
    const sources = readdirSync(join(root, 'assets/src'), { recursive: true }).filter((path) => path.endsWith('.js'));
    const text = sources.map((path) => readFileSync(join(root, 'assets/src', path), 'utf8')).join();
    const code = text.replace(/\/\*.*?\*\/|\/\/[^\n]*/gs, '');
    assert.deepEqual(names.filter((name) => new RegExp(`['"\`]${name}['"\`]`).test(code)), []);
});
