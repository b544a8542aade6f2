// SPDX-License-Identifier: Apache-2.0
/*
 * Functions that are declared become arrows, first in their block, which is where declarations count from:
 * `function f(a) { return b }` is f=a=>b once it is packed. Two kilobytes less in each card.
 */
import { parse } from 'acorn';

/** @param {any} node @param {(inner: any) => boolean | void} visit  returns false for what it does not look into */
function walk(node, visit) {
    if (!node || typeof node !== 'object' || (node.type && visit(node) === false)) return;
    for (const inner of Object.values(node)) walk(inner, visit);
}

/** Whether it is a generator, or has a `this` or arguments of its own. @param {any} declared */
function isBound({ generator, params, body }) {
    let bound = generator;
    walk([params, body], ({ type, name }) => {
        bound ||= type === 'ThisExpression' || (type === 'Identifier' && name === 'arguments');
        return !type.startsWith('Function');
    });
    return bound;
}

/**
 * @param {string} script  as esbuild packs it
 * @param {RegExp} mark    what stands between its parts: the functions of a part come after it
 */
export function withArrows(script, mark) {
    const tree = parse(script, { ecmaVersion: 2022 });
    const marks = [...script.matchAll(new RegExp(mark, 'g'))].map(({ index, 0: { length } }) => index + length);
    const made = new Set();
    walk(tree, ({ type, callee }) => void (type === 'NewExpression' && made.add(callee.name)));

    /** The text from one place to another, in which the functions of some nodes are arrows. */
    function packed(/** @type {number} */ from, /** @type {number} */ to, /** @type {any[]} */ nodes) {
        const blocks = /** @type {any[]} */ ([]);
        for (const node of nodes)
            walk(node, (inner) => {
                if (inner.type !== 'BlockStatement') return true;
                blocks.push(inner);
                return false;
            });
        let [text, at] = ['', from];
        for (const { start, end, body } of blocks) {
            text += script.slice(at, start) + block(start, end, body);
            at = end;
        }
        return text + script.slice(at, to);
    }

    /** A function as `name=(parameters)=>body`. */
    function arrow(/** @type {any} */ { async, id, params, body, start }) {
        const list = params.length ? packed(params[0].start, params[params.length - 1].end, params) : '';
        return `${id.name}=${async ? 'async' : ''}(${list})=>${block(body.start, body.end, body.body)}`;
    }

    function block(/** @type {number} */ start, /** @type {number} */ end, /** @type {any[]} */ body) {
        const cuts = [start + 1, ...marks.filter((at) => start < at && at < end && body.some((one) => one.end === at))];
        const [heads, tails] = [cuts.map(() => /** @type {string[]} */ ([])), cuts.map(() => '')];
        let at = start + 1;
        for (const node of [...body, { start: end - 1, end: end - 1, isLast: true }]) {
            const piece = cuts.filter((cut) => cut <= node.start).length - 1;
            const before = cuts.filter((cut) => cut <= at).length - 1;
            tails[before] += script.slice(at, node.start);
            at = node.end;
            if (node.isLast) continue;
            const isArrow = node.type === 'FunctionDeclaration' && !isBound(node) && !made.has(node.id.name);
            if (isArrow) heads[piece].push(arrow(node));
            else tails[piece] += packed(node.start, node.end, [node]);
        }
        const kind = start === tree.body[0].expression?.callee?.body?.start ? 'var' : 'let';
        return `{${heads.map((list, i) => (list.length ? `${kind} ${list.join()};` : '') + tails[i]).join('')}}`;
    }
    return packed(0, script.length, [tree]);
}
