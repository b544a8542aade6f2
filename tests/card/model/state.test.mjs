// SPDX-License-Identifier: Apache-2.0
/* The address: what is written is read back, what is not understood is left alone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstState, formatState, parseState } from '../../../assets/src/model/state.js';

const KNOWN = { tabs: ['peak', 'leaks', 'table'], threads: 4, frames: 50, bins: 100 };
const FIRST = firstState('peak');
const read = (hash) => parseState(hash, FIRST, KNOWN);

test('the first look is short, and comes back', () => {
    assert.equal(formatState(FIRST), 'tab=peak');
    assert.deepEqual(read('#tab=peak'), FIRST);
    assert.deepEqual(read(''), FIRST);
});

test('everything that can be chosen comes back', () => {
    const state = {
        tab: 'table',
        zoom: 17,
        selected: 3,
        query: '/a&b=#%/',
        threads: [0, 2],
        window: { first: 3, last: 17 },
        against: { first: 0, last: 2 },
        split: true,
        upward: true,
        runner: false,
        chains: false,
        hide: [],
        by: 'line',
        sort: 'name',
        descending: false,
        order: 'sandwich',
        focus: 5,
        through: 49,
        drop: [2, 7],
        shares: true,
        side: 'before',
        view: 'tree',
        theme: 'dark',
    };
    assert.deepEqual(read(`#${formatState(state)}`), state);
    assert.deepEqual(read(formatState({ ...state, hide: ['imports', 'native'], descending: true })), {
        ...state,
        hide: ['imports', 'native'],
        descending: true,
    });
});

test('no choice of threads at all is a choice too', () => {
    assert.deepEqual(read(formatState({ ...FIRST, threads: [] })).threads, []);
    assert.equal(read('#tab=peak').threads, null);
});

test('what is not understood is as if it were not there', () => {
    assert.deepEqual(read('#peak'), FIRST);
    assert.deepEqual(read('#tab=__proto__&zoom=-1&at=1e9&threads=9.x&hide=me&by=x&sort=-constructor&theme=red'), {
        ...FIRST,
        hide: [],
    });
});

test('a window is inside of the run', () => {
    assert.deepEqual(read('#window=b0:b0').window, { first: 0, last: 0 });
    assert.deepEqual(read('#window=b99:b5000').window, { first: 99, last: 99 });
    for (const none of ['b100:b101', 'b5:b4', '5:9', 'b-1:b4', 'b1:', 'b1e2:b3', ''])
        assert.equal(read(`#window=${none}`).window, null);
});
