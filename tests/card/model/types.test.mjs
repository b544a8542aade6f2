// SPDX-License-Identifier: Apache-2.0
/* The types in the comments hold, and so does what the bundler takes for granted of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import ts from 'typescript';
import { SHORTENED } from '../../../assets/shortened.mjs';
import { mixedComparisons } from '../support/comparisons.mjs';
import { compiled } from '../support/compiled.mjs';
import { propertyNames } from '../support/property_names.mjs';

const program = compiled();
/** With an error of each kind that the tests look for. */
const spoilt = compiled(
    (source) =>
        source.replaceAll("area['select']()", 'area.select()').replaceAll(`/* @__KEY__ */ 'query'`, "'query'") +
        (source.includes('export const isDark =')
            ? '\nexport const isOne = (/** @type {number | string} */ a) => a === 1;\n' +
              "export const isTwo = (/** @type {number} */ a) => a.startsWith('2');\n"
            : ''),
    program,
);

/** What tsc says. @param {ts.Program} program */
const found = (program) =>
    ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));

test('tsc finds nothing, and does find an error', () => {
    assert.deepEqual(found(program), []);
    assert.deepEqual(found(spoilt), ["Property 'startsWith' does not exist on type 'number'."]);
});

test('a property whose name is shortened is known to nobody else', () => {
    const names = propertyNames(program);
    assert.ok(SHORTENED.length > 200);
    assert.deepEqual(
        SHORTENED.filter((name) => !names.has(name) || names.get(name)?.known.length),
        [],
        'node tests/card/support/property_names.mjs prints those for assets/shortened.mjs',
    );
    for (const name of ['title', 'atMs', 'first', 'passive', 'block'])
        assert.ok(names.get(name)?.known.length, `${name} is also another's`);
});

test('a name without its quotes, and a string without its mark, is found', () => {
    const names = propertyNames(spoilt);
    assert.match(names.get('select')?.known.join() ?? '', /^src\/dom\/copy.js:\d+ of the browser$/);
    assert.match(names.get('query')?.known.join() ?? '', /src\/view\/address.js:\d+ without a mark/);
    assert.deepEqual(names.get('zoom')?.known, []);
});

test('what is compared with a text or a number is of that type', () => {
    assert.deepEqual(mixedComparisons(program), []);
    const mixed = mixedComparisons(spoilt);
    assert.equal(mixed.length, 1);
    assert.match(mixed[0], /^src\/dom\/theme\.js:\d+ string \| number$/);
});
