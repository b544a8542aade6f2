// SPDX-License-Identifier: Apache-2.0
/* The store: what follows from a choice, what commands do, and who is notified. It needs no page. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finish } from '../../../assets/src/lib/slices.js';
import { firstState } from '../../../assets/src/model/state.js';
import { NO_SOURCES } from '../../../assets/src/model/source.js';
import { MANY_TO_SEARCH, MANY_TO_TURN } from '../../../assets/src/store/commands.js';
import { follows } from '../../../assets/src/store/memo.js';
import { createSelectors } from '../../../assets/src/store/selectors.js';
import { createState } from '../../../assets/src/store/state.js';
import { createStore } from '../../../assets/src/store/store.js';
import { profileOf } from '../support/profile.mjs';
import { randomRun } from '../support/run.mjs';

const TABS = [
    { name: 'peak', metric: 0 },
    { name: 'leaked', metric: 1 },
];

const STACKS = [
    ['main > load > lib:read', 60, { leaked: 0 }],
    ['main > load', 10, { leaked: 0 }],
    ['main > save', 30, { thread: 1, leaked: 7 }],
    ['imp:find > main', 5, { leaked: 0 }],
];
const some = (more) => profileOf(STACKS, { threads: ['MainThread', 'worker'], ...more });

/** Selectors over a choice that the test itself changes. */
function selectorsOf(profile, wish = {}) {
    const { choice } = createState({ ...firstState('peak'), ...wish });
    const choose = (more) => (choice.state = { ...choice.state, ...more });
    return { select: createSelectors(profile, TABS, choice), choice, choose };
}

const storeOf = (profile, wish = {}) => createStore(profile, TABS, { ...firstState('peak'), ...wish }, NO_SOURCES);

/** The node with this path of names. */
function nodeAt({ graph, label }, ...names) {
    const { parent, count } = graph();
    const pathOf = (node) => (node === 0 ? [] : [...pathOf(parent[node]), label(node).name]);
    const found = Array.from({ length: count }, (_, n) => n).find((n) => pathOf(n).join() === names.join());
    assert.notEqual(found, undefined, `there is no ${names.join(' > ')}`);
    return found;
}

const total = ({ sums }) => sums().total[0];

test('what follows is computed once until what it follows from changes', () => {
    let input = 1;
    let computed = 0;
    const twice = follows(
        (more) => [input, more],
        (more) => (computed++, 2 * input + more),
    );
    assert.deepEqual([twice(0), twice(0), computed], [2, 2, 1]);
    input = 3;
    assert.deepEqual([twice(0), twice(0), computed], [6, 6, 2]);
    assert.deepEqual([twice(5), twice(5), computed], [11, 11, 3]);
});

test('a selector is computed again only by a choice that it follows from', () => {
    const { select, choose } = selectorsOf(some());
    const names = ['called', 'graph', 'sums', 'matches', 'query', 'wanted', 'metric', 'flat', 'rows', 'matchList'];
    const changedBy = (wish) => {
        const before = names.map((name) => select[name]());
        choose(wish);
        return names.filter((name, i) => select[name]() !== before[i]);
    };
    assert.deepEqual(changedBy({ zoom: 1, selected: 2, upward: true, theme: 'dark' }), []);
    assert.deepEqual(changedBy({ query: 'load' }), ['matches', 'query', 'matchList']);
    assert.deepEqual(changedBy({ threads: [0] }), ['sums', 'matches', 'wanted', 'rows', 'matchList']);
    assert.deepEqual(changedBy({ order: 'callers' }), ['graph', 'sums', 'matches', 'matchList']);
    assert.deepEqual(changedBy({ runner: false }), ['called', 'graph', 'sums', 'matches', 'matchList']);
    assert.deepEqual(changedBy({ by: 'file' }), ['rows']);
});

test('threads, hidden groups and the order change what is shown, never what it adds up to', () => {
    const { select, choose } = selectorsOf(some());
    assert.equal(total(select), 105);
    for (const order of ['merged', 'callers', 'time']) {
        choose({ order, hide: ['imports', 'library'], by: 'line' });
        assert.equal(total(select), 105, order);
    }
    choose({ threads: [1] });
    assert.equal(total(select), 30);
    assert.equal(select.rows().self.reduce((sum, value) => sum + value, 0), 30);
});

test('only the metric that knows what ran when is shown in the order of time', () => {
    const { select, choice, choose } = selectorsOf(some({ stretches: [[0, 0, 3], [1, 3, 1], [2, 0, 9]] }));
    choose({ order: 'time' });
    assert.deepEqual([select.order(), select.threadInTime(), 'start' in select.graph()], ['time', 1, true]);
    choose({ threads: [0] });
    assert.equal(select.threadInTime(), 0);
    choice.metric = 1;
    assert.deepEqual([select.order(), select.threadInTime(), 'start' in select.graph()], ['merged', -1, false]);
});

test('a window changes the metrics that have a history, and is compared with another part', () => {
    const { bins, steps, moves } = randomRun(3, { facts: 4, events: 80, bins: 6 });
    const stacks = steps.map((own, i) => [`f${i}`, 7, { steps: own, moves: moves[i] }]);
    const { select, choose } = selectorsOf(profileOf(stacks, { bins, endMs: bins.end.at(-1) }));
    assert.deepEqual([select.part(), select.against(), select.baseSums()], [null, null, null]);
    choose({ window: { first: 4, last: 5 }, against: { first: 0, last: 1 } });
    const highest = (first, last) => Math.max(...bins.peak.slice(first, last + 1));
    assert.equal(select.part().peakBytes, highest(4, 5));
    assert.equal(total(select), highest(4, 5));
    assert.equal(select.baseSums().total[0], highest(0, 1));
    choose({ against: { first: 4, last: 5 } });
    assert.deepEqual([select.against(), select.baseSums()], [null, null], 'a part is not compared with itself');
});

test('the lists show the tree as it was called, whatever the order of the graph is', () => {
    const { select, choose } = selectorsOf(some());
    assert.equal(select.plain().graph(), select.graph());
    choose({ order: 'callers' });
    assert.notEqual(select.plain().graph(), select.graph());
    assert.equal(select.plain().graph(), select.called());
    assert.equal(total(select.plain()), 105);
});

test('in a sandwich the function is in the middle of what calls it and what it calls', () => {
    const store = storeOf(some());
    store.set({ selected: nodeAt(store.select, 'main', 'load') });
    store.set({ order: 'sandwich' });
    const { select } = store;
    assert.equal(select.label(1).name, 'load');
    assert.deepEqual([select.sums().total[1], select.callers.sums().total[1]], [70, 70]);
    assert.equal(select.callers.label(2).name, 'main');
    assert.equal(store.state.selected, 1);
    store.zoomCallers(2);
    assert.equal(select.zoomOfCallers(), 2);
    store.set({ order: 'merged' });
    assert.equal(store.state.focus, -1);
    assert.equal(select.label(store.state.selected).name, 'load', 'it stays the selected frame');
});

test('listeners get the names of what changed, and hear nothing when nothing did', () => {
    const store = storeOf(some());
    const heard = [];
    store.onChange((changed) => heard.push([...changed].sort().join()));
    store.set({ query: 'load' });
    store.set({ query: 'load' });
    store.set({ zoom: 1 });
    store.set({ window: null });
    assert.deepEqual(heard, ['query', 'zoom']);
});

test('a frame that holds nothing in the new view is neither zoomed to nor selected', () => {
    const store = storeOf(some());
    const load = nodeAt(store.select, 'main', 'load');
    store.set({ zoom: load, selected: load });
    store.set({ tab: 'leaked' });
    assert.equal(store.state.zoom, 0);
    assert.equal(store.select.label(store.state.selected).name, 'save');
    store.set({ zoom: 10_000, selected: 10_000 });
    assert.equal(store.state.zoom, 0);
});

test('the same frame stays zoomed to and selected when groups are hidden or callers come below', () => {
    const store = storeOf(some());
    const load = nodeAt(store.select, 'main', 'load');
    store.set({ zoom: load, selected: load });
    store.set({ hide: ['library'], by: 'line', split: true });
    assert.equal(store.select.label(store.state.zoom).name, 'load');
    assert.equal(store.select.label(store.state.selected).name, 'load');
    store.set({ order: 'callers' });
    assert.equal(store.state.zoom, 0, 'the other way round there is another way to it');
    assert.equal(store.select.label(store.state.selected).name, 'load');
});

test('each tab begins with its own heaviest frame, until a person has selected one', () => {
    const store = storeOf(some());
    assert.equal(store.select.label(store.state.selected).name, 'load');
    store.set({ tab: 'leaked' });
    assert.equal(store.select.label(store.state.selected).name, 'save');
    store.set({ tab: 'peak' });
    const save = nodeAt(store.select, 'main', 'save');
    store.set({ selected: save });
    store.set({ tab: 'leaked' });
    store.set({ tab: 'peak' });
    assert.equal(store.state.selected, save);
});

test('the table shows the metric of its tab, and what its rows hold of the others', () => {
    const store = storeOf(some());
    store.set({ tab: 'leaked', view: 'table' });
    assert.deepEqual([store.select.isTable(), store.select.metricNumber()], [true, 1]);
    const [other] = store.select.others();
    assert.equal(other.tab.name, 'peak');
    const { graph, rows, label } = store.select;
    const peak = storeOf(some()).select.rows();
    const names = Array.from(rows().node, (node) => label(node).name);
    assert.deepEqual(names, ['main', 'save']);
    const held = (name) =>
        peak.total[Array.from(peak.node).findIndex((node) => storeOf(some()).select.label(node).name === name)];
    assert.ok(graph().count > 1);
    assert.deepEqual([...other.total], names.map(held));
});

test('what the first finding is about is selected first, until something else is chosen', () => {
    const find = () => nodeAt(storeOf(some()).select, 'main', 'save');
    const told = { peak: storeOf(some()).select.tree().parent.length - 1 };
    const told2 = createStore(some(), TABS, firstState('peak'), NO_SOURCES, told);
    const heaviest = storeOf(some());
    assert.notEqual(told2.state.selected, heaviest.state.selected);
    told2.set({ threads: [1] });
    assert.equal(told2.state.selected, told2.select.graph() && told2.state.selected);
    assert.ok(find());
});

test('without a window nothing is compared', () => {
    const { bins, steps, moves } = randomRun(3, { facts: 2, events: 40, bins: 4 });
    const stacks = steps.map((own, i) => [`f${i}`, 7, { steps: own, moves: moves[i] }]);
    const store = storeOf(profileOf(stacks, { bins, endMs: bins.end.at(-1) }));
    store.set({ window: { first: 2, last: 3 }, against: { first: 0, last: 1 } });
    const { window } = store.state;
    store.set({ window: { ...window } });
    assert.equal(store.state.window, window, 'the same window is not a change');
    store.set({ window: null });
    assert.equal(store.state.against, null);
});

/** A tree with so many nodes that inverting it takes several slices. */
function hugeProfile(nodes = MANY_TO_TURN) {
    const stacks = [];
    for (let i = 0; i < nodes; i++) stacks.push([`main > f${i % 97} > g${i % 89} > h${i % 997}`, 1 + (i % 7)]);
    return profileOf(stacks);
}

test('a huge tree is turned over in slices, which say how far they are', async () => {
    const store = storeOf(hugeProfile());
    const shares = [];
    const done = new Promise((resolve) => store.onChange((changed) => changed.has('order') && resolve()));
    store.onBusy((share) => shares.push(share));
    store.set({ order: 'callers' });
    assert.deepEqual([store.state.order, shares], ['merged', [0]], 'not at once');
    await done;
    assert.equal(store.state.order, 'callers');
    assert.deepEqual([shares[0], shares.at(-1)], [0, null]);
    assert.ok(shares.slice(0, -1).every((share, i) => i === 0 || share >= shares[i - 1]));
    const turned = store.select.graph();
    store.set({ order: 'merged' });
    store.set({ order: 'callers' });
    assert.equal(store.select.graph(), turned, 'the second time it is there at once');
});

test('another choice gives up what takes long', async () => {
    const store = storeOf(hugeProfile());
    const shares = [];
    store.onBusy((share) => shares.push(share));
    store.set({ order: 'callers' });
    store.set({ query: 'main' });
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.deepEqual([store.state.order, shares], ['merged', [0, null]]);
});

test('the lists of all are made once, also after a zoom; those of a part and of other facts are their own', () => {
    const { select, choose } = selectorsOf(some());
    const named = ({ list }) => list.map(({ node, value }) => [select.plain().label(node).name, value]);
    const all = finish(select.lists(0));
    assert.deepEqual(named(all), [['read', 60], ['save', 30], ['load', 10], ['main', 5]]);
    assert.deepEqual(named(finish(select.lists(nodeAt(select, 'main', 'load')))), [['read', 60], ['load', 10]]);
    assert.equal(finish(select.lists(0)), all);
    choose({ threads: [1] });
    assert.deepEqual(named(finish(select.lists(0))), [['save', 30]]);
});

let toSearch = null;
const profileToSearch = () => (toSearch ??= hugeProfile(MANY_TO_SEARCH));

test('a huge tree is searched in slices, and finds what a search at once finds', async () => {
    const store = storeOf(profileToSearch());
    const found = (query) => new Promise((done) => store.onChange(() => store.state.query === query && done()));
    store.set({ query: 'g1' });
    assert.equal(store.state.query, '', 'not at once');
    store.set({ query: 'g17' });
    await found('g17');
    const { count, sum } = store.select.matches();
    const { frame } = store.select.graph();
    const isFound = Array.from({ length: Math.max(...new Set(frame)) + 1 }, (_, f) => {
        const node = frame.indexOf(f);
        return node > 0 && store.select.label(node).name === 'g17';
    });
    assert.equal(count, frame.filter((f) => isFound[f]).length);
    assert.equal(sum, store.select.matchList().reduce((all, node) => all + store.select.sums().total[node], 0));
    store.set({ query: '' });
    assert.equal(store.state.query, '', 'nothing to search for is at once');
});

test('what else is chosen while a huge tree is searched takes the search along', async () => {
    const store = storeOf(profileToSearch());
    store.set({ query: 'h7' });
    store.set({ order: 'sandwich' });
    assert.deepEqual([store.state.query, store.state.order], ['h7', 'sandwich']);
});

test('lists of a huge tree stop now and then', () => {
    const store = storeOf(profileToSearch());
    const work = store.select.lists(0);
    let stops = 0;
    for (let at = work.next(); !at.done; at = work.next()) stops++;
    assert.ok(stops > 6, String(stops));
});
