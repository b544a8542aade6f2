// SPDX-License-Identifier: Apache-2.0
/*
 * The script of the card: decodes the data island and brings the static page to life. If the data cannot be decoded,
 * the page stays as it is without scripts. The places that are filled are listed in doc/formats/payload.md.
 */
import { copyText } from './dom/copy.js';
import { el, icon, listen, refill } from './dom/elements.js';
import { enterRoot, isFragment, root } from './dom/root.js';
import { firstState, parseState } from './model/state.js';
import { NO_SOURCES } from './model/source.js';
import { createStore } from './store/store.js';
import { decodePayload } from './payload/profile.js';
import { decodeSources } from './payload/unpack.js';
import { followAddress } from './view/address.js';
import { createComparison, followSwitch } from './view/compare.js';
import { followView, followWindow } from './view/command.js';
import { createCrumbs } from './view/crumbs.js';
import { tellHeight } from './view/embed.js';
import { createFlamegraph } from './view/flamegraph/flamegraph.js';
import { createHelp } from './view/help.js';
import { listenForKeys } from './view/keys.js';
import { createMini } from './view/mini.js';
import { openOnPaper } from './view/paper.js';
import { createSave } from './view/save.js';
import { createSearch } from './view/search.js';
import { createSide } from './view/side/side.js';
import { createTable } from './view/table/table.js';
import { createTabs, readTabs } from './view/tabs.js';
import { createTheme } from './view/theme.js';
import { createTimeline } from './view/timeline.js';
import { createToolbar } from './view/toolbar.js';
import { createTree } from './view/tree.js';
import { createWindow } from './view/window/window.js';

/** @param {string} name @returns {HTMLElement | null} */
const mount = (name) => root.querySelector(`[data-mount="${name}"]`);

/**
 * The tabs and what they show.
 * @param {import('./store/store.js').Store} store
 * @param {ReturnType<typeof readTabs>} tabs
 */
function mountProfile(store, tabs) {
    const place = (/** @type {string} */ name) => /** @type {HTMLElement} */ (mount(name));
    const head = /** @type {HTMLElement} */ (mount('tabs'));

    /** Scrolls so that tabs, tools and views are seen. @param {boolean} [always]  also if they are already */
    function showViews(always = false) {
        const { bottom } = place('graph').getBoundingClientRect();
        const { top } = head.getBoundingClientRect();
        const isSeen = top >= 0 && bottom <= window.innerHeight;
        if (always || !isSeen) head.parentElement?.scrollIntoView({ block: 'start' });
    }

    // First the tabs: what comes after them measures what they show.
    const choice = createTabs(store, tabs, {
        graph: /** @type {HTMLElement} */ (root.getElementById('panel-graph')),
        table: place('table'),
        title: root.querySelector('.tabname'),
    });
    // The graph measures itself: it must be visible, or not, before it is drawn.
    const showOne = () => void (place('graph').hidden = store.state.view === 'tree');
    store.onChange(showOne);
    showOne();
    const graph = createFlamegraph(store, place('graph'));
    const search = createSearch(store, graph, showViews);
    const table = createTable(store, place('table'), graph);
    const tree = createTree(store);
    place('graph').before(tree.element);
    const views = [
        choice,
        createToolbar(store, place('toolbar'), search.element),
        search,
        createCrumbs(store, place('crumbs')),
        graph,
        tree,
        graph.outline,
        createMini(store, place('mini'), graph),
        createSide(store, place('side'), graph),
        table,
    ];
    // The program's links into the graph: their numbers are those of the profile's own tree.
    for (const link of root.querySelectorAll('a[data-node]')) {
        listen(link, 'click', (event) => {
            const { view = '', node = '0' } = /** @type {HTMLElement} */ (link).dataset;
            event.preventDefault();
            store.set({ tab: view });
            showNode(Number(node));
        });
    }

    /** @param {number} node  of the profile's own tree */
    function showNode(node) {
        graph.show(store.select.tree(), node);
        showViews(true);
        graph.flash();
    }
    const save = createSave(store, graph, table).element;
    return { graph, search, save, showNode, update: () => views.forEach((view) => view.update()) };
}

/** @param {string[]} list @param {string} item */
const toggled = (list, item) => (list.includes(item) ? list.filter((other) => other !== item) : list.concat(item));

/** A button next to each command to copy it. */
function addCopyButtons() {
    for (const command of root.querySelectorAll('.cmd')) {
        const button = el(
            'button',
            {
                class: 'btn icon',
                'aria-label': 'Copy the command',
                title: 'Copy',
                onclick: async () => {
                    const done = await copyText(command.querySelector('code')?.textContent ?? '');
                    refill(button, icon(done ? 'tick' : 'copy'));
                },
            },
            icon('copy'),
        );
        command.append(button);
    }
}

function start() {
    enterRoot(document.currentScript);
    const island = root.getElementById('pr-payload');
    if (!island) return;
    const profile = decodePayload(island.textContent ?? '');
    const tabHost = mount('tabs');
    const tabs = tabHost ? readTabs(tabHost) : [];
    const known = {
        tabs: tabs.map((tab) => tab.name),
        threads: profile.threads.length,
        frames: profile.frames.count,
        bins: profile.history?.bins.count ?? 0,
    };
    const first = firstState(tabs[0]?.name ?? '');
    const sources = root.getElementById('pr-sources');
    const store = createStore(profile, tabs, parseState(isFragment() ? '' : location.hash, first, known), {
        ...(sources ? decodeSources(sources.textContent ?? '') : NO_SOURCES),
    });

    const lanes = mount('timeline');
    const timeline = lanes && profile.series.length ? createTimeline(store, lanes, mount('jumps')) : null;
    const jumps = mount('jumps');
    const part = timeline && jumps && profile.history ? createWindow(store, timeline, jumps) : null;
    const views = tabs.length ? mountProfile(store, tabs) : null;
    const menu = part && views && root.querySelector('.win');
    const place = root.getElementById('profile');
    const comparison = menu && place ? createComparison(store, menu, place, views.showNode) : null;
    const theme = createTheme(
        store,
        [timeline, views?.graph].filter((view) => view != null),
    );
    const help = createHelp();
    mount('actions')?.replaceChildren(...(views ? [views.save] : []), theme.button, help.button);
    addCopyButtons();
    openOnPaper(root);
    followSwitch(store);

    root.querySelectorAll('[data-static]').forEach((part) => part.setAttribute('hidden', ''));
    root.querySelectorAll('[data-live]').forEach((part) => part.removeAttribute('hidden'));
    const wrap = /** @type {HTMLElement} */ (root.querySelector('.wrap'));
    let width = wrap.clientWidth;
    const fit = () => {
        if (wrap.clientWidth === width) return;
        width = wrap.clientWidth;
        timeline?.update();
        part?.update();
        views?.graph.update();
    };
    theme.update();
    timeline?.update();
    part?.update();
    views?.update();
    comparison?.update();
    followView(store, mount('command'));
    followWindow(store, mount('command-window'), mount('command-view'));
    if (!isFragment()) followAddress(store, first, known);
    new ResizeObserver(fit).observe(wrap);
    listenForKeys({
        '?': help.open,
        d: theme.toggle,
        ...(timeline && { p: timeline.toPeak }),
        ...(part && { '[': () => part.setEdge('first'), ']': () => part.setEdge('last') }),
        ...(views && {
            '/': views.search.focus,
            0: () => store.set({ zoom: 0 }),
            i: () => store.set({ upward: !store.state.upward }),
            t: () => profile.time && store.set({ order: store.select.order() === 'time' ? 'merged' : 'time' }),
            b: () => store.set({ order: store.select.order() === 'callers' ? 'merged' : 'callers' }),
            s: () => store.set({ order: store.select.isSandwich() ? 'merged' : 'sandwich' }),
            h: () => store.set({ hide: toggled(store.state.hide, 'imports') }),
            c: () => root.querySelector('.acts .btn:last-child')?.dispatchEvent(new MouseEvent('click')),
        }),
        ...Object.fromEntries(tabs.map((tab, i) => [String(i + 1), () => store.set({ tab: tab.name })])),
    });
    if (!isFragment()) tellHeight();
}

start();
