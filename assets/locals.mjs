// SPDX-License-Identifier: Apache-2.0
/*
 * What a function names later on is a parameter that nobody gives: (a)=>{f(a);let b=a+1;return b*b} is
 * (a,b)=>{f(a);b=a+1;return b*b}, which terser then makes (a,b)=>(f(a),b=a+1,b*b). A kilobyte less in each card. Only
 * where every use of the function is a call that gives no more than it takes: see defaults.mjs, which does the same
 * for what a function names first.
 */
import { parse } from 'acorn';
import { closedIn, edited, placeOfMore, wordsIn } from './defaults.mjs';

/** @param {any} node */
const isNaming = ({ type }) => type === 'VariableDeclaration';

/** Whether terser can make a part of an expression of it. @param {any} node @returns {boolean} */
function canFold({ type, consequent, alternate, body }) {
    if (type === 'IfStatement') return canFold(consequent) && (!alternate || canFold(alternate));
    if (type === 'BlockStatement') return body.every(canFold);
    return type === 'ExpressionStatement' || type === 'ReturnStatement';
}

/** Those after the first statement. @param {any} made @returns {any[]} */
const laterIn = ({ body }) => body.body.slice(1).filter(isNaming);

/** @param {any} made @returns {string[]} */
const namesIn = (made) =>
    laterIn(made).flatMap(({ declarations }) => declarations.map((/** @type {any} */ { id }) => id.name));

/** Whether fewer bytes say the same. What a parameter has by default may not know those names. @param {any} node */
function gains(node) {
    const { type, async, params, body } = node;
    if (type !== 'ArrowFunctionExpression' || async || body.type !== 'BlockStatement') return false;
    if (params.at(-1)?.type === 'RestElement') return false;
    const later = laterIn(node);
    const isSimple = later.every(
        ({ kind, declarations }) =>
            kind === 'let' && declarations.every((/** @type {any} */ { id, init }) => id.type === 'Identifier' && init),
    );
    if (!later.length || !isSimple) return false;
    const words = new Set(params.flatMap((/** @type {any} */ one) => [...wordsIn(one)]));
    if (namesIn(node).some((name) => words.has(name))) return false;
    const folds = body.body.every((/** @type {any} */ one) => isNaming(one) || canFold(one));
    return folds || later.every(({ declarations }) => declarations.length === 1);
}

/** @param {string} script  packed */
export function withLocals(script) {
    const edits = closedIn(parse(script, { ecmaVersion: 2022 }), gains).flatMap((made) => {
        const { start, params } = made;
        const { isBare, end } = placeOfMore(script, made);
        const added = `${params.length ? ',' : ''}${namesIn(made).join()}${isBare ? ')' : ''}`;
        return [
            ...(isBare ? [{ from: start, to: start, by: '(' }] : []),
            { from: end, to: end, by: added },
            ...laterIn(made).map(({ start: from, declarations }) => ({ from, to: declarations[0].start, by: '' })),
        ];
    });
    return edited(script, edits);
}
