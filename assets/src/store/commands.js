// SPDX-License-Identifier: Apache-2.0
/* What changes the choice, and what must hold afterwards: what is zoomed to and selected is visible. */
import { createRunner } from '../lib/slices.js';
import { sumUp } from '../model/calltree.js';
import { frameOf, heaviestOfMine } from '../model/first.js';
import { baseOf, functionName, nodeFor } from '../model/graph.js';
import { createLender } from '../model/lent.js';
import { ROOT } from '../model/profile.js';
import { parseQuery, searching } from '../model/search.js';
import { keysOf } from '../model/keys.js';
import { BY_NAME, formatState } from '../model/state.js';
import { isSameWindow } from '../model/time.js';
import { everyNode, turning } from '../model/turn.js';

/** @typedef {import('../model/graph.js').Graph} Graph */
/** @typedef {import('../model/state.js').State} State */

/** A tree of more nodes is turned over, or searched, in slices of time. */
export const MANY_TO_TURN = 50_000;
export const MANY_TO_SEARCH = 200_000;

/**
 * @param {import('../model/profile.js').Profile} profile
 * @param {import('./selectors.js').Tab[]} tabs
 * @param {ReturnType<typeof import('./state.js').createState>} kept
 * @param {import('./selectors.js').Selectors} select
 * @param {Record<string, number>} told  by tab, the node that its first finding is about
 */
export function createCommands(profile, tabs, { choice, tell, tellBusy }, select, told) {
    const slow = createRunner();
    /** What is typed while a search runs; other changes do not wait for it, and take it along. */
    let waiting = /** @type {Partial<State>} */ ({});
    const keys = keysOf(profile);
    const lend = createLender(profile);

    /** The node of a graph to look at first. @param {Graph} of */
    function firstOf(of) {
        const sums = of === select.graph() ? select.sums() : sumUp(of, select.metric(), select.wanted());
        const base = select.baseMetric();
        const before = base && !('start' in of) && sumUp(of, base, select.wanted()).total;
        const total = before ? sums.total.map((after, node) => Math.abs(after - before[node])) : sums.total;
        return heaviestOfMine(profile, of, { total }, choice.state.order);
    }

    function chooseMetric() {
        choice.metric = tabs.find(({ name }) => name === choice.state.tab)?.metric ?? choice.metric;
    }

    /** A sandwich has a function in its middle: the selected one. @param {Graph} from */
    function chooseFocus(from) {
        const { state } = choice;
        if (!select.isSandwich()) state.focus = -1;
        else if (state.focus < 0 || state.focus >= profile.frames.count)
            state.focus = frameOf(profile, from, state.selected) ?? frameOf(profile, from, firstOf(from)) ?? 0;
    }

    /** The largest frame of a function, as people write its name. @param {string} name */
    function heaviestCalled(name) {
        const { frame, count } = select.graph();
        const { total } = select.held();
        const isIt = Array.from({ length: profile.frames.count }, (_, f) => functionName(profile, f) === name);
        let best = ROOT;
        for (let node = 1; node < count; node++)
            if (isIt[frame[node]] && (!best || total[node] > total[best])) best = node;
        return best;
    }

    /** The node that an address means, now that its graph is known. @param {number | string} wanted */
    function nodeOf(wanted) {
        const { by } = choice.state;
        if (typeof wanted === 'number') return wanted;
        return wanted.startsWith(BY_NAME)
            ? heaviestCalled(wanted.slice(BY_NAME.length))
            : keys.node(select.graph(), wanted, by === 'line', () => select.held().total);
    }

    /** The node of the first finding: of the whole run, in the order of calls. @param {State} state */
    function toldOf({ tab, order, window, threads, through }) {
        const isWhole = order === 'merged' && !window && !threads && through < 0;
        return isWhole && told[tab] ? nodeFor(select.graph(), told[tab]) : ROOT;
    }

    /** Nodes that hold nothing in this view cannot be zoomed to or selected. */
    function settle() {
        const { state } = choice;
        const zoom = nodeOf(state.zoom);
        const selected = nodeOf(state.selected);
        const { total } = select.held();
        const held = (/** @type {number} */ node) => (node < total.length && total[node] > 0 ? node : ROOT);
        const first = () => (select.isSandwich() && total.length > 1 ? ROOT + 1 : firstOf(select.graph()));
        choice.state = { ...state, zoom: held(zoom), selected: held(selected) || held(toldOf(state)) || first() };
    }

    /** In another graph, zooms to and selects the same frames. */
    function followGraph(/** @type {Graph} */ from, /** @type {State} */ before, /** @type {Partial<State>} */ wish) {
        const { state } = choice;
        const graph = select.graph();
        const turned = state.order !== before.order || state.focus !== before.focus;
        const same = (/** @type {number} */ node) => nodeFor(graph, baseOf(from, node));
        const isMiddle = select.isSandwich() && turned;
        state.zoom = wish.zoom ?? (turned ? ROOT : same(before.zoom));
        state.selected = wish.selected ?? (isMiddle ? ROOT + 1 : same(before.selected));
        choice.zoomOfCallers = ROOT;
    }

    /** Begins to turn over a tree that takes long, where a wish does. @param {Partial<State>} wish */
    function turnsSlowly(wish) {
        const called = select.called();
        const turns = wish.order === 'callers' && choice.state.order !== 'callers' && !select.isSandwich();
        if (!turns || called.count <= MANY_TO_TURN || choice.turned.has(called)) return false;
        const done = (/** @type {Graph} */ turned) => {
            choice.turned.set(called, turned);
            tellBusy(null);
            apply(wish);
        };
        tellBusy(0); // and show it before anything else
        slow.start(turning(profile, called, everyNode(called)), done, tellBusy);
        return true;
    }

    /** Begins a search that takes long, where a wish asks for nothing else. @param {Partial<State>} wish */
    function searchesSlowly(wish) {
        const query = Object.values(wish).length === 1 && parseQuery(wish.query ?? '');
        if (!query || query instanceof Error || select.graph().count <= MANY_TO_SEARCH) return false;
        waiting = wish;
        slow.start(searching(profile, select.graph(), select.held(), query), () => apply(wish));
        return true;
    }

    /** What a person or an address asks for. @param {Partial<import('../model/state.js').Wanted>} asked */
    function set(asked) {
        // Keys of nodes become nodes below, in settle().
        const wish = /** @type {Partial<State>} */ ({ ...waiting, ...asked });
        if (slow.stop()) tellBusy(null);
        if (!turnsSlowly(wish) && !searchesSlowly(wish)) apply(wish);
    }

    /** @param {Partial<State>} wish */
    function apply(wish) {
        const before = choice.state;
        waiting = {};
        const from = select.graph();
        const held = select.held();
        // What is below a frame is seen in the graph.
        if (wish.order && !wish.view && before.view === 'table') wish.view = 'graph';
        choice.state = withWindows(profile, { ...before, ...wish }, before);
        lend(choice.state.lent);
        chooseMetric();
        chooseFocus(from);
        if (select.graph() !== from) followGraph(from, before, wish);
        choice.byPerson ||= Boolean(wish.selected);
        // Each view begins with its own heaviest frame.
        if (!choice.byPerson && choice.state.tab !== before.tab) choice.state.selected = ROOT;
        settle();
        // Elsewhere, or of other widths, the same part is another one.
        if (wish.across === undefined && (wish.zoom !== undefined || select.held() !== held)) choice.state.across = '';
        tellWhatChanged(before);
    }

    /** @param {State} before */
    function tellWhatChanged(before) {
        const names = /** @type {(keyof State)[]} */ (Object.keys(before));
        const changed = new Set(names.filter((name) => choice.state[name] !== before[name]));
        if (changed.size) tell(changed);
    }

    lend(choice.state.lent);
    chooseMetric();
    chooseFocus(select.called());
    settle();
    return {
        set,
        /** No frame is selected by a person any more. */
        unselect() {
            choice.byPerson = false;
            choice.state = { ...choice.state, selected: ROOT };
            settle();
            tell(new Set([/* @__KEY__ */ 'selected']));
        },
        /** The state as an address has it. */
        address: () =>
            formatState(choice.state, {
                node: (node) => keys.ofNode(select.graph(), node, choice.state.by === 'line'),
                frame: keys.ofFrame,
            }),
        /** Zooms in what is above the function in the middle of a sandwich. @param {number} node */
        zoomCallers(node) {
            choice.zoomOfCallers = node;
            tell(new Set([/* @__KEY__ */ 'zoom']));
        },
    };
}

/**
 * Windows that are the same as before stay the same objects; nothing is compared without a window.
 * @param {import('../model/profile.js').Profile} profile
 * @param {State} state
 * @param {State} before
 * @returns {State}
 */
function withWindows({ heat, history }, state, before) {
    heat?.settle(state, before, history);
    const window = isSameWindow(state.window, before.window) ? before.window : state.window;
    const against = isSameWindow(state.against, before.against) ? before.against : state.against;
    return { ...state, window, against: window && against };
}
