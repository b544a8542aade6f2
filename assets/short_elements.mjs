// SPDX-License-Identifier: Apache-2.0
/*
 * Elements in fewer words, over two kilobytes less in each card: el('p', { class: 'muted', title: text }) is
 * el('p.muted', { t: text }), and without attributes none are given. Functions of the language are named once.
 */
import { readFileSync } from 'node:fs';
import { parse } from 'acorn';
import { ATTRIBUTES } from './src/dom/elements.js';

const SOURCE = /[/\\]assets[/\\]src[/\\].*\.js$/;
const LETTERS = new Map(Object.entries(ATTRIBUTES).map(([letter, name]) => [name, letter]));

/* What globals.mjs has a function for: OBJECT_NAME is OBJECT.NAME, and OBJECT_new is what makes one. */
const FUNCTIONS = Object.keys(await import('./globals.mjs')).filter((name) => /_(?!new)/.test(name));
const MADE = /\bnew (Float64Array|Uint32Array|Uint8Array)\(/g;
const CALLED = new RegExp(`\\b(?:${FUNCTIONS.map((name) => name.replace('_', '\\.')).join('|')})\\b`, 'g');

/** @typedef {{from: number, to: number, by: string}} Edit */

/** @param {any} node @returns {Generator<any>} calls that make an element, with their attributes written out */
function* madeIn(node) {
    const [tag, attributes] = node.arguments ?? [];
    const isMade = node.callee?.name === 'el' || node.callee?.name === 'svg';
    if (isMade && attributes?.type === 'ObjectExpression') yield { node, tag, attributes };
    for (const inner of Object.values(node))
        if (inner && typeof inner === 'object') yield* madeIn(inner);
}

/** A class that is always the same, where the tag is too. @param {any} made @returns {any} */
function classOf({ node, tag, attributes: { properties } }) {
    if (node.callee.name !== 'el' || typeof tag.value !== 'string') return undefined;
    return properties.find(
        (/** @type {any} */ { key, value }) => key?.name === 'class' && /^[\w -]+$/.test(value.value ?? ''),
    );
}

/**
 * Without one of its attributes, the class that is in the tag now; none at all are 0.
 * @param {any} made
 * @param {any} named
 * @returns {Edit[]}
 */
function attributesLeft({ attributes: { start, end, properties } }, named) {
    if (properties.every((/** @type {any} */ one) => one === named)) return [{ from: start, to: end, by: '0' }];
    if (!named) return [];
    const at = properties.indexOf(named);
    const next = properties[at + 1];
    if (next) return [{ from: named.start, to: next.start, by: '' }];
    return [{ from: properties[at - 1].end, to: named.end, by: '' }];
}

/** @param {any} property @returns {Edit[]} */
function lettered({ key, shorthand, start, end }) {
    const letter = key && LETTERS.get(key.name ?? key.value);
    if (!letter) return [];
    if (shorthand) return [{ from: start, to: end, by: `${letter}: ${key.name}` }];
    return [{ from: start, to: key.end, by: letter }];
}

/** @param {string} text @returns {string} */
export function shortened(text) {
    const edits = /** @type {Edit[]} */ ([]);
    for (const made of madeIn(parse(text, { ecmaVersion: 2022, sourceType: 'module' }))) {
        const { tag, attributes } = made;
        const named = classOf(made);
        const classes = named?.value.value.split(' ') ?? [];
        if (named) edits.push({ from: tag.start, to: tag.end, by: `'${[tag.value, ...classes].join('.')}'` });
        edits.push(...attributesLeft(made, named), ...attributes.properties.flatMap(lettered));
    }
    edits.sort((one, other) => other.from - one.from || other.to - one.to);
    return edits.reduce((all, { from, to, by }) => all.slice(0, from) + by + all.slice(to), text);
}

export const shortElements = {
    name: 'short elements',
    setup: (/** @type {import('esbuild').PluginBuild} */ { onLoad }) =>
        onLoad({ filter: SOURCE }, ({ path }) => ({
            contents: shortened(readFileSync(path, 'utf8'))
                .replace(CALLED, (name) => name.replace('.', '_'))
                .replace(MADE, '$1_new('),
        })),
};
