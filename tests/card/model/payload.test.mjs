// SPDX-License-Identifier: Apache-2.0
/* The payload: the page holds exactly what was encoded. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stringAt } from '../../../assets/src/model/profile.js';
import { decodePayload } from '../../../assets/src/payload/profile.js';
import { encodePayload } from '../support/payload.mjs';
import { payloadOf, profileOf } from '../support/profile.mjs';

test('strings keep every letter, also those of two UTF-16 units', () => {
    const names = ['plain', 'größe', '文件', '\ufeffmark', 'a😀b', '\u2028'];
    const profile = profileOf(names.map((name) => [name, 1]));
    assert.deepEqual(
        Array.from(profile.frames.function, (s) => stringAt(profile.strings, s)),
        names,
    );
});

test('the tree is depth first and knows its subtrees', () => {
    const { tree } = profileOf([
        ['a > b > c', 1],
        ['a > d', 2],
        ['e', 3],
    ]);
    assert.deepEqual([...tree.parent], [0, 0, 1, 2, 1, 0]);
    assert.deepEqual([...tree.end], [6, 5, 4, 4, 5, 6]);
});

test('values are exact to 2^53, and may be negative', () => {
    const values = [0, 1, 127, 128, 2 ** 31, 2 ** 32, 2 ** 52 + 1, -1, -(2 ** 40)];
    const profile = profileOf(values.map((value, i) => [`f${i}`, value]));
    assert.deepEqual([...profile.metrics[0].value], values);
});

test('lines, threads and folded frames arrive', () => {
    const profile = profileOf([['a@x.py:70000 > folded:12 smaller frames', 5, { thread: 1 }]], {
        threads: ['one', ''],
    });
    assert.deepEqual([...profile.frames.line], [70000, 0]);
    assert.deepEqual(profile.threads, ['one', 'thread 2']);
    assert.deepEqual([...profile.tree.smaller], [0, 0, 12]);
    assert.equal(profile.folded, true);
});

test('a payload that does not add up is an error', () => {
    const good = payloadOf([['a', 1]]);
    assert.throws(() => decodePayload(good.slice(0, good.length / 2)));
    assert.throws(() => decodePayload(''));
    assert.throws(() => decodePayload(encodePayload({ version: 3 }, [])), /version 3/);
    assert.throws(() => decodePayload(encodePayload({ nodeCount: 1 }, [])), /strings\.length/);
});

test('a tree as deep as it has nodes decodes', () => {
    const depth = 100_000;
    const profile = profileOf([[Array.from({ length: depth }, (_, i) => `f${i % 7}`).join(' > '), 1]]);
    assert.equal(profile.tree.count, depth + 1);
    assert.equal(profile.tree.end[0], depth + 1);
});
