// SPDX-License-Identifier: Apache-2.0
/*
 * Whose the names of properties are, by the types of the sources: a name is ours alone where every property that has it
 * is declared here, and neither a string nor JSON ever names it. Only such a name may be another one in the page.
 *
 *     node tests/card/support/property_names.mjs      prints them: see assets/shortened.mjs
 */
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { compiled } from './compiled.mjs';

const root = fileURLToPath(new URL('../../../assets/', import.meta.url));
const isOurs = (/** @type {ts.Node} */ node) => node.getSourceFile().fileName.startsWith(`${root}src/`);

/** Types of what is JSON in the card. */
const JSON_TYPES = /^(\w*Head|Sources)$/;
/** What makes strings of names. */
const BY_NAME = /^Object\.(keys|entries)$/;
/** Whose names strings may be, where each such string is marked for the bundler: `/* @__KEY__ *\/ 'name'`. */
const MARKED_TYPE = 'State';
const MARK = /@__KEY__ \*\/ $/;
const ANYTHING = ts.TypeFlags.Any | ts.TypeFlags.Unknown;

/**
 * @param {ts.Program} program  see compiled.mjs
 * @returns {Map<string, {count: number, known: string[]}>}  of each property: how often it is written, and where the
 *     name is known to somebody else
 */
export function propertyNames(program) {
    const types = program.getTypeChecker();
    const names = /** @type {Map<string, {count: number, known: string[]}>} */ (new Map());

    /** @param {ts.Node} node */
    const place = (node) => {
        const file = node.getSourceFile();
        return `${file.fileName.slice(root.length)}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
    };
    /** @param {string} name */
    function of(name) {
        const found = names.get(name) ?? { count: 0, known: [] };
        names.set(name, found);
        return found;
    }
    const known = (/** @type {string} */ name, /** @type {ts.Node} */ node, /** @type {string} */ why) =>
        void of(name).known.push(`${place(node)} ${why}`);

    /** @param {string} name @param {ts.Symbol | undefined} symbol @param {ts.Node} node */
    function uses(name, symbol, node) {
        of(name).count++;
        if (!symbol?.declarations?.length) known(name, node, 'unknown');
        else if (!symbol.declarations.every(isOurs)) known(name, node, 'of the browser');
    }
    /** Whether a property is declared here, and not in quotes. @param {ts.Symbol | undefined} property */
    const isShortened = (property) =>
        property?.declarations?.some((one) => isOurs(one) && !(one.name && ts.isStringLiteral(one.name)));

    /** @param {ts.Type} type @param {ts.Node} node @param {string} why */
    function namedByString(type, node, why) {
        for (const one of type.isUnion() ? type.types : [type])
            for (const property of types.getPropertiesOfType(one))
                if (isShortened(property)) known(property.name, node, why);
    }
    /** @param {ts.Type} type @param {ts.Node} node */
    function isJSON(type, node) {
        if (type.isUnion()) type.types.forEach((one) => isJSON(one, node));
        else if (types.isArrayLikeType(type))
            types.getTypeArguments(/** @type {ts.TypeReference} */ (type)).forEach((one) => isJSON(one, node));
        else if (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection))
            for (const property of types.getPropertiesOfType(type)) {
                if (isShortened(property)) known(property.name, node, 'in JSON');
                isJSON(types.getTypeOfSymbol(property), node);
            }
    }
    /** @param {ts.ObjectLiteralElementLike & {name: ts.Identifier}} node @param {ts.ObjectLiteralExpression} object */
    function inLiteral(node, object) {
        const context = types.getContextualType(object);
        const wanted = context && types.getNonNullableType(context);
        const name = node.name.text;
        // Of "boolean | ScrollIntoViewOptions" only one part has it.
        const parts = !wanted ? [] : wanted.isUnion() ? wanted.types : [wanted];
        const all = parts.flatMap((one) => types.getPropertyOfType(one, name) ?? []);
        const property = all.find(({ declarations }) => !declarations?.every(isOurs)) ?? all[0];
        uses(name, property ?? types.getSymbolAtLocation(node.name), node);
        if (!wanted || property) return;
        for (const one of parts)
            if (types.getIndexInfosOfType(one).length) known(name, node, 'of a dictionary');
        if (wanted.flags & ANYTHING) known(name, node, 'of anything');
    }
    /** @param {ts.ElementAccessExpression} node */
    function byKey({ expression, argumentExpression: key }) {
        const type = types.getTypeAtLocation(key);
        const all = type.isUnion() ? type.types : [type];
        if (all.every((one) => one.flags & ts.TypeFlags.NumberLike)) return;
        const held = types.getTypeAtLocation(expression);
        if (isMarked(held) && areMarked(type) && !ts.isStringLiteral(key)) return;
        for (const one of all)
            if (one.isStringLiteral() && isShortened(types.getPropertyOfType(held, one.value)))
                known(one.value, key, 'by a string');
        if (!all.every((one) => one.isStringLiteral()))
            namedByString(held, key, 'by any string');
    }

    /** What functions of the browser are given. @param {ts.CallExpression | ts.NewExpression} node */
    function given(node) {
        const all = node.arguments?.map((one) => types.getTypeAtLocation(one)) ?? [];
        const called = node.expression.getText();
        if (BY_NAME.test(called) && isMarked(all[0])) return;
        if (BY_NAME.test(called)) namedByString(all[0], node, called);
        if (called === 'JSON.stringify') isJSON(all[0], node);
        if (called === 'Object.assign' && types.getIndexInfosOfType(all[0]).length)
            all.slice(1).forEach((one) => namedByString(one, node, 'to a dictionary'));
        const { declaration } = types.getResolvedSignature(node) ?? {};
        if (!declaration || isOurs(declaration)) return;
        declaration.parameters.forEach((parameter, i) => {
            const isOne = ts.isParameter(parameter) && !parameter.dotDotDotToken;
            const taken = isOne ? types.getTypeAtLocation(parameter) : undefined;
            const isAny = taken && taken.flags & ANYTHING;
            const isObject = taken && taken.flags & ts.TypeFlags.Object && !types.getSignaturesOfType(taken, 0).length;
            if (all[i] && (isAny || isObject) && !types.isArrayLikeType(all[i]) && called !== 'String')
                namedByString(all[i], node, `to ${called}`);
        });
    }

    /** @param {ts.Type} type */
    const isMarked = ({ aliasSymbol, symbol }) => (aliasSymbol ?? symbol)?.name === MARKED_TYPE;
    const markedNames = () => {
        const [file] = program.getSourceFiles().filter(({ fileName }) => fileName === `${root}src/model/state.js`);
        const module = types.getSymbolAtLocation(file);
        const state = module && types.getExportsOfModule(module).find(({ name }) => name === MARKED_TYPE);
        if (!state) throw new Error(`no type ${MARKED_TYPE}`);
        return types.getPropertiesOfType(types.getDeclaredTypeOfSymbol(state)).map(({ name }) => name);
    };
    const marked = new Set(markedNames());
    /** Whether it can only be a name of the state. @param {ts.Type} type */
    const areMarked = (type) =>
        (type.isUnion() ? type.types : [type]).every((one) => one.isStringLiteral() && marked.has(one.value));
    /** Such a string needs a mark. @param {ts.StringLiteral} node */
    function inString(node) {
        const wanted = types.getContextualType(node);
        const before = node.getSourceFile().text.slice(0, node.getStart());
        const isName = (wanted?.isUnion() && areMarked(wanted)) || isInSet(node);
        if (isName && !MARK.test(before)) known(node.text, node, 'without a mark');
    }
    /** Whether it is one of a set of names of the state. @param {ts.Node} node */
    function isInSet(node) {
        let at = node.parent;
        while (ts.isParenthesizedExpression(at) || ts.isArrayLiteralExpression(at)) at = at.parent;
        if (!ts.isNewExpression(at)) return false;
        const [of] = types.getTypeArguments(/** @type {ts.TypeReference} */ (types.getTypeAtLocation(at)));
        return of !== undefined && areMarked(of);
    }
    /** @param {ts.ComputedPropertyName} node */
    function computed({ expression }) {
        const type = types.getTypeAtLocation(expression);
        for (const one of type.isUnion() ? type.types : [type])
            if (one.isStringLiteral() && !areMarked(type)) known(one.value, expression, 'by a string');
    }

    /** @param {ts.Node} node */
    function visit(node) {
        if (ts.isStringLiteral(node)) inString(node);
        if (ts.isComputedPropertyName(node)) computed(node);
        if (ts.isPropertyAccessExpression(node)) uses(node.name.text, types.getSymbolAtLocation(node.name), node);
        else if (ts.isObjectLiteralElementLike(node) && node.name && ts.isIdentifier(node.name))
            inLiteral(/** @type {any} */ (node), /** @type {ts.ObjectLiteralExpression} */ (node.parent));
        else if (ts.isBindingElement(node) && ts.isObjectBindingPattern(node.parent) && !node.dotDotDotToken) {
            const name = node.propertyName ?? node.name;
            const type = types.getTypeAtLocation(node.parent);
            if (ts.isIdentifier(name)) uses(name.text, types.getPropertyOfType(type, name.text), node);
        } else if (ts.isElementAccessExpression(node)) byKey(node);
        else if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.InKeyword) {
            if (ts.isStringLiteral(node.left)) known(node.left.text, node, 'by in');
            else namedByString(types.getTypeAtLocation(node.right), node, 'by in');
        } else if (ts.isCallExpression(node) || ts.isNewExpression(node)) given(node);
        else if (ts.isParenthesizedExpression(node) && ts.getJSDocType(node)) {
            if (types.getTypeAtLocation(node.expression).flags & ANYTHING) isJSON(types.getTypeAtLocation(node), node);
        }
        ts.forEachChild(node, visit);
    }
    for (const file of program.getSourceFiles().filter(isOurs)) {
        visit(file);
        const module = types.getSymbolAtLocation(file);
        for (const symbol of module ? types.getExportsOfModule(module) : [])
            if (JSON_TYPES.test(symbol.name)) isJSON(types.getDeclaredTypeOfSymbol(symbol), file);
    }
    return names;
}

/** Names that are ours alone, and in the sources more than once. */
export const ourNames = () =>
    [...propertyNames(compiled())]
        .filter(([name, { count, known }]) => name.length > 2 && count > 1 && !known.length)
        .map(([name]) => name);

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(ourNames().sort().join(' '));
