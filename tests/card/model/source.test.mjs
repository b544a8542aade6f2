// SPDX-License-Identifier: Apache-2.0
/* Addresses of source: only web addresses, only below the root, and no name escapes its place in them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressOf, isOwn, linesAround } from '../../../assets/src/model/source.js';

const URL = 'https://git.example.com/a/{file}#L{line}';
const address = (file, line, sources = {}) => addressOf({ url: URL, root: '', files: [], ...sources }, file, line);

test('files are named from the root, and those outside of it have no address', () => {
    assert.equal(address('/app/jobs/etl.py', 41, { root: '/app' }), 'https://git.example.com/a/jobs/etl.py#L41');
    assert.equal(address('/app/jobs/etl.py', 41, { root: '/app/' }), 'https://git.example.com/a/jobs/etl.py#L41');
    assert.equal(address('/application/etl.py', 41, { root: '/app' }), '');
    assert.equal(address('jobs/etl.py', 1, { root: '/app' }), 'https://git.example.com/a/jobs/etl.py#L1');
    assert.equal(address('/app/etl.py', 1), 'https://git.example.com/a/app/etl.py#L1');
    assert.equal(address('<string>', 1), '');
});

test('without a line the address is that of the file', () => {
    assert.equal(address('etl.py', 0), 'https://git.example.com/a/etl.py');
});

test('names are encoded, and stay names', () => {
    assert.equal(address('a b/"><script>#?.py', 2), 'https://git.example.com/a/a%20b/%22%3E%3Cscript%3E%23%3F.py#L2');
    assert.equal(address('{line}/{file}', 3), 'https://git.example.com/a/%7Bline%7D/%7Bfile%7D#L3');
});

test('only addresses of the web', () => {
    for (const url of ['javascript:alert(1)//{file}', 'file:///{file}', 'data:text/html,{file}', ''])
        assert.equal(address('x.py', 1, { url }), '');
});

test('own code is Python code of mine, not of the runner', () => {
    assert.ok(isOwn(0));
    for (const kind of [1, 2, 3, 1 << 2, 2 << 2, 1 << 5]) assert.equal(isOwn(kind), false);
});

test('the lines around one end with the file', () => {
    const files = [['a.py', ['one', 'two', 'three']]];
    const numbers = (line) => linesAround({ url: '', root: '', files }, 'a.py', line, 1).map(({ number }) => number);
    assert.deepEqual([numbers(1), numbers(2), numbers(3), numbers(9)], [[1, 2], [1, 2, 3], [2, 3], []]);
    assert.deepEqual(linesAround({ url: '', root: '', files }, 'b.py', 1, 1), []);
});
