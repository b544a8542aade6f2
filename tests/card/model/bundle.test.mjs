// SPDX-License-Identifier: Apache-2.0
/* The bundle: the same bytes each time, fit for an inline element, with the hashes that the policy needs. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { builtPieces } from '../../../assets/built_pieces.mjs';
import { withNames } from '../../../assets/names.mjs';
import { PARTS, setsOfCards, textOf } from '../../../assets/pieces.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'profrender-bundle-'));
after(() => rmSync(folder, { recursive: true }));

function bundle(name) {
    const out = join(folder, name);
    const { status, stderr } = spawnSync(process.execPath, ['assets/bundle.mjs', out], { cwd: root, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    return (file) => readFileSync(join(out, file), 'latin1');
}

const built = bundle('built');

/** The bytes of an array in C. */
const arrayIn = (source, name) =>
    Buffer.from(new RegExp(`${name}\\[\\d+\\] = \\{([^}]*)\\}`).exec(source)[1].split(',').map(Number));

/** What cards with each set of parts carry, from the pieces as C has them. */
function textsOfSets(source, name) {
    const pieces = builtPieces(source, name);
    return Array.from({ length: 1 << PARTS.length }, (_, set) => textOf(pieces, set));
}

test('twice the same, and what C embeds is what was built', () => {
    const second = bundle('second');
    const source = built('assets.c');
    assert.equal(second('assets.c'), source);
    assert.equal(second('assets.h'), built('assets.h'));
    for (const [name, file] of [
        ['script', 'card.js'],
        ['style', 'card.css'],
    ]) {
        const bytes = arrayIn(source, `pr_asset_${name}`);
        assert.equal(bytes.toString('latin1'), built(file));
        assert.equal(textsOfSets(source, name).at(-1), built(file), 'with every part');
        assert.doesNotMatch(built(file), /<\/(script|style)|<!--|\r|[^\0-\x7f]|sourceMappingURL/i);
    }
    assert.equal(
        arrayIn(source, 'pr_template_card').toString('latin1'),
        readFileSync(join(root, 'templates/card.html'), 'latin1'),
    );
    assert.ok(!source.includes(root), 'no path of the machine');
});

test('the script of each set of parts is whole, and what a card does not need is not in it', () => {
    const source = built('assets.c');
    const texts = textsOfSets(source, 'script');
    texts.forEach((text) => new Script(text));
    const without = (part) => texts[(1 << PARTS.length) - 1 - (1 << PARTS.indexOf(part))];
    for (const [part, words] of [
        ['profile', 'Find a thread'],
        ['time', 'Fewer lanes'],
        ['comparison', 'What changed'],
        ['order', 'stretches.gap'],
        ['heat', 'to select a part of the run'],
    ]) {
        assert.ok(texts.at(-1).includes(words), words);
        assert.ok(!without(part).includes(words), words);
    }
});

test('a card has no part without what that part needs', () => {
    const bit = (part) => 1 << PARTS.indexOf(part);
    const sets = setsOfCards();
    assert.ok(sets.includes(0) && sets.includes((1 << PARTS.length) - 1));
    assert.ok(sets.length < 1 << (PARTS.length - 1), `${sets.length} sets`);
    for (const set of sets) {
        if (set & (bit('tree') | bit('comparison') | bit('source') | bit('order') | bit('heat')))
            assert.ok(set & bit('profile'));
        if (set & (bit('phases') | bit('resident'))) assert.ok(set & bit('time'));
    }
});

test('script and style stay small', () => {
    const source = built('assets.c');
    const sizes = ['script', 'style'].map((name) => textsOfSets(source, name));
    // On top come the view of code, the dark theme a second time, phases and notes, for those who asked for them, and
    // the parts of resident memory, for those who recorded them; and what failed, on a card of a run that did.
    const asked = { source: 4_000, dark: 1_200, phases: 1_900, notes: 500, resident: 1_900, failure: 700 };
    sizes[0].forEach(({ length }, set) => {
        const all = length + sizes[1][set].length;
        const extras = Object.entries(asked).filter(([part]) => set & (1 << PARTS.indexOf(part)));
        const most = extras.reduce((sum, [, size]) => sum + size, set ? 206_000 : 89_500);
        assert.ok(all <= most, `${all} bytes of set ${set}`);
    });
});

/** The declarations of the one block that begins with a rule. */
function declarations(css, rule) {
    const [, block, ...more] = css.split(rule);
    assert.ok(block && more.length === 0, `one ${rule}`);
    return block.slice(0, block.indexOf('}')).split(';').sort();
}

test('a card has the dark theme once, and twice where the program made it dark', () => {
    const source = built('assets.c');
    const styles = textsOfSets(source, 'style');
    const dark = 1 << PARTS.indexOf('dark');
    styles.forEach((css, set) => assert.equal(css.split('color-scheme:dark').length - 1, set & dark ? 3 : 2));
});

test('a token with a short name is one that the script does not read', () => {
    const css = built('card.css');
    const script = readFileSync(join(root, 'assets/src/dom/colour.js'), 'utf8');
    const [, list] = /const names = .*?\(\[(.*?)\]\);/s.exec(script);
    for (const [, name] of `${list}${/changes: \[(.*?)\]/.exec(script)[1]}`.matchAll(/'([\w-]+)'/g))
        assert.match(css, new RegExp(`[{;]--${name}:`), name);
    assert.doesNotMatch(css, /--(border-strong|t-small|accent-soft)\b/);
});

test('the dark theme is the same whether a person or the system chose it', () => {
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
    const code = text.replace(/\/\*.*?\*\/|\/\/[^\n]*|class: '[^']*'|history\['state'\]/gs, '');
    assert.deepEqual(names.filter((name) => new RegExp(`['"\`]${name}['"\`]`).test(code)), []);
});

test('words with a name of their own keep what they mean', () => {
    const mark = /@part:(\w+);/;
    const script =
        '(()=>{let a={textContent:1,n:{}};' +
        'a.textContent;a?.textContent;a.n.textContent;(a).textContent;a\n.textContent;`textContent ${a.textContent}`;' +
        "'nodes.textContent'.length;switch(a){case'a word of it':case'another':}" +
        "return typeof a=='a word of it'?'a word of it':'a word of it'in a})()";
    const named = withNames(script, mark);
    assert.match(named, /^\(\(\)=>\{var \$0="textContent",\$1="a word of it";let a=\{textContent:1,/);
    assert.match(named, /a\[\$0\];a\?\.\[\$0\];a\.n\[\$0\];\(a\)\[\$0\];a\n\[\$0\];`textContent \$\{a\[\$0\]\}`;/);
    assert.match(named, /'nodes\.textContent'\.length;switch\(a\)\{case \$1:case'another':\}/);
    assert.match(named, /\?\$1:\$1 in a\}\)\(\)$/);
});

test('a word of one part is named in that part', () => {
    const mark = /try\{part\}catch\{\}/;
    const one = 'f("first words");f("first words");';
    const [first, second] = withNames(`(()=>{f();try{part}catch{}${one}})()`, mark).split(mark);
    assert.equal(first, '(()=>{f();');
    assert.equal(second, 'var $0="first words";f($0);f($0);})()');
});
