// SPDX-License-Identifier: Apache-2.0
/* For cards with a profile: the tabs and what they show. */
import { listen } from '../dom/elements.js';
import { later } from '../dom/later.js';
import { root } from '../dom/root.js';
import { finish } from '../lib/slices.js';
import { parts } from '../parts.js';
import { followView } from '../view/command.js';
import { createCrumbs } from '../view/crumbs.js';
import { createFlamegraph } from '../view/flamegraph/flamegraph.js';
import { createMini } from '../view/mini.js';
import { createSave } from '../view/save.js';
import { createSearch } from '../view/search.js';
import { createSheet } from '../view/sheet.js';
import { createSide } from '../view/side/side.js';
import { createTable } from '../view/table/table.js';
import { createTabs } from '../view/tabs.js';
import { createToolbar } from '../view/toolbar.js';

/** In a larger tree, what is said of the graph takes longer than to draw it, and comes after it. */
const MANY_NODES = 500_000;

parts.profile = (store, tabs, mount) => {
    const isLarge = store.profile.tree.count > MANY_NODES;
    // What has figures of all nodes waits for them.
    const afterGraph = isLarge ? later : (/** @type {() => Generator} */ work) => () => {
        if (!store.profile.whole) finish(work());
    };
    const place = (/** @type {string} */ name) => /** @type {HTMLElement} */ (mount(name));
    const head = /** @type {HTMLElement} */ (mount('tabs'));

    /** Scrolls so that tabs, tools and views are seen. @param {boolean} [always]  also if they are already */
    function showViews(always = false) {
        const { bottom } = place('graph').getBoundingClientRect();
        const { top } = head.getBoundingClientRect();
        const isSeen = top >= 0 && bottom <= window.innerHeight;
        if (always || !isSeen) root.getElementById('profile')?.scrollIntoView({ block: 'start' });
    }

    // First the tabs: what comes after them measures what they show.
    const panels = {
        graph: /** @type {HTMLElement} */ (root.getElementById('panel-graph')),
        table: place('table'),
        title: /** @type {HTMLElement | null} */ (root.querySelector('.tabname')),
    };
    const choice = createTabs(store, tabs, panels, parts.tree !== undefined);
    // The graph measures itself: it must be visible, or not, before it is drawn.
    const showOne = () => void (place('graph').hidden = store.state.view !== 'graph');
    store.onChange((changed) => {
        showOne();
        // On a phone the panel of the frame is screens below.
        const { bottom } = place('mini').getBoundingClientRect();
        if (bottom < 0 && (changed.has(/* @__KEY__ */ 'tab') || changed.has(/* @__KEY__ */ 'view'))) showViews(true);
    });
    showOne();
    const graph = createFlamegraph(store, place('graph'));
    const search = createSearch(store, graph, showViews);
    const table = createTable(store, place('table'), graph);
    const mini = createMini(store, place('mini'), graph, afterGraph);
    const views = [
        choice,
        createToolbar(store, place('toolbar'), search.element),
        search,
        createCrumbs(store, place('crumbs')),
        graph,
        graph.outline,
        table,
    ];
    const lists = [mini, createSide(store, place('side'), graph, afterGraph)];
    createSheet(store, /** @type {HTMLElement} */ (root.getElementById('profile')), place('side'));
    for (const view of [parts.tree?.(store), parts.source?.(store, graph)]) {
        if (!view) continue;
        place('graph')['before'](view.element);
        views.push(view);
    }
    // The program's links into the graph: their numbers are those of the profile's own tree.
    for (const link of root.querySelectorAll('a[data-node]')) {
        listen(link, 'click', (event) => {
            const { 'view': view = '', 'node': node = '0' } = /** @type {HTMLElement} */ (link).dataset;
            event.preventDefault();
            // They are of the whole run, with all of its functions.
            store.set({ tab: view, threads: null, window: null, during: '', through: -1, drop: [], away: [] });
            if (store.select.isTable()) store.set({ view: 'graph' });
            showNode(Number(node));
        });
    }

    /** @param {number} node  of the profile's own tree */
    function showNode(node) {
        graph.show(store.select.tree(), node);
        showViews(true);
        graph.flash();
    }
    /** Lists, and then a graph that is above them alone, fill what is empty next to the panel of the selected frame. */
    function useRoom() {
        const side = place('side');
        const { classList: looks } = /** @type {Element} */ (side.parentElement);
        looks.remove('deep');
        const above = place('mini').getBoundingClientRect().top - side.getBoundingClientRect().top;
        if (above < 0 || place('graph').hidden || !place('graph').clientWidth) return;
        const ends = Array.from(side.children, (part) => part.getBoundingClientRect().bottom);
        const spare = () => Math.max(...ends) - mini.bottom();
        graph.grow(0);
        mini.grow(0);
        looks.toggle('deep', place('graph').getBoundingClientRect().bottom > Math.max(...ends));
        if (looks.contains('deep')) return;
        mini.grow(spare());
        if (above > 0) graph.grow(spare());
    }
    followView(store, mount('command'));
    const save = createSave(store, graph, table).element;
    const updateLists = afterGraph(function* () {
        for (const list of lists) yield* list.update();
        useRoom();
        // The first click asks for the address, which needs a hash of each function's name.
        if (isLarge) setTimeout(store.address);
    });
    const update = () => {
        views.forEach((view) => view.update());
        updateLists();
    };
    return { graph, search, save, showNode, nextView: choice.nextView, update, fit: () => (graph.update(), useRoom()) };
};
