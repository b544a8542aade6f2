// SPDX-License-Identifier: Apache-2.0
/* What a function without a name is called, and what a function holds over all its paths. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finish } from '../../../assets/src/lib/slices.js';
import { collapsedStacks } from '../../../assets/src/model/formats.js';
import { joinProfiles } from '../../../assets/src/model/join.js';
import { stringAt } from '../../../assets/src/model/profile.js';
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

const LIST = '<listcomp>=>load \u203a list comprehension@a.py';

test('a nameless function is called by what it is and where: in the graph, in lists, in the search', () => {
    const profile = profileOf([
        [`run@a.py > load@a.py > ${LIST}`, 10],
        ['run@a.py > <lambda>=>lambda@a.py', 5],
    ]);
    const store = opened(profile);
    assert.deepEqual(labels(store).sort(), ['lambda', 'load', 'load \u203a list comprehension', 'run']);
    for (const query of ['list comp', 'listcomp', 'LOAD \u203a', '/compreh/']) {
        store.set({ query });
        assert.equal(store.select.matches()?.sum, 10, query);
    }
    store.set({ query: '', order: 'callers' });
    assert.ok(labels(store).includes('load \u203a list comprehension'), 'below callees too');
    const [, load] = Array.from({ length: profile.frames.count }, (_, f) => f);
    store.set({ order: 'merged', drop: [load] });
    assert.ok(labels(store).includes('load \u203a list comprehension'), 'whatever is hidden');
});

test('other tools get the names that were recorded', () => {
    const profile = profileOf([[`load@a.py > ${LIST}`, 10]]);
    const { select } = opened(profile);
    assert.equal(collapsedStacks(profile, select.graph(), select.sums(), false), 'load;<listcomp> 10\n');
});

test('two runs have a comprehension in common by its function, on whatever line', () => {
    const [before, after] = [10, 14].map((value) =>
        profileOf([
            [`load@a.py:${value} > <listcomp>=>load \u203a list comprehension@a.py:${value}`, value],
            [`save@a.py:${value + 9} > <listcomp>=>save \u203a list comprehension@a.py:${value + 9}`, 3],
        ]),
    );
    const { frames, strings } = joinProfiles(before, after, after);
    const names = Array.from(frames.function, (name) => stringAt(strings, name));
    assert.deepEqual(names, ['load', 'load.<locals>.<listcomp>', 'save', 'save.<locals>.<listcomp>']);
    assert.equal(stringAt(strings, frames.shown[1]), 'load \u203a list comprehension');
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
    const { count, total, self, own, ownHere } = finish(select.paths(first));
    assert.deepEqual({ count, total, self, own, ownHere }, { count: 2, total: 26, self: 9, own: 19, ownHere: 14 });
    assert.equal(finish(select.paths(second)).ownHere, 5);
});
