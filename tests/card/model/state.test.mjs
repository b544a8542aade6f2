// SPDX-License-Identifier: Apache-2.0
/* The address: what is written is read back, what is not understood is left alone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstState, formatState as format, parseState } from '../../../assets/src/model/state.js';

const frame = (key) => (/^f\d+$/.test(key) ? Number(key.slice(1)) : -1);
const during = (text) => (/^[\d.]+-[\d.]+$/.test(text) ? text : '');
const KNOWN = { tabs: ['peak', 'leaks'], threads: 4, frame, bins: { first: 0, last: 99 }, tree: true, during };
const FIRST = firstState('peak');
const read = (hash) => parseState(hash, FIRST, KNOWN);
const formatState = (state) => format(state, { node: (node) => `n${node}`, frame: (f) => `f${f}` });
/** As it is read: nodes are keys until there is a graph. */
const asRead = (state) => ({ ...state, zoom: '', selected: '' });

test('the first look is short, and comes back', () => {
    assert.equal(formatState(FIRST), 'tab=peak');
    assert.deepEqual(read('#tab=peak'), asRead(FIRST));
    assert.deepEqual(read(''), asRead(FIRST));
});

test('everything that can be chosen comes back', () => {
    const state = {
        tab: 'leaks',
        zoom: 17,
        across: '8.000000-0.250000000',
        selected: 3,
        query: '/a&b=#%/',
        threads: [0, 2],
        window: { first: 3, last: 17 },
        against: { first: 0, last: 2 },
        during: '0.02-1.26',
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
        away: [7, 2],
        lent: [3, 9],
        shares: true,
        side: 'before',
        view: 'tree',
        theme: 'dark',
    };
    const known = { ...state, zoom: 'n17', selected: 'n3' };
    assert.deepEqual(read(`#${formatState(state)}`), known);
    assert.deepEqual(read(formatState({ ...state, hide: ['imports', 'native'], descending: true })), {
        ...known,
        hide: ['imports', 'native'],
        descending: true,
    });
});

test('the table is a view of each metric, and an address from when it was a tab still means it', () => {
    assert.deepEqual(read('#tab=leaks&view=table'), asRead({ ...FIRST, tab: 'leaks', view: 'table' }));
    assert.deepEqual(read('#tab=table'), asRead({ ...FIRST, view: 'table' }));
    assert.equal(read('#view=table&sort=-in-leaks').sort, 'in-leaks');
    assert.equal(read('#view=table&sort=-in-nothing').sort, 'total');
});

test('no choice of threads at all is a choice too', () => {
    assert.deepEqual(read(formatState({ ...FIRST, threads: [] })).threads, []);
    assert.equal(read('#tab=peak').threads, null);
});

test('what is not understood is as if it were not there', () => {
    assert.deepEqual(read('#peak'), asRead(FIRST));
    const frames = 'of=x&through=50&drop=a.f.9';
    assert.deepEqual(read(`#tab=__proto__&${frames}&threads=9.x&hide=me&by=x&sort=-constructor&theme=red`), {
        ...asRead(FIRST),
        hide: [],
    });
});

test('a part of a graph that is all of it is none', () => {
    assert.equal(read('#across=0-0').across, '');
    assert.equal(read('#across=1-0.5').across, '');
    assert.equal(read('#across=1.0000001-0').across, '');
    assert.equal(read('#across=2-0.9').across, '2.000000-0.500000000');
});

test('a window is inside of the run', () => {
    assert.deepEqual(read('#window=b0:b0').window, { first: 0, last: 0 });
    assert.deepEqual(read('#window=b99:b5000').window, { first: 99, last: 99 });
    assert.deepEqual(read('#window=b-1:b4').window, { first: 0, last: 4 });
    for (const none of ['b100:b101', 'b5:b4', '5:9', 'b-2:b-1', 'b1:', 'b1e2:b3', ''])
        assert.equal(read(`#window=${none}`).window, null);
});
