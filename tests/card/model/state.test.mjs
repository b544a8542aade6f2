// SPDX-License-Identifier: Apache-2.0
/* The address: what is written is read back, what is not understood is left alone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstState, formatState, parseState } from '../../../assets/src/model/state.js';

const KNOWN = { tabs: ['peak', 'leaks', 'table'], threads: 4 };
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
        split: true,
        upward: true,
        runner: false,
        hide: [],
        by: 'line',
        sort: 'name',
        descending: false,
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
