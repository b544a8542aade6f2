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
import { withLocals } from '../../../assets/locals.mjs';
import { withNames } from '../../../assets/names.mjs';
import { listOf, nested } from '../../../assets/nested.mjs';
import { PARTS, setsOfCards, textOf } from '../../../assets/pieces.mjs';
import { shortened } from '../../../assets/short_elements.mjs';
import { SHORTENED } from '../../../assets/shortened.mjs';

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

/** What cards with each set of parts carry, by set, from the pieces as C has them. */
function textsOfSets(source, name) {
    const pieces = builtPieces(source, name);
    return new Map(setsOfCards().map((set) => [set, textOf(pieces, set)]));
}

const ALL = (1 << PARTS.length) - 1;
const bit = (part) => 1 << PARTS.indexOf(part);

test('the same bytes as of the build, and what C embeds is what was built', () => {
    const source = built('assets.c');
    for (const file of ['assets.c', 'assets.h']) {
        assert.ok(readFileSync(join(root, 'build/assets', file), 'latin1') === built(file), `${file}: make assets?`);
    }
    for (const [name, file] of [
        ['script', 'card.js'],
        ['style', 'card.css'],
    ]) {
        const bytes = arrayIn(source, `pr_asset_${name}`);
        assert.equal(bytes.toString('latin1'), built(file));
        const all = builtPieces(source, name).map(({ text }) => text);
        assert.equal(all.join(''), built(file), 'with every part');
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
    new Set(textsOfSets(source, 'script').values()).forEach((text) => new Script(text));
    const pieces = builtPieces(source, 'script');
    const large = 'Reading all frames';
    assert.ok(!textOf(pieces, ALL).includes(large));
    const withLarge = pieces.filter(({ part }) => !part || part === 'profile' || part === 'large');
    new Script(withLarge.map(({ text }) => text).join(''));
    assert.ok(withLarge.at(-2).text.includes(large));
    for (const [part, words] of [
        ['profile', 'Find a thread'],
        ['time', 'Fewer lanes'],
        ['comparison', 'What changed'],
        ['order', 'stretches.'],
        ['heat', 'to select a part of the run'],
    ]) {
        assert.ok(textOf(pieces, ALL).includes(words), words);
        assert.ok(!textOf(pieces, ALL & ~bit(part)).includes(words), words);
    }
});

test('a card has no part without what that part needs', () => {
    const sets = setsOfCards();
    assert.ok(sets.includes(0) && sets.includes(ALL));
    assert.ok(sets.length < 1 << (PARTS.length - 1), `${sets.length} sets`);
    for (const set of sets) {
        if (set & (bit('tree') | bit('comparison') | bit('source') | bit('order') | bit('heat')))
            assert.ok(set & bit('profile'));
        if (set & (bit('phases') | bit('resident'))) assert.ok(set & bit('time'));
    }
});

test('script and style stay small', () => {
    const source = built('assets.c');
    const pieces = ['script', 'style'].flatMap((name) => builtPieces(source, name));
    for (const set of setsOfCards()) {
        // A page of very many nodes has one more, whatever else it has.
        const has = pieces.filter(({ part }) => !part || (set && part === 'large') || set & bit(part));
        const all = has.reduce((sum, { text }) => sum + text.length, 0);
        assert.ok(all <= (set ? 200_000 : 82_500), `${all} bytes of set ${set}`);
    }
});

/** A selector inside another, as the browser reads it. */
const inside = (one, parent) => (one[0] === '&' ? parent + one.slice(1) : parent + (one[0] === '>' ? '' : ' ') + one);

/** Nested rules written out. */
function writtenOut(css, parent = '') {
    let [own, rules] = ['', ''];
    for (let rest = css; rest; ) {
        const [head] = /^[^;{]*/.exec(rest);
        let to = head.length + 1;
        const from = to;
        let depth = rest[head.length] === '{' ? 1 : 0;
        for (; depth > 0; to++) depth += { '{': 1, '}': -1 }[rest[to]] ?? 0;
        const list = parent ? listOf(head).map((one) => inside(one, parent)).join() : head;
        if (to === from) own += `${head};`;
        else if (/^@(media|container)/.test(head)) rules += `${head}{${writtenOut(rest.slice(from, to - 1))}}`;
        else if (head.startsWith('@')) rules += rest.slice(0, to);
        else rules += writtenOut(rest.slice(from, to - 1), list);
        rest = rest.slice(to);
    }
    return (own && `${parent}{${own.slice(0, -1)}}`) + rules;
}

test('rules that begin alike are nested, and say the same', () => {
    for (const [css, expected] of [
        ['.a{x:1}.a b{y:2}.a:hover,.a>i{z:3}', '.a{x:1;& b{y:2}&:hover,>i{z:3}}'],
        ['.menu .pop{x:1}.menu .pop .k{y:2}.menu p{z:3}', '.menu{.pop{x:1;.k{y:2}}& p{z:3}}'],
        ['@media print{.list .r{x:1}.list td{y:2}}', '@media print{.list{.r{x:1}& td{y:2}}}'],
        // Of these none can be in another, or it saves nothing.
        ...['.a{x:1}.ab{y:2}', '.a{x:1}.b .a{y:2}', '.abc{x:1}.d{y:2}.abc p{z:3}', '.a:before{x:1}.a:before b{y:2}',
            ':host(.a){x:1}:host(.a) b{y:2}', '.abc p,.d{x:1}.abc i{y:2}'].map((css) => [css, css]),
    ]) {
        assert.equal(nested(css), expected);
        assert.equal(writtenOut(expected), css);
    }
    const style = built('card.css');
    assert.ok(style.includes('& '), 'the style of the card is nested');
    const flat = writtenOut(style.replaceAll('\n', ''));
    assert.doesNotMatch(flat, /&/);
    assert.equal(writtenOut(nested(flat)), flat);
});

/** The declarations of the one block that begins with a rule. */
function declarations(css, rule) {
    const [, block, ...more] = css.split(rule);
    assert.ok(block && more.length === 0, `one ${rule}`);
    return block.slice(0, block.indexOf('}')).split(';').sort();
}

test('a card has the dark theme once, for every screen where the program made it dark', () => {
    const source = built('assets.c');
    const styles = textsOfSets(source, 'style');
    styles.forEach((css, set) => {
        assert.equal(css.split('color-scheme:dark').length - 1, 2);
        const [, screens] = /@media screen and \(prefers-color-scheme:dark\)(.*?)\{:root:not\(/.exec(css);
        assert.equal(screens, set & bit('dark') ? ',screen' : '');
    });
});

test('a token that the script reads has the same short name in the style', () => {
    const [css, script] = [built('card.css'), built('card.js')];
    const source = readFileSync(join(root, 'assets/src/dom/colour.js'), 'utf8');
    const read = new Set(source.match(/'--[\w-]+'/g));
    const known = new Set(script.match(/(?<=")--[\w-]+(?=")/g).filter((name) => css.includes(`${name}:`)));
    assert.equal(known.size, read.size, `${[...known]}`);
    for (const name of known) assert.ok(name.length < 5, name);
    assert.doesNotMatch(css, /--(border-strong|t-small|accent-soft|series-fill)\b/);
});

test('the dark theme is the same whether a person or the system chose it', () => {
    for (const file of ['card.css', 'index.css']) {
        const css = built(file);
        const chosen = declarations(css, '@media screen{:root[data-theme=dark],:host([data-theme="dark"]){');
        const bySystem = declarations(
            css,
            `@media screen and (prefers-color-scheme:dark)${file === 'card.css' ? ',screen and (file)' : ''}{` +
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

test('what the page takes from the browser keeps its name', () => {
    const text = readFileSync(join(root, 'assets/globals.mjs'), 'utf8')
        .replace(/'\w+'|\/\*.*?\*\/|export \{.*?\}/gs, '');
    const named = [...text.matchAll(/[.{,]\s*(\w+)/g)].map(([, name]) => name);
    assert.ok(named.includes('Float64Array') && named.includes('floor'));
    assert.deepEqual(named.filter((name) => SHORTENED.includes(name)), []);
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

test('what a function names first are parameters, where nobody can give more than it takes', () => {
    const made = [
        ['let f=a=>{let b=a+1;return b*b};f(1)', 'let f=(a,b=a+1)=>b*b;f(1)'],
        ['let f=()=>{let{c:b}=d,e=b;return{e}};f()', 'let f=({c:b}=d,e=b)=>({e});f()'],
        ['let f=(a)=>{let b=a;return g(b),b};f(1)', 'let f=(a,b=a)=>(g(b),b);f(1)'],
        ['h((a=>{let b=a;return b})(1))', 'h(((a,b=a)=>b)(1))'],
        ['let f=a=>{let b=a;return b};{let f=g;h(f)}f(1)', 'let f=(a,b=a)=>b;{let f=g;h(f)}f(1)'],
        ['let f=a=>{let b=a;for(;b;)b=g(b)};f(1)', 'let f=(a,b=a)=>{for(;b;)b=g(b)};f(1)'],
        ['let f=()=>{let a=1;if(a)return;let b=a;h(b)};f()', 'let f=(a=1)=>{if(a)return;let b=a;h(b)};f()'],
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
        'let f=a=>{let b=()=>c;let c=a;return b()};f(1)',
        'let f=function*(a){let b=a;yield b};f(1)',
    ];
    for (const text of kept) assert.equal(withDefaults(text), text);
});

test('what a function names later is a parameter that nobody gives', () => {
    const made = [
        ['let f=a=>{g(a);let b=a+1;return b*b};f(1)', 'let f=(a,b)=>{g(a);b=a+1;return b*b};f(1)'],
        ['(()=>{g();let a=1,b=2;a&&h(b)})()', '((a,b)=>{g();a=1,b=2;a&&h(b)})()'],
        ['let f=(a,c)=>{for(;a;)g();let b=a;h(b)};f(1)', 'let f=(a,c,b)=>{for(;a;)g();b=a;h(b)};f(1)'],
    ];
    for (const [long, short] of made) assert.equal(withLocals(long), short);
    const kept = [
        'let f=a=>{g(a);let b=a;return b};f(1,2)',
        'let f=a=>{g(a);let b=a;return b};h(f)',
        'let f=a=>{g(a);let{b}=a;return b};f(1)',
        'let f=a=>{g(a);let b;return b};f(1)',
        'let f=a=>{for(;a;)g();let b=1,c=2;return b+c};f(1)',
        'let b=3;let f=(a=()=>b)=>{g(a);let b=1;return b};f()',
        'let f=a=>{for(;a;){g();let b=a;h(()=>b)}};f(1)',
        'let f=async a=>{g(a);let b=a;return b};f(1)',
    ];
    for (const text of kept) assert.equal(withLocals(text), text);
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

test('null and void 0 are named where they are often', () => {
    const script = `(()=>{f('null');f(${'null,'.repeat(12)}a.null)})()`;
    assert.equal(withNames(script, /@/), `(()=>{var $0=null;f('null');f(${'$0,'.repeat(12)}a.null)})()`);
    const without = `(()=>{f(${'void 0,'.repeat(8)}void 1);return void 0})()`;
    assert.equal(withNames(without, /@/), `(()=>{var $0=void 0;f(${'$0,'.repeat(8)}void 1);return $0})()`);
});

test('a word of one part is named in that part', () => {
    const mark = /try\{part\}catch\{\}/;
    const one = 'f("first words");f("first words");';
    const [first, second] = withNames(`(()=>{f();try{part}catch{}${one}})()`, mark).split(mark);
    assert.equal(first, '(()=>{f();');
    assert.equal(second, 'var $0="first words";f($0);f($0);})()');
});
