// SPDX-License-Identifier: Apache-2.0
/* The rows of the index: search, order, and their part of the address. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choose, fromHash, toHash, wordsOf } from '../../../assets/src/index/rows.js';

const rows = [
    { text: 'train.py failed runs/1', keys: ['train.py', 30] },
    { text: 'load.py ok runs/2', keys: ['load.py', null] },
    { text: 'train.py ok runs/3', keys: ['train.py', 200] },
    { text: 'score.py ok runs/4', keys: ['score.py', 4] },
];

test('all words of a query must be there, in any case and order', () => {
    assert.deepEqual(choose(rows, '', null), [0, 1, 2, 3]);
    assert.deepEqual(choose(rows, 'TRAIN', null), [0, 2]);
    assert.deepEqual(choose(rows, ' ok  train ', null), [2]);
    assert.deepEqual(choose(rows, 'absent', null), []);
    assert.deepEqual(wordsOf(' a\tB '), ['a', 'b']);
});

test('numbers sort as numbers, unknown ones last in both directions, equals stay', () => {
    assert.deepEqual(choose(rows, '', { column: 1, down: true }), [2, 0, 3, 1]);
    assert.deepEqual(choose(rows, '', { column: 1, down: false }), [3, 0, 2, 1]);
    assert.deepEqual(choose(rows, '', { column: 0, down: false }), [1, 3, 0, 2]);
    assert.deepEqual(choose(rows, '', { column: 0, down: true }), [0, 2, 3, 1]);
});

test('a view survives its address, and nonsense in it does nothing', () => {
    const view = { query: 'a&b=c #d', state: 'bad', order: { column: 4, down: true } };
    assert.deepEqual(fromHash(`#${toHash(view)}`, 8), view);
    assert.deepEqual(fromHash('', 8), { query: '', state: '', order: null });
    for (const hash of ['#up=8', '#down=-1', '#up=x', '#down=1.5', '#up='])
        assert.equal(fromHash(hash, 8).order?.column ?? null, hash === '#up=' ? 0 : null, hash);
});

test('a state shows the rows that have it, and words narrow them further', () => {
    const some = [
        { text: 'train 1', keys: [], states: ['bad'] },
        { text: 'load 2', keys: [], states: ['ok', 'grew'] },
        { text: 'train 3', keys: [], states: ['bad', 'grew'] },
    ];
    assert.deepEqual(choose(some, '', null, 'grew'), [1, 2]);
    assert.deepEqual(choose(some, 'train', null, 'grew'), [2]);
    assert.deepEqual(choose(some, '', null, ''), [0, 1, 2]);
});
