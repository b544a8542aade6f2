// SPDX-License-Identifier: Apache-2.0
/*
 * Search: strings first, then frames, then nodes, each a scan of a column.
 *
 * A query is a part of a function's name, `file:` and a part of a path, or a /regular expression/ for names; case does
 * not matter. What a match holds counts once: a match below another one is already in its sum.
 */
import { finish, inParts } from '../lib/slices.js';
import { ROOT, stringAt } from './profile.js';
import { orderBy } from './order.js';

/** @typedef {import('./graph.js').Graph} Graph */
/** @typedef {import('./profile.js').Profile} Profile */
/** @typedef {import('./profile.js').Strings} Strings */

/**
 * @typedef {object} Query
 * @property {'function' | 'file'} field
 * @property {string} [text]     in lower case
 * @property {RegExp} [pattern]
 */

/**
 * @typedef {object} Matches
 * @property {Uint8Array} hit          [node]
 * @property {Uint32Array} before      [node + 1] matches before each node
 * @property {number} count            nodes that match and hold something
 * @property {number} sum              what they hold, nested matches once
 */

/**
 * @param {string} typed
 * @returns {Query | null | SyntaxError}  null: nothing to search for; an error: not a valid expression
 */
export function parseQuery(typed) {
    const text = typed.trim();
    const file = /^file:\s*/i.exec(text);
    if (file)
        return file[0].length === text.length
            ? null
            : { field: 'file', text: text.slice(file[0].length).toLowerCase() };
    const expression = /^\/(.+)\/$/.exec(text);
    if (!expression) return text === '' ? null : { field: 'function', text: text.toLowerCase() };
    try {
        return { field: 'function', pattern: new RegExp(expression[1], 'i') };
    } catch (error) {
        return /** @type {SyntaxError} */ (error);
    }
}

/** All strings in lower case: the next letter that is typed asks for them again. @type {WeakMap<Strings, string>} */
const lowered = new WeakMap();

/** @typedef {{sums: import('./calltree.js').Totals, names: Uint32Array, strung: Uint8Array, matches: Matches}} Found */
/** What was searched for last: one more letter often finds the same. @type {WeakMap<Graph, Found>} */
const found = new WeakMap();

/**
 * Which strings match.
 * @param {Strings} strings
 * @param {Query} query
 * @returns {Uint8Array} [string]
 */
export function matchStrings(strings, { text, pattern }) {
    const count = strings.at.length - 1;
    const match = new Uint8Array(count);
    if (pattern) {
        for (let i = 0; i < count; i++) match[i] = pattern.test(stringAt(strings, i)) ? 1 : 0;
        return match;
    }
    const wanted = text ?? '';
    const all = lowered.get(strings) ?? strings.text.toLowerCase();
    lowered.set(strings, all);
    if (all.length !== strings.text.length) {
        // A letter whose lower case is longer would shift all after it: then string by string.
        for (let i = 0; i < count; i++) match[i] = stringAt(strings, i).toLowerCase().includes(wanted) ? 1 : 0;
        return match;
    }
    for (let i = 0, at = all.indexOf(wanted); at !== -1;) {
        while (strings.at[i + 1] <= at) i++;
        match[i] = at + wanted.length <= strings.at[i + 1] ? 1 : match[i];
        at = all.indexOf(wanted, match[i] ? strings.at[i + 1] : at + 1);
    }
    return match;
}

/**
 * @param {Profile} profile
 * @param {Graph} graph
 * @param {import('./calltree.js').Sums} sums
 * @param {Query} query
 * @returns {Generator<undefined, Matches>}
 */
export function* searching({ strings, frames }, graph, sums, query) {
    const { total } = sums;
    const strung = matchStrings(strings, query);
    const ofFile = query.field === 'file';
    const names = ofFile ? frames.file : frames.function;
    const last = found.get(graph);
    if (last?.sums === sums && last.names === names && last.strung.every((match, i) => match === strung[i]))
        return last.matches;
    const matching = names.map((name) => strung[name]);
    if (!ofFile) frames.shown.forEach((shown, f) => (matching[f] ||= strung[shown]));
    const hit = new Uint8Array(graph.count);
    const inside = new Uint8Array(graph.count);
    const before = new Uint32Array(graph.count + 1);
    let sum = 0;
    yield* inParts(ROOT + 1, graph.count, (from, to) => {
        for (let n = from; n < to; n++) {
            const up = graph.parent[n];
            hit[n] = matching[graph.frame[n]] && !graph.smaller[n] && total[n] > 0 ? 1 : 0;
            inside[n] = inside[up] | hit[up];
            if (hit[n] && !inside[n]) sum += total[n];
            before[n + 1] = before[n] + hit[n];
        }
    });
    const matches = { hit, before, count: before[graph.count], sum };
    found.set(graph, { sums, names, strung, matches });
    return matches;
}

/** All of it at once. @param {Parameters<typeof searching>} of */
export const search = (...of) => finish(searching(...of));

/**
 * The matching nodes, the heaviest first.
 * @param {Matches} matches
 * @param {import('./calltree.js').Sums} sums
 */
export function listMatches({ hit, count }, { total }) {
    const nodes = new Uint32Array(count);
    for (let n = 0, i = 0; n < hit.length; n++) {
        if (hit[n]) nodes[i++] = n;
    }
    const held = new Float64Array(count);
    for (let i = 0; i < count; i++) held[i] = total[nodes[i]];
    return orderBy(held, true).map((i) => nodes[i]);
}

/**
 * Which boxes of a picture stay bright: matches, and boxes of smaller frames that hold one.
 * @param {Matches} matches
 * @param {Graph} graph
 * @param {import('./layout.js').Layout} layout
 * @returns {Uint8Array} [box]
 */
export function brightBoxes({ hit, before }, { parent, end }, { count, node, last, smaller, away }) {
    const bright = new Uint8Array(count);
    const hidden = new Map();
    const leave = (/** @type {number} */ n) =>
        hidden.set(parent[n], (hidden.get(parent[n]) ?? 0) - (before[end[n]] - before[n]));
    // Matches below a frame that are in none of its own boxes are in its box of smaller frames.
    for (let box = 0; box < count; box++) {
        const n = node[box];
        if (smaller[box]) continue;
        const deepest = last[box];
        for (let k = n; k <= deepest && !bright[box]; k++) bright[box] = hit[k];
        hidden.set(deepest, (hidden.get(deepest) ?? 0) + before[end[deepest]] - before[deepest + 1]);
        if (n !== ROOT) leave(n);
    }
    away.forEach(leave);
    for (let box = 0; box < count; box++) {
        if (smaller[box]) bright[box] = hidden.get(node[box]) > 0 ? 1 : 0;
    }
    return bright;
}
