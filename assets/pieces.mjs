// SPDX-License-Identifier: Apache-2.0
/*
 * Script and style of the card in pieces, of which each card carries those that it needs: a capture without times has
 * no lanes, one that ended well needs nothing of differences. A card has them in one element, in the order below, so
 * the pieces of a script share their short names, and the last rule of a style is the last on every card.
 */
import { readFileSync } from 'node:fs';
import { build, transform } from 'esbuild';
import { minify } from 'terser';
import { withArrows } from './arrows.mjs';
import { withComparisons } from './comparisons.mjs';
import { withDefaults } from './defaults.mjs';
import { darkThemes } from './inline.mjs';
import { withLocals } from './locals.mjs';
import { withNames } from './names.mjs';
import { nested } from './nested.mjs';

/* What a card may carry; a set of parts is a number with a bit for each. */
export const PARTS = ['profile', 'tree', 'time', 'comparison', 'source', 'phases', 'resident', 'order',
    'heat', 'failure', 'notes', 'dark'];

/* What a part is never there without: see pr_parts_of() in render/page/parts.c. */
const NEEDS = { tree: 'profile', comparison: 'profile', source: 'profile', phases: 'time', resident: 'time',
    order: 'profile', heat: 'profile' };

/** Every set of parts that a card may carry, as a number. */
export function setsOfCards() {
    const has = (set, part) => set & (1 << PARTS.indexOf(part));
    const isOne = (set) => Object.entries(NEEDS).every(([part, needed]) => !has(set, part) || has(set, needed));
    return Array.from({ length: 1 << PARTS.length }, (_, set) => set).filter(isOne);
}

/* Besides: `large` is of pages of very many nodes, `file` only of a file next to a page. */

/* Those that are style only. */
const STYLE_PARTS = ['failure', 'notes', 'dark'];

/* Stylesheets that only some cards need. The others are in every card. */
const STYLES = {
    'failure.css': 'failure',
    'difference.css': 'comparison',
    'timeline.css': 'time',
    'phases.css': 'phases',
    'resident.css': 'resident',
    'heat.css': 'heat',
    'toolbar.css': 'profile',
    'graph.css': 'profile',
    'side.css': 'profile',
    'sheet.css': 'profile',
    'table.css': 'profile',
    'tree.css': 'tree',
    'code.css': 'source',
    'static.css': 'profile',
    'notes.css': 'notes',
};

/* Tokens whose names the script makes of a letter or a number: see dom/colour.js. They keep them. */
const MADE = /^([mlsnk]-\d|o-.|hue-.)$/;

/* The others that it reads, in quotes, so that they are renamed in both. */
const READ = readFileSync(new URL('src/dom/colour.js', import.meta.url), 'utf8').match(/(?<='--)[\w-]+(?=')/g) ?? [];

const MARK = /try\{globalThis\["@part:(\w+)"\]\}catch(?:\(\w+\))?\{\}/;

/**
 * Modules that stand between the pieces; what they do is only written, never run. No statement is joined with a try, so
 * each piece begins and ends with whole ones.
 */
const marks = {
    name: 'marks',
    setup({ onResolve, onLoad }) {
        onResolve({ filter: /^@part:/ }, ({ path }) => ({ path, namespace: 'mark', sideEffects: true }));
        onLoad({ filter: /./, namespace: 'mark' }, ({ path }) => ({
            contents: `try { globalThis[${JSON.stringify(path)}]; } catch {}`,
        }));
    },
};

/** @type {import('terser').MinifyOptions} */
const SMALLER = {
    ecma: 2020,
    // unsafe: names of the language mean here what they mean in the language.
    compress: { passes: 5, unsafe: true, unsafe_arrows: true, keep_fargs: false },
    format: { ascii_only: true },
};

/**
 * What esbuild leaves is over a tenth of a script: functions are arrows, words are named, what is called once is put
 * there.
 * @param {string} script
 */
export async function smaller(script) {
    let code = withNames(withArrows(withComparisons(script), MARK), MARK);
    const pack = async () => (code = (await minify(code, SMALLER)).code ?? '');
    await pack();
    await pack();
    code = withLocals(code);
    await pack();
    return withDefaults(code);
}

/** All modules that a module brings along, with it. */
function reach(inputs, from) {
    const found = new Set();
    const visit = (path) => {
        if (found.has(path) || !inputs[path]) return;
        found.add(path);
        inputs[path].imports.forEach((next) => visit(next.path));
    };
    visit(from);
    return found;
}

/**
 * The script. What two parts need is in every card, so that no part needs another one.
 * @param {import('esbuild').BuildOptions} options
 * @param {Map<string, string>} tokens  short names of the style's
 * @returns {Promise<{part: string, text: string}[]>}  part: '' = of every card
 */
export async function scriptPieces(options, tokens) {
    const main = 'assets/src/main.js';
    const parts = [...PARTS.filter((part) => !STYLE_PARTS.includes(part)), 'large'];
    const files = parts.map((part) => `assets/src/parts/${part}.js`);
    const whole = (names, last = '') => ({
        contents: names.map((name) => `import '${name.startsWith('@') ? name : `./${name}`}';\n`).join('') + last,
        resolveDir: options.absWorkingDir,
    });
    const all = await build({ ...options, stdin: whole([main, ...files]), metafile: true });
    const { inputs } = all.metafile;
    const own = files.map((file) => reach(inputs, file));
    const shared = Object.keys(inputs).filter((path) => own.filter((set) => set.has(path)).length > 1);
    const order = [main, ...shared, ...parts.flatMap((part, i) => [`@part:${part}`, files[i]]), '@part:every'];
    const start = `import { start } from './${main}';\nstart();\n`;
    const plugins = [...(options.plugins ?? []), marks];
    const result = await build({ ...options, stdin: whole(order, start), plugins });
    const renamed = result.outputFiles[0].text.replace(/"--([\w-]+)"/g, (whole, name) =>
        tokens.has(name) ? JSON.stringify(tokens.get(name)) : whole,
    );
    const [first, ...rest] = (await smaller(renamed)).split(MARK);
    const pieces = [{ part: '', text: first }];
    for (let i = 0; i < rest.length; i += 2)
        pieces.push({ part: rest[i] === 'every' ? '' : rest[i], text: rest[i + 1] });
    if (pieces.length !== parts.length + 2) throw new Error(`${pieces.length} pieces of ${main}`);
    return pieces;
}

/**
 * The style: a piece for each file that its main file imports. The dark theme is there once, for a dark system: the
 * script puts it on for whoever chooses it, and where the program made a card dark it is for every screen. A file next
 * to a page, with the pieces of every part, has it a second time, as no script can change its rules from a disk; for
 * every screen it then asks for what no screen has.
 * @param {string} main
 * @param {(file: string) => Promise<string>} bundle
 * @param {import('esbuild').TransformOptions} options
 * @returns {Promise<{pieces: {part: string, text: string}[], tokens: Map<string, string>}>}  tokens: their short names
 */
export async function stylePieces(main, bundle, options) {
    const names = [...readFileSync(main, 'utf8').matchAll(/^@import "(.*)";$/gm)].map(([, name]) => name);
    const pieces = [];
    for (const name of names) {
        const file = main.replace(/[^/]*$/, name);
        if (name !== 'dark.css') {
            pieces.push({ part: STYLES[name] ?? '', text: await bundle(file) });
            continue;
        }
        const { bySystem, chosen } = darkThemes(file);
        const [once, again] = await Promise.all(
            [bySystem, chosen].map(async (css) => (await transform(css, { ...options, loader: 'css' })).code),
        );
        const end = once.indexOf('{');
        pieces.push(
            { part: '', text: once.slice(0, end) },
            { part: 'dark', text: ',screen' },
            { part: 'file', text: ' and (file)' },
            { part: '', text: once.slice(end) },
            { part: 'file', text: again },
        );
    }
    // The rules of the dark theme are in two pieces.
    const isWhole = (/** @type {string} */ text) => text.split('{').length === text.split('}').length;
    const { shortened, short: tokens } = shortNames(pieces);
    const short = shortValues(shortened);
    return { pieces: short.map(({ part, text }) => ({ part, text: isWhole(text) ? nested(text) : text })), tokens };
}

/* What naming a value takes, and each use of it. */
const [NAMING, USING] = [5, 8];

/**
 * Values that rules have many times are tokens too: nearly a kilobyte less in each card. None is of a token that only
 * some elements have, which would be another one there. Capital letters name them, which no other token has.
 * @param {{part: string, text: string}[]} pieces  that of tokens.css is the first
 */
function shortValues([tokens, ...pieces]) {
    const uses = /** @type {Map<string, number>} */ (new Map());
    for (const { text } of pieces)
        for (const [, value] of text.matchAll(/[{;][a-z-]+:([^;{}!]+)(?=[;}])/g))
            uses.set(value, (uses.get(value) ?? 0) + 1);
    const isKnown = (/** @type {string} */ value) =>
        [...value.matchAll(/--[\w-]+/g)].every(([name]) => tokens.text.includes(`${name}:`));
    const saved = ([value, count]) => count * (value.length - USING) - value.length - NAMING;
    const often = [...uses].filter((one) => saved(one) > 8 && isKnown(one[0])).map(([value]) => value);
    const named = new Map(often.map((value, i) => [value, `--${String.fromCharCode(65 + i)}`]));
    if (often.length > 26) throw new Error(`${often.length} values`);
    const shortened = pieces.map(({ part, text }) => ({
        part,
        text: text.replace(/([{;](?!container|content)[a-z-]+:)([^;{}!]+)(?=[;}])/g, (whole, property, value) =>
            named.has(value) ? `${property}var(${named.get(value)})` : whole,
        ),
    }));
    const added = [...named].map(([value, name]) => `${name}:${value}`).join(';');
    return [{ ...tokens, text: tokens.text.replace(/;?}/, `;${added}}`) }, ...shortened];
}

/**
 * Short names for the tokens, as variables have them: for those that tokens.css defines. The script reads some, to
 * colour its canvases, and gets the same names. Those that only other pages use are left out.
 * @param {{part: string, text: string}[]} pieces  that of tokens.css is the first
 */
function shortNames(pieces) {
    const uses = new Map();
    for (const [, name] of pieces[0].text.matchAll(/--([\w-]+):/g)) uses.set(name, 0);
    for (const { text } of pieces)
        for (const [, name] of text.matchAll(/--([\w-]+)/g)) if (uses.has(name)) uses.set(name, uses.get(name) + 1);
    for (const name of uses.keys()) if (MADE.test(name)) uses.delete(name);
    const order = [...uses.keys()].sort((a, b) => uses.get(b) - uses.get(a) || (a < b ? -1 : 1));
    const all = pieces.map(({ text }) => text).join('');
    const short = new Map(order.map((name, i) => [name, `--${i.toString(36)}`]));
    const idle = order.filter((name) => !READ.includes(name) && !all.includes(`var(--${name}`));
    const unused = new RegExp(`--(?:${idle.join('|')}):[^;}]*;?`, 'g');
    const shortened = pieces.map(({ part, text }) => ({
        part,
        text: text
            .replace(unused, '')
            .replace(/--([\w-]+)/g, (whole, name) => short.get(name) ?? whole)
            .replace(/(--[\w-]+): /g, '$1:')
            .replace(/, (?=[\w"-])/g, ',')
            .replace(/@container \((max-width): /g, '@container($1:')
            .replace(/([\w)]) \/ ([\w-])/g, '$1/$2'),
    }));
    return { shortened, short };
}

/** The text of a set of parts. @param {{part: string, text: string}[]} pieces @param {number} set */
export const textOf = (pieces, set) =>
    pieces
        .filter(({ part }) => !part || set & (1 << PARTS.indexOf(part)))
        .map(({ text }) => text)
        .join('');
