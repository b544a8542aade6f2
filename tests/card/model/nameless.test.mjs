// SPDX-License-Identifier: Apache-2.0
/* What a function without a name is called, and what a function holds over all its paths. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownName } from '../../../assets/src/model/nameless.js';
import { createStore } from '../../../assets/src/store/store.js';
import { firstState } from '../../../assets/src/model/state.js';
import { profileOf } from '../support/profile.mjs';

/** The store of a page, and its first node of a name as recorded. */
function opened(profile) {
    const tabs = profile.metrics.map(({ name }, metric) => ({ name, metric }));
    return createStore(profile, tabs, firstState(tabs[0].name));
}

const labels = ({ select }) =>
    Array.from({ length: select.graph().count }, (_, node) => select.label(node).name).slice(1);

test('a nameless function is named after the one around it, where its own name says so', () => {
    assert.equal(shownName('load.<locals>.<listcomp>'), 'load \u203a list comprehension');
    assert.equal(shownName('lags.<locals>.<dictcomp>.<listcomp>'), 'lags \u203a list comprehension');
    assert.equal(shownName('<lambda>'), 'lambda');
    assert.equal(shownName('A.f.<locals>.g.<locals>.<genexpr>'), 'A.f.<locals>.g \u203a generator expression');
    for (const name of ['load', '<module>', 'operator<', 'f<listcomp> x']) assert.equal(shownName(name), name);
});

test('a comprehension runs only in the function around it; a lambda and a generator run anywhere', () => {
    const store = opened(
        profileOf([
            ['load@a.py > <dictcomp>@a.py > <listcomp>@a.py', 10],
            ['save@a.py > <lambda>@a.py', 5],
            ['read@b.py > <genexpr>@a.py', 3],
            ['run@b.py > <listcomp>@a.py', 2],
        ]),
    );
    assert.deepEqual(labels(store).sort(), [
        'generator expression',
        'lambda',
        'list comprehension',
        'load',
        'load \u203a dict comprehension',
        'load \u203a list comprehension',
        'read',
        'run',
        'save',
    ]);
    store.set({ order: 'callers' });
    assert.ok(labels(store).every((name) => !name.includes('\u203a')), 'below callees, several may be in one box');
});

test('what is hidden between them gives a comprehension no other name', () => {
    const profile = profileOf([['run@a.py > load@a.py > <listcomp>@a.py', 10]]);
    const store = opened(profile);
    const load = Array.from({ length: profile.frames.count }, (_, f) => f)[1];
    store.set({ drop: [load] });
    assert.deepEqual(labels(store), ['run', 'load \u203a list comprehension']);
});

test('over all paths: recursion counts once, own amounts with libraries, here and everywhere', () => {
    const profile = profileOf([
        ['main@a.py > f@a.py > lib:read@l.py', 10],
        ['main@a.py > f@a.py > f@a.py', 4],
        ['main@a.py > g@a.py > f@a.py', 5],
        ['main@a.py > g@a.py > f@a.py > h@a.py', 7],
    ]);
    const store = opened(profile);
    const { select } = store;
    const [first, , second] = Array.from({ length: select.graph().count }, (_, node) => node).filter(
        (node) => select.label(node).name === 'f',
    );
    const { count, total, self, own, ownHere } = select.paths(first);
    assert.deepEqual({ count, total, self, own, ownHere }, { count: 2, total: 26, self: 9, own: 19, ownHere: 14 });
    assert.equal(select.paths(second).ownHere, 5);
});
