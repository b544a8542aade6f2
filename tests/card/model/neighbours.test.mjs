// SPDX-License-Identifier: Apache-2.0
/* Which run comes before and after another one, as cards of a site ask its index. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askedFor, findNeighbour } from '../../../assets/src/index/neighbours.js';

const run = (card, job, start) => ({ card: card && `cards/${card}.html`, job, start });
const RUNS = [
    run('c', 'a', 30),
    run('x', 'b', 25),
    run('', 'a', 20),
    run('b', 'a', 10),
    run('old', 'a', null),
    run('a', 'a', 5),
];
const to = (way, name) => {
    const { to: at } = findNeighbour(RUNS, { way, name: `${name}.html` });
    return at < 0 ? null : RUNS[at].card;
};

test('the nearest run of the same job that has a card, whatever the order of the list', () => {
    assert.equal(to('next', 'a'), 'cards/b.html');
    assert.equal(to('next', 'b'), 'cards/c.html');
    assert.equal(to('previous', 'c'), 'cards/b.html');
    assert.equal(to('compare', 'c'), 'cards/b.html');
});

test('the first and the last one have no neighbour there, nor has one without a time', () => {
    assert.equal(to('previous', 'a'), null);
    assert.equal(to('next', 'c'), null);
    assert.equal(to('next', 'x'), null);
    assert.equal(to('next', 'old'), null);
});

test('a card that is not in the list leads nowhere', () => {
    assert.deepEqual(findNeighbour(RUNS, { way: 'next', name: 'gone.html' }), { from: -1, to: -1 });
});

test('only what a card asks is an answer', () => {
    assert.deepEqual(askedFor('#next=a%20b.html'), { way: 'next', name: 'a b.html' });
    assert.deepEqual(askedFor('#compare=a.html'), { way: 'compare', name: 'a.html' });
    for (const hash of ['', '#q=next', '#next=', '#next=../../x', '#next=a.html&q=1', '#later=a.html'])
        assert.equal(askedFor(hash), null, hash);
});
