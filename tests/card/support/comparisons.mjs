// SPDX-License-Identifier: Apache-2.0
/*
 * Comparisons of the page's scripts with a text or a number, by the types of the sources: assets/comparisons.mjs makes
 * them ==, which is the same only where what is compared is of that type, null or undefined.
 */
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('../../../assets/', import.meta.url));
const COMPARES = [ts.SyntaxKind.EqualsEqualsEqualsToken, ts.SyntaxKind.ExclamationEqualsEqualsToken];
const { StringLike, NumberLike, Null, Undefined } = ts.TypeFlags;

/** @param {ts.Expression} node */
function kindOf(node) {
    if (ts.isStringLiteralLike(node)) return StringLike;
    const isNegative = ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.MinusToken;
    return ts.isNumericLiteral(isNegative ? node.operand : node) ? NumberLike : 0;
}

/** Comparisons that would be others. @param {ts.Program} program  see compiled.mjs */
export function mixedComparisons(program) {
    const types = program.getTypeChecker();
    const mixed = /** @type {string[]} */ ([]);

    /** @param {ts.Expression} literal @param {ts.Expression} other */
    function check(literal, other) {
        const kind = kindOf(literal);
        const type = types.getTypeAtLocation(other);
        const parts = type.isUnion() ? type.types : [type];
        if (!kind || parts.every(({ flags }) => flags & (kind | Null | Undefined))) return;
        const file = other.getSourceFile();
        const line = file.getLineAndCharacterOfPosition(other.getStart()).line + 1;
        mixed.push(`${file.fileName.slice(root.length)}:${line} ${types.typeToString(type)}`);
    }
    /** @param {ts.Node} node */
    function visit(node) {
        if (ts.isBinaryExpression(node) && COMPARES.includes(node.operatorToken.kind)) {
            check(node.left, node.right);
            check(node.right, node.left);
        }
        ts.forEachChild(node, visit);
    }
    for (const file of program.getSourceFiles()) if (file.fileName.startsWith(`${root}src/`)) visit(file);
    return mixed;
}
