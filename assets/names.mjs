// SPDX-License-Identifier: Apache-2.0
/*
 * Words that a packed script has many times are written once: $0.textContent becomes $0[$1], { textContent: $0 }
 * becomes { [$1]: $0 }, and 'span' $2; so are null and void 0. Over ten kilobytes less in each card. A word that only
 * one part of the script has is named in that part.
 */
import { parse } from 'acorn';

/** What a use and a name take in the packed script, on average. */
const [SHORT, NAMING] = [2.4, 6];
/** Words that save less stay. */
const LEAST = 3;

/**
 * @typedef {object} Use
 * @property {string} text
 * @property {'property' | 'key' | 'string' | 'value'} kind  value: null or void 0
 * @property {number} from
 * @property {number} to
 * @property {number} piece
 */

/**
 * Places of properties, keys of objects, strings, null and void 0.
 * @param {any} node
 * @returns {Generator<Omit<Use, 'piece'>>}
 */
function* usesIn(node) {
    if (node.type === 'MemberExpression' && !node.computed)
        yield { text: node.property.name, kind: 'property', from: node.object.end, to: node.end };
    if (node.type === 'Literal' && typeof node.value === 'string')
        yield { text: node.value, kind: 'string', from: node.start, to: node.end };
    if (node.type === 'Literal' && node.raw === 'null')
        yield { text: 'null', kind: 'value', from: node.start, to: node.end };
    if (node.type === 'UnaryExpression' && node.operator === 'void' && node.argument.raw === '0')
        yield { text: 'void 0', kind: 'value', from: node.start, to: node.end };
    const isKeyed = node.type === 'Property' && !node.computed;
    if (isKeyed && !node.shorthand && node.kind === 'init' && node.key.type === 'Identifier')
        yield { text: node.key.name, kind: 'key', from: node.key.start, to: node.key.end };
    for (const [field, inner] of Object.entries(node)) {
        const isKey = field === 'key' && !node.computed;
        if (inner && typeof inner === 'object' && !isKey) yield* usesIn(inner);
    }
}

/** What naming the word of some uses saves. @param {Use[]} uses */
function saved(uses) {
    const { length } = uses[0].text;
    const around = { property: -1, key: -2, string: 2, value: 0 };
    const each = uses.map(({ kind }) => length + around[kind] - SHORT);
    return each.reduce((sum, bytes) => sum + bytes, 0) - length - NAMING;
}

/**
 * @param {string} script  of one function that calls itself, as esbuild packs it
 * @param {RegExp} mark    what stands between its parts
 */
export function withNames(script, mark) {
    const marks = [...script.matchAll(new RegExp(mark, 'g'))].map(({ index, 0: { length } }) => index + length);
    const start = script.indexOf('{') + 1;
    const starts = [start, ...marks];
    const uses = /** @type {Map<string, Use[]>} */ (new Map());
    for (const use of usesIn(parse(script, { ecmaVersion: 2022 }))) {
        const piece = marks.filter((at) => at <= use.from).length;
        const named = use.kind === 'value' ? use.text : JSON.stringify(use.text);
        uses.set(named, [...(uses.get(named) ?? []), { ...use, piece }]);
    }
    const changes = /** @type {{from: number, to: number, by: string}[]} */ ([]);
    const named = starts.map(() => /** @type {string[]} */ ([]));
    let count = 0;
    for (const [word, list] of uses) {
        if (saved(list) < LEAST) continue;
        const name = `$${count++}`;
        const isOfOne = list.every(({ piece }) => piece === list[0].piece);
        named[isOfOne ? list[0].piece : 0].push(`${name}=${word}`);
        for (const { kind, from, to, text } of list) {
            const isProperty = kind === 'property';
            const dot = isProperty ? script.slice(from, to).search(/\??\.[^.]*$/) : 0;
            const before = /[\w$]/.test(script[from - 1]) ? ' ' : '';
            const after = /[\w$]/.test(script[to]) ? ' ' : '';
            if (isProperty && !script.slice(from + dot, to).endsWith(`.${text}`)) throw new Error(`${text} at ${from}`);
            const access = script[from + dot] === '?' ? '?.' : '';
            if (isProperty) changes.push({ from: from + dot, to, by: `${access}[${name}]` });
            else if (kind === 'key') changes.push({ from, to, by: `[${name}]` });
            else changes.push({ from, to, by: before + name + after });
        }
    }
    named.forEach((list, piece) => {
        if (list.length) changes.push({ from: starts[piece], to: starts[piece], by: `var ${list.join()};` });
    });
    changes.sort((one, other) => other.from - one.from || other.to - one.to);
    let text = script;
    for (const { from, to, by } of changes) text = text.slice(0, from) + by + text.slice(to);
    return text;
}
