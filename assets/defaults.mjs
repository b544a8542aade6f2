// SPDX-License-Identifier: Apache-2.0
/*
 * What a function names first are parameters with a default: (a)=>{let b=a+1;return b*b} is (a,b=a+1)=>b*b. Over three
 * kilobytes less in each card. Only where nobody can give more than it takes: every use of such a function is a call
 * that shows how many arguments it has.
 */
import { parse } from 'acorn';

/** Names that a pattern declares. @param {any} pattern @returns {string[]} */
function namesOf(pattern) {
    if (!pattern) return [];
    if (pattern.type === 'Identifier') return [pattern.name];
    if (pattern.type === 'ObjectPattern')
        return pattern.properties.flatMap((/** @type {any} */ one) => namesOf(one.value ?? one.argument));
    if (pattern.type === 'ArrayPattern') return pattern.elements.flatMap(namesOf);
    return namesOf(pattern.left ?? pattern.argument);
}

/** @param {any} node */
const isFunction = ({ type }) => /Function/.test(type);

/** What a block declares itself, a function's body with its parameters. @param {any} node @returns {string[]} */
function declaredIn(node) {
    const lets = (/** @type {any[]} */ list) =>
        list.flatMap((one) =>
            one?.type === 'VariableDeclaration'
                ? one.declarations.flatMap((/** @type {any} */ { id }) => namesOf(id))
                : [],
        );
    if (isFunction(node)) return [...node.params.flatMap(namesOf), ...(node.id ? [node.id.name] : [])];
    if (node.type === 'BlockStatement' || node.type === 'Program') return lets(node.body);
    if (/^For/.test(node.type)) return lets([node.init ?? node.left]);
    if (node.type === 'CatchClause') return namesOf(node.param);
    return node.type === 'SwitchStatement' ? lets(node.cases.flatMap((/** @type {any} */ one) => one.consequent)) : [];
}

/** @typedef {{use: any, node: any}} Use  a name, and what it is in */
/** @typedef {{names: Map<string, Use[]>, above: Scope | null}} Scope */

/** Every name in a piece of the script, whatever it means there. @param {any} node @returns {Generator<string>} */
export function* wordsIn(node) {
    if (node.type === 'Identifier') yield node.name;
    for (const value of Object.values(node))
        for (const one of [value].flat()) if (typeof one?.type === 'string') yield* wordsIn(one);
}

/**
 * Whether a function begins with names that may as well be parameters. What only its body declares is not known to
 * them there.
 * @param {any} node
 */
function beginsWithNames({ type, async, params, body }) {
    if (type !== 'ArrowFunctionExpression' || async || body.type !== 'BlockStatement') return false;
    const [names, ...rest] = body.body;
    if (names?.type !== 'VariableDeclaration' || !rest.length || params.at(-1)?.type === 'RestElement') return false;
    const later = new Set(declaredIn({ type: 'BlockStatement', body: rest }));
    return (
        names.kind !== 'var' &&
        names.declarations.every((/** @type {any} */ { init }) => init) &&
        ![...wordsIn(names)].some((word) => later.has(word))
    );
}

/** Whether a function is nothing but names and a value. @param {any} node */
const isPlain = ({ body: { body } }) =>
    body.length === 2 && body[1].type === 'ReturnStatement' && body[1].argument !== null;

/**
 * Whether it is called here, and given no more than it takes.
 * @param {any} use     what a name of it is in
 * @param {any} called  that name
 * @param {any} made    the function
 */
const isCall = (use, called, { params }) =>
    use?.type === 'CallExpression' &&
    use.callee === called &&
    use.arguments.length <= params.length &&
    use.arguments.every((/** @type {any} */ one) => one.type !== 'SpreadElement');

/** Where a name is used; undefined for names of the browser. @param {Scope | null} scope @param {string} name */
function usesOf(scope, name) {
    let at = scope;
    while (at && !at.names.has(name)) at = at.above;
    return at?.names.get(name);
}

/**
 * Functions that nobody gives more than they take.
 * @param {any} program
 * @param {(node: any) => boolean} isMeant
 */
export function closedIn(program, isMeant) {
    const found = /** @type {any[]} */ ([]);
    const named = /** @type {{made: any, uses: Use[]}[]} */ ([]);

    /** @param {any} made @param {any} parent @param {Scope | null} scope */
    function consider(made, parent, scope) {
        if (isCall(parent, made, made)) found.push(made);
        const isNamed = parent.type === 'VariableDeclarator' && parent.id.type === 'Identifier';
        if (isNamed) named.push({ made, uses: usesOf(scope, parent.id.name) ?? [] });
    }
    /** @param {any} node @param {any} parent @param {string} field @param {Scope | null} scope */
    function visit(node, parent, field, scope) {
        if (node.type === 'Identifier') {
            const isOfObject = (field === 'property' || field === 'key') && !parent.computed;
            if (!isOfObject) usesOf(scope, node.name)?.push({ use: parent, node });
            return;
        }
        if (isMeant(node)) consider(node, parent, scope);
        const declared = declaredIn(node);
        const inner = declared.length ? { names: new Map(declared.map((name) => [name, []])), above: scope } : scope;
        for (const [name, value] of Object.entries(node))
            for (const one of [value].flat()) if (typeof one?.type === 'string') visit(one, node, name, inner);
    }
    visit(program, {}, '', null);
    for (const { made, uses } of named)
        if (uses.every(({ use, node }) => use.id === node || isCall(use, node, made))) found.push(made);
    return found;
}

/** @param {string} script @param {{from: number, to: number, by: string}[]} edits  in any order, none in another */
export const edited = (script, edits) =>
    edits
        .sort((one, other) => other.from - one.from || other.to - one.to)
        .reduce((all, { from, to, by }) => all.slice(0, from) + by + all.slice(to), script);

/**
 * Where a function takes one more parameter, and whether its only one has no parentheses.
 * @param {string} script
 * @param {any} made
 */
export const placeOfMore = (script, { start, params }) => ({
    isBare: params.length === 1 && script[start] !== '(',
    end: params.length ? params.at(-1).end : script.indexOf('(', start) + 1,
});

/** @param {string} script  packed */
export function withDefaults(script) {
    const edits = closedIn(parse(script, { ecmaVersion: 2022 }), beginsWithNames).flatMap((made) => {
        const { start, params, body } = made;
        const [{ declarations }, second] = body.body;
        const [first, last] = [declarations[0].start, declarations.at(-1).end];
        const { isBare, end } = placeOfMore(script, made);
        const head = [
            ...(isBare ? [{ from: start, to: start, by: '(' }] : []),
            { from: end, to: first, by: params.length ? ',' : '' },
        ];
        if (!isPlain(made)) return [...head, { from: last, to: second.start, by: ')=>{' }];
        const { argument } = second;
        const isInParentheses = argument.type === 'SequenceExpression' || script[argument.start] === '{';
        return [
            ...head,
            { from: last, to: argument.start, by: `)=>${isInParentheses ? '(' : ''}` },
            { from: argument.end, to: body.end, by: isInParentheses ? ')' : '' },
        ];
    });
    return edited(script, edits);
}
