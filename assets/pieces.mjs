// SPDX-License-Identifier: Apache-2.0
/*
 * Script and style of the card in pieces, of which each card carries those that it needs: a capture without times has
 * no lanes, one that ended well needs nothing of differences. A card has them in one element, in the order below, so
 * the pieces of a script share their short names, and the last rule of a style is the last on every card.
 */
import { readFileSync } from 'node:fs';
import { build } from 'esbuild';

/* What a card may carry; a set of parts is a number with a bit for each. */
export const PARTS = ['profile', 'time', 'comparison', 'source'];

/* Stylesheets that only some cards need. The others are in every card. */
const STYLES = {
    'difference.css': 'comparison',
    'timeline.css': 'time',
    'toolbar.css': 'profile',
    'graph.css': 'profile',
    'side.css': 'profile',
    'table.css': 'profile',
    'code.css': 'source',
    'static.css': 'profile',
};

const MARK = /globalThis\["@part:(\w+)"\][,;]/;

/** Modules that stand between the pieces; what they do is only written, never run. */
const marks = {
    name: 'marks',
    setup({ onResolve, onLoad }) {
        onResolve({ filter: /^@part:/ }, ({ path }) => ({ path, namespace: 'mark', sideEffects: true }));
        onLoad({ filter: /./, namespace: 'mark' }, ({ path }) => ({
            contents: `globalThis[${JSON.stringify(path)}];`,
        }));
    },
};

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
 * @returns {Promise<{part: string, text: string}[]>}  part: '' = of every card
 */
export async function scriptPieces(options) {
    const main = 'assets/src/main.js';
    const files = PARTS.map((part) => `assets/src/parts/${part}.js`);
    const whole = (names, last = '') => ({
        contents: names.map((name) => `import '${name.startsWith('@') ? name : `./${name}`}';\n`).join('') + last,
        resolveDir: options.absWorkingDir,
    });
    const all = await build({ ...options, stdin: whole([main, ...files]), metafile: true });
    const { inputs } = all.metafile;
    const own = files.map((file) => reach(inputs, file));
    const shared = Object.keys(inputs).filter((path) => own.filter((set) => set.has(path)).length > 1);
    const order = [main, ...shared, ...PARTS.flatMap((part, i) => [`@part:${part}`, files[i]]), '@part:every'];
    const start = `import { start } from './${main}';\nstart();\n`;
    const plugins = [...(options.plugins ?? []), marks];
    const result = await build({ ...options, stdin: whole(order, start), plugins });
    const [first, ...rest] = result.outputFiles[0].text.split(MARK);
    const pieces = [{ part: '', text: first }];
    for (let i = 0; i < rest.length; i += 2)
        pieces.push({ part: rest[i] === 'every' ? '' : rest[i], text: rest[i + 1] });
    if (pieces.length !== PARTS.length + 2) throw new Error(`${pieces.length} pieces of ${main}`);
    return pieces;
}

/**
 * The style: a piece for each file that its main file imports.
 * @param {string} main
 * @param {(file: string) => Promise<string>} bundle
 */
export async function stylePieces(main, bundle) {
    const names = [...readFileSync(main, 'utf8').matchAll(/^@import "(.*)";$/gm)].map(([, name]) => name);
    const pieces = [];
    for (const name of names)
        pieces.push({ part: STYLES[name] ?? '', text: await bundle(main.replace(/[^/]*$/, name)) });
    return pieces;
}

/** The text of a set of parts. @param {{part: string, text: string}[]} pieces @param {number} set */
export const textOf = (pieces, set) =>
    pieces
        .filter(({ part }) => !part || set & (1 << PARTS.indexOf(part)))
        .map(({ text }) => text)
        .join('');
