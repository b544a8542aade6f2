// SPDX-License-Identifier: Apache-2.0
/*
 * Functions that Python gives no name: comprehensions, generators and lambdas. A page says in words what they are, and
 * in which function their body is where that is known: from the name, or, of a comprehension, which runs only there,
 * from its caller.
 */
import { ROOT, stringAt } from './profile.js';

/** @typedef {import('./profile.js').Profile} Profile */

/** @type {Record<string, string>} */
const KINDS = {
    listcomp: 'list comprehension',
    dictcomp: 'dict comprehension',
    setcomp: 'set comprehension',
    genexpr: 'generator expression',
    lambda: 'lambda',
};

/** The name of the function around it, and what it is: "parse.<locals>.<dictcomp>.<listcomp>". */
const NAMELESS = new RegExp(`^(.*?)(?:(?:\\.<locals>)?\\.?<(${Object.keys(KINDS).join('|')})>)+$`);

/** @param {string} name  as recorded */
export const isNameless = (name) => NAMELESS.test(name);

/** "parse \u203a list comprehension" @param {string} around @param {string} kind */
const joined = (around, kind) => (around ? `${around} \u203a ${KINDS[kind]}` : KINDS[kind]);

/** What a function is called on the page. @param {string} name  as recorded */
export function shownName(name) {
    const [, around, kind] = NAMELESS.exec(name) ?? [];
    return kind ? joined(around, kind) : name;
}

/**
 * The same for a node: one place in the tree has one caller.
 * @param {Pick<Profile, 'frames' | 'strings' | 'tree'>} profile
 * @param {import('./graph.js').Graph} graph
 * @param {number} node
 * @param {string} name  as recorded
 */
export function shownNameAt(profile, graph, node, name) {
    const [, around, kind] = NAMELESS.exec(name) ?? [];
    if (!kind || around || !kind.endsWith('comp') || graph.turned) return shownName(name);
    const { frames, strings, tree } = profile;
    let up = tree.parent[graph.base ? graph.base[node] : node];
    const isHere = () => up !== ROOT && frames.file[tree.frame[up]] === frames.file[graph.frame[node]];
    const nameOf = () => stringAt(strings, frames.function[tree.frame[up]]);
    while (isHere() && isNameless(nameOf())) up = tree.parent[up];
    return joined(isHere() ? nameOf() : '', kind);
}
