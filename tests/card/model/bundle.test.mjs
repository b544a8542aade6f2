// SPDX-License-Identifier: Apache-2.0
/* The bundle: the same bytes each time, fit for an inline element, with the hashes that the policy needs. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Script, runInNewContext } from 'node:vm';
import { withArrows } from '../../../assets/arrows.mjs';
import { builtPieces } from '../../../assets/built_pieces.mjs';
import { withComparisons } from '../../../assets/comparisons.mjs';
import { withDefaults } from '../../../assets/defaults.mjs';
import { withNames } from '../../../assets/names.mjs';
import { PARTS, setsOfCards, textOf } from '../../../assets/pieces.mjs';
import { shortened } from '../../../assets/short_elements.mjs';
import { SHORTENED } from '../../../assets/shortened.mjs';
import { mixedComparisons } from '../support/comparisons.mjs';
import { propertyNames } from '../support/property_names.mjs';

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
        ['order', 'stretches.'],
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
    sizes[0].forEach(({ length }, set) => {
        const all = length + sizes[1][set].length;
        const most = set ? 200_000 : 82_500;
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

test('a property whose name is shortened is known to nobody else, by the types of the sources', () => {
    const names = propertyNames();
    assert.ok(SHORTENED.length > 200);
    assert.deepEqual(
        SHORTENED.filter((name) => !names.has(name) || names.get(name)?.known.length),
        [],
        'node tests/card/support/property_names.mjs prints those for assets/shortened.mjs',
    );
    for (const name of ['title', 'atMs', 'first', 'passive', 'block'])
        assert.ok(names.get(name)?.known.length, `${name} is also another's`);
});

test('what the page takes from the browser keeps its name', () => {
    const text = readFileSync(join(root, 'assets/globals.mjs'), 'utf8')
        .replace(/'\w+'|\/\*.*?\*\/|export \{.*?\}/gs, '');
    const named = [...text.matchAll(/[.{,]\s*(\w+)/g)].map(([, name]) => name);
    assert.ok(named.includes('Float64Array') && named.includes('floor'));
    assert.deepEqual(named.filter((name) => SHORTENED.includes(name)), []);
});

test('a name without its quotes, and a string without its mark, is found', () => {
    const names = propertyNames((source) =>
        source.replaceAll("area['select']()", 'area.select()').replaceAll(`/* @__KEY__ */ 'query'`, "'query'"),
    );
    assert.match(names.get('select')?.known.join() ?? '', /^src\/dom\/copy.js:\d+ of the browser$/);
    assert.match(names.get('query')?.known.join() ?? '', /src\/view\/address.js:\d+ without a mark/);
    assert.deepEqual(names.get('zoom')?.known, []);
});

test('elements in fewer words are the same elements', () => {
    const made = [
        ["el('p', {}, text)", "el('p', 0, text)"],
        ["el('p', { class: 'a b' }, text)", "el('p.a.b', 0, text)"],
        ["el('p', { class: 'a', title: el('i', { role: 'x' }) })", "el('p.a', { t: el('i', { o: 'x' }) })"],
        ["el('p', { id, class: 'a' })", "el('p.a', { id })"],
        ["el('p', { onclick, 'aria-label': title, title })", "el('p', { c: onclick, l: title, t: title })"],
        ["el('p', { class: `a ${b}`, ...more })", "el('p', { class: `a ${b}`, ...more })"],
        ["el(tag, { class: 'a' })", "el(tag, { class: 'a' })"],
        ["svg('g', { class: 'a', hidden: true })", "svg('g', { class: 'a', h: true })"],
        ["other('p', { title: 1 })", "other('p', { title: 1 })"],
    ];
    for (const [long, short] of made) assert.equal(shortened(long), short);
});

test('functions become arrows, where they are hoisted to; but for those that cannot be', () => {
    const mark = /try\{part\}catch\{\}/;
    const packed = (/** @type {string} */ text) => withArrows(`(()=>{${text}})()`, mark).slice(6, -4);
    assert.equal(packed('g();function f(a,b=1){return a}'), 'var f=(a,b=1)=>{return a};g();');
    assert.equal(packed('async function f(){await 1}'), 'var f=async()=>{await 1};');
    assert.equal(packed('h(()=>{g();function g(){function i(){}}})'), 'h(()=>{let g=()=>{let i=()=>{};};g();})');
    const bound = ['function f(){return this}', 'function f(){return arguments}'];
    const kept = ['function*f(){}', 'function f(){}new f;', ...bound];
    for (const text of kept) assert.equal(packed(text), text);
    assert.equal(
        packed('function f(){}try{part}catch{}g();function g(){}'),
        'var f=()=>{};try{part}catch{}var g=()=>{};g();',
    );
    const loop = withArrows('(()=>{for(let i of [1,2]){out.push(f);function f(){return i}}})()', mark);
    assert.deepEqual(runInNewContext(`const out=[];${loop};out.map((f)=>f()).join()`), '1,2');
});

test('only comparisons with a text or a number are shorter', () => {
    const packed = withComparisons('a==="b";1!==a;a===-1;a===b;a===null;typeof a!=="b"&&f("c"===a)');
    assert.equal(packed, 'a=="b";1!=a;a==-1;a===b;a===null;typeof a!="b"&&f("c"==a)');
});

test('what is compared with a text or a number is of that type, by the types of the sources', () => {
    assert.deepEqual(mixedComparisons(), []);
    const spoilt = mixedComparisons((source) =>
        source.includes('export const isDark =')
            ? `${source}\nexport const isOne = (/** @type {number | string} */ a) => a === 1;`
            : source,
    );
    assert.equal(spoilt.length, 1);
    assert.match(spoilt[0], /^src\/dom\/theme\.js:\d+ string \| number$/);
});

test('what a function names first and then returns are parameters, where nobody can give more than it takes', () => {
    const made = [
        ['let f=a=>{let b=a+1;return b*b};f(1)', 'let f=(a,b=a+1)=>b*b;f(1)'],
        ['let f=()=>{let{c:b}=d,e=b;return{e}};f()', 'let f=({c:b}=d,e=b)=>({e});f()'],
        ['let f=(a)=>{let b=a;return g(b),b};f(1)', 'let f=(a,b=a)=>(g(b),b);f(1)'],
        ['h((a=>{let b=a;return b})(1))', 'h(((a,b=a)=>b)(1))'],
        ['let f=a=>{let b=a;return b};{let f=g;h(f)}f(1)', 'let f=(a,b=a)=>b;{let f=g;h(f)}f(1)'],
    ];
    for (const [long, short] of made) assert.equal(withDefaults(long), short);
    const kept = [
        'let f=a=>{let b=a;return b};f(1,2)',
        'let f=a=>{let b=a;return b};f(...c)',
        'let f=a=>{let b=a;return b};h(f)',
        'let f=a=>{let b=a;return b};f=g;f(1)',
        'let f=(...a)=>{let b=a;return b};f(1)',
        'let f=async a=>{let b=await a;return b};f(1)',
        'let f=a=>{let b;return b};f(1)',
        'h(a=>{let b=a;return b})',
    ];
    for (const text of kept) assert.equal(withDefaults(text), text);
});

test('words with a name of their own keep what they mean', () => {
    const mark = /@part:(\w+);/;
    const script =
        '(()=>{let a={textContent:1,n:{}};' +
        'a.textContent;a?.textContent;a.n.textContent;(a).textContent;a\n.textContent;`textContent ${a.textContent}`;' +
        "'nodes.textContent'.length;switch(a){case'a word of it':case'another':}" +
        "return typeof a=='a word of it'?'a word of it':'a word of it'in a})()";
    const named = withNames(script, mark);
    assert.match(named, /^\(\(\)=>\{var \$0="textContent",\$1="a word of it";let a=\{\[\$0\]:1,/);
    assert.match(named, /a\[\$0\];a\?\.\[\$0\];a\.n\[\$0\];\(a\)\[\$0\];a\n\[\$0\];`textContent \$\{a\[\$0\]\}`;/);
    assert.match(named, /'nodes\.textContent'\.length;switch\(a\)\{case \$1:case'another':\}/);
    assert.match(named, /\?\$1:\$1 in a\}\)\(\)$/);
});

test('null is named where it is often', () => {
    const script = `(()=>{f('null');f(${'null,'.repeat(12)}a.null)})()`;
    assert.equal(withNames(script, /@/), `(()=>{var $0=null;f('null');f(${'$0,'.repeat(12)}a.null)})()`);
});

test('a word of one part is named in that part', () => {
    const mark = /try\{part\}catch\{\}/;
    const one = 'f("first words");f("first words");';
    const [first, second] = withNames(`(()=>{f();try{part}catch{}${one}})()`, mark).split(mark);
    assert.equal(first, '(()=>{f();');
    assert.equal(second, 'var $0="first words";f($0);f($0);})()');
});
