// SPDX-License-Identifier: Apache-2.0
/*
 * The page: what the person chose, and everything that follows from it. Views ask it what to show and tell it what was
 * chosen; they know nothing of one another.
 *
 * What follows is computed when it is asked for and kept while what it follows from stays the same.
 */
import { countFrames, deepestOfMost, heaviestChildren, heaviestNode, sumChildren, sumUp } from '../model/calltree.js';
import { growthOf } from '../model/change.js';
import { exactByFrame } from '../model/exact.js';
import { factsOfThreads } from '../model/filter.js';
import { baseOf, focusOf, labelOf, linesOf, makeGraph, nodeFor, ownerOf } from '../model/graph.js';
import { layOut } from '../model/layout.js';
import { OWNERS } from '../lib/owners.js';
import { ROOT } from '../model/profile.js';
import { makeRows } from '../model/rows.js';
import { listMatches, parseQuery, search } from '../model/search.js';
import { timeSpan } from '../model/series.js';
import { hasHistory, highestBin, isSameWindow, metricIn, timesOf } from '../model/time.js';
import { layOutByTime, makeTimeGraph, sumCalls, threadsInTime } from '../model/timeorder.js';
import { everyNode, outermost, turnOver, turning } from '../model/turn.js';

/** @typedef {import('../model/state.js').State} State */
/** @typedef {import('../model/profile.js').Profile} Profile */
/** @typedef {import('../model/graph.js').Graph} Graph */

/**
 * A tab: a metric as a graph, or the table.
 * @typedef {object} Tab
 * @property {string} name
 * @property {number} metric  -1: the table, which shows the metric of the graph that was open before
 */

/** So many children of a node are looked at one by one. */
const MOST_CHILDREN = 20;
/** A tree of more is turned over in slices of so much time. */
const MANY_NODES = 50_000;
const SLICE_MS = 30;
/** A frame narrower than this many pixels shares the box of smaller frames. */
const MIN_BOX_PX = 3;

/**
 * @template T
 * @param {() => unknown[]} inputs
 * @param {() => T} compute
 * @returns {() => T}
 */
function follows(inputs, compute) {
    /** @type {unknown[] | null} */
    let before = null;
    let value = /** @type {T} */ (/** @type {unknown} */ (null));
    return () => {
        const now = inputs();
        if (!before || now.some((input, i) => input !== before?.[i])) {
            value = compute();
            before = now;
        }
        return value;
    };
}

/**
 * What there is to say about a window: its bins, its edges, when the heap is highest in it and how high.
 * @param {Profile} profile
 * @param {import('../model/time.js').Window | null} window
 */
function partOf({ history }, window) {
    if (!history || !window) return null;
    const highest = highestBin(history.bins, window);
    return {
        ...window,
        ...timesOf(history.bins, window),
        peakMs: history.bins.peakMs[highest],
        peakBytes: history.bins.peak[highest],
    };
}

/** @type {WeakMap<Graph, {metric: object, wanted: object | null, sums: import('../model/calltree.js').Sums}>} */
const summed = new WeakMap();

/**
 * The sums of a graph, which several views may ask for.
 * @param {Graph} graph
 * @param {import('../model/profile.js').Metric} metric
 * @param {Uint8Array | null} wanted
 */
function sumsOf(graph, metric, wanted) {
    const known = summed.get(graph);
    if (known?.metric === metric && known.wanted === wanted) return known.sums;
    const sums = sumUp(graph, metric, wanted);
    summed.set(graph, { metric, wanted, sums });
    return sums;
}

/** @param {Graph} graph */
const isTimeGraph = (graph) => 'start' in graph;

/**
 * What is shown of a graph follows from it: sums, matches, boxes. A page has one, and one more for the callers of the
 * function in the middle of a sandwich.
 * @param {Profile} profile
 * @param {() => Graph} graph
 * @param {() => import('../model/profile.js').Metric} metric
 * @param {() => import('../model/profile.js').Metric | null} baseMetric  what it is compared with
 * @param {() => Uint8Array | null} wanted
 * @param {() => ReturnType<typeof parseQuery>} query
 * @param {() => number} top  the node that is zoomed to
 */
function createShown(profile, graph, metric, baseMetric, wanted, query, top) {
    const inTime = () => /** @type {import('../model/timeorder.js').TimeGraph} */ (graph());
    const sums = follows(
        () => [graph(), metric(), wanted()],
        () => (isTimeGraph(graph()) ? sumCalls(inTime()) : sumsOf(graph(), metric(), wanted())),
    );
    /** Of a difference, the other side. */
    const baseSums = follows(
        () => [graph(), baseMetric(), wanted()],
        () => {
            const base = baseMetric();
            return !base || isTimeGraph(graph()) ? null : sumUp(graph(), base, wanted());
        },
    );
    const framesBefore = follows(
        () => [sums()],
        () => countFrames(graph(), sums()),
    );
    const matches = follows(
        () => [sums(), query()],
        () => {
            const asked = query();
            return asked && !(asked instanceof Error) ? search(profile, graph(), sums(), asked) : null;
        },
    );
    let asked = ROOT;
    const children = follows(
        () => [sums(), asked],
        () => sumChildren(graph(), sums(), asked, MOST_CHILDREN),
    );
    let width = 0;
    const layout = follows(
        () => [sums(), top(), width],
        () => {
            const view = { top: top(), width, minWidth: MIN_BOX_PX };
            return isTimeGraph(graph())
                ? layOutByTime(inTime(), sums(), framesBefore(), view)
                : layOut(graph(), sums(), framesBefore(), view);
        },
    );
    return {
        graph,
        sums,
        baseSums,
        framesBefore,
        matches,
        /** The heaviest children of a node, and what all are that hold something. @param {number} node */
        childrenOf(node) {
            asked = node;
            return children();
        },
        /** @param {number} pixels */
        layoutFor(pixels) {
            width = pixels;
            return layout();
        },
        /** @param {number} node */
        label: (node) => labelOf(profile, graph(), node),
        /** @param {number} node */
        owner: (node) => ownerOf(profile, graph(), node),
    };
}

/** @typedef {ReturnType<typeof createPage>} Page */
/** @typedef {ReturnType<typeof createShown>} Shown */

/**
 * @param {Profile} profile
 * @param {string | undefined} unit  of the metric that is shown
 * @param {string[]} hide
 */
const tableHides = ({ facts }, unit, hide) => (facts.allocator && unit === 'bytes' ? [...hide, 'native'] : hide);

/** What a timeline without any stacks has in the place of a metric. @type {import('../model/profile.js').Metric} */
const NOTHING = {
    name: '',
    title: '',
    unit: 'count',
    countName: null,
    total: 0,
    totalCount: 0,
    value: new Float64Array(),
    count: null,
};

/**
 * @param {Profile} profile
 * @param {Tab[]} tabs
 * @param {State} initial
 * @param {import('../model/source.js').Sources} sources
 */
export function createPage(profile, tabs, initial, sources) {
    let state = initial;
    let metricNumber = 0;
    let chosen = state.selected !== ROOT; // by a person, and not by us
    const listeners = /** @type {((changed: Set<keyof State>) => void)[]} */ ([]);
    let tellBusy = (/** @type {number | null} */ _share) => {};

    /** Only one metric knows what ran when; the others are shown merged in the place of that. */
    const order = () => (state.order === 'time' && profile.time?.metric !== metricNumber ? 'merged' : state.order);
    const isSandwich = () => state.order === 'sandwich';
    /** The order of time is that of one thread: of those that were chosen the one that ran longest. */
    const threadInTime = () => {
        const all = profile.time ? threadsInTime(profile.time).map(({ thread }) => thread) : [];
        return order() === 'time' ? (all.find((t) => state.threads?.includes(t) ?? true) ?? -1) : -1;
    };
    /** What took many slices of time. @type {WeakMap<Graph, Graph>} */
    const turned = new WeakMap();
    let work = /** @type {ReturnType<typeof turning> | null} */ (null);
    const isSplit = () => state.split && !isSandwich() && order() !== 'time';
    const focus = () => (isSandwich() ? state.focus : -1);
    /** The tree as it was called, from which the others are made. */
    const called = follows(
        () => [isSplit(), state.by === 'line', state.runner, state.hide.join(), focus()],
        () =>
            makeGraph(profile, {
                ...state,
                split: isSplit(),
                lines: state.by === 'line',
                focus: focus(),
            }),
    );
    const graph = follows(
        () => [called(), order(), threadInTime()],
        () => {
            if (order() === 'callers')
                return turned.get(called()) ?? turnOver(profile, called(), everyNode(called()));
            if (isSandwich())
                return makeGraph(profile, { ...state, lines: state.by === 'line', focus: focus(), only: true });
            return profile.time && order() === 'time'
                ? makeTimeGraph(profile.time, called(), threadInTime())
                : called();
        },
    );
    const callersOfFocus = follows(
        () => [called()],
        () => {
            const isFocus = focusOf(profile, { focus: focus(), lines: state.by === 'line' });
            return turnOver(profile, called(), outermost(called(), isFocus));
        },
    );
    // The table has a row for each frame of the runner, and lines; it needs another tree than the graph. Allocations
    // all end in the allocator's own code: their rows are the Python functions that called it, as in the program's
    // table.
    const flatHides = () => tableHides(profile, profile.metrics[metricNumber]?.unit, state.hide);
    const flat = follows(
        () => [flatHides().join()],
        () => makeGraph(profile, { split: false, lines: true, runner: false, hide: flatHides() }),
    );
    const wanted = follows(
        () => [state.threads?.join()],
        () => factsOfThreads(profile, state.threads && new Set(state.threads)),
    );
    const windowNow = () => [state.window?.first, state.window?.last];
    const measured = profile.metrics.length ? profile.metrics : [NOTHING];
    const metrics = measured.map((one) => follows(windowNow, () => metricIn(profile, one, state.window)));
    const metric = () => metrics[metricNumber]();
    const part = follows(windowNow, () => partOf(profile, state.window));
    /** The other part of the run, while two are compared. */
    const other = () => (state.window && !isSameWindow(state.window, state.against) ? state.against : null);
    const against = follows(
        () => [other()?.first, other()?.last],
        () => partOf(profile, other()),
    );
    const baseMetric = follows(
        () => [metric(), against()],
        () => {
            const { base } = metric();
            if (base !== undefined) return profile.metrics[base];
            return against() && hasHistory(metric()) ? metricIn(profile, measured[metricNumber], other()) : null;
        },
    );
    const growth = follows(
        () => [metric(), baseMetric(), wanted()],
        () => growthOf(profile, baseMetric()?.value ?? metric().value, metric().value, wanted()),
    );
    const originSums = follows(
        () => [graph(), metric(), wanted()],
        () => sumUp(graph().origin?.graph ?? graph(), metric(), wanted()),
    );
    const query = follows(
        () => [state.query],
        () => parseQuery(state.query),
    );
    /** In a sandwich the function in the middle spans the whole width. @param {number} zoom @param {Graph} of */
    const topOf = (zoom, of) => (isSandwich() && zoom === ROOT && of.count > 1 ? ROOT + 1 : zoom);
    const shown = createShown(profile, graph, metric, baseMetric, wanted, query, () => topOf(state.zoom, graph()));
    const { sums, matches } = shown;
    let zoomOfCallers = ROOT;
    const callers = createShown(profile, callersOfFocus, metric, baseMetric, wanted, query, () =>
        topOf(zoomOfCallers, callersOfFocus()),
    );
    const plain = createShown(profile, called, metric, baseMetric, wanted, query, () => ROOT);
    const matchList = follows(
        () => [matches()],
        () => {
            const found = matches();
            return found ? listMatches(found, sums()) : new Uint32Array();
        },
    );
    const flatSums = follows(
        () => [flat(), metric(), wanted()],
        () => sumUp(flat(), metric(), wanted()),
    );
    const exact = follows(
        () => [metricNumber, state.threads?.join(), state.hide.join()],
        () => exactByFrame(profile, metricNumber, state.threads, state.hide),
    );
    const rows = follows(
        () => [flatSums(), state.by, exact()],
        () => makeRows(profile, flat(), flatSums(), state.by, exact()),
    );

    /** The metric of the tab; the table keeps the one that was shown before. */
    function chooseMetric() {
        metricNumber = Math.max(
            0,
            tabs.find((tab) => tab.name === state.tab && tab.metric >= 0)?.metric ?? metricNumber,
        );
    }

    /** A sandwich has a function in its middle: the one that was selected. @param {Graph} from */
    function chooseFocus(from) {
        if (!isSandwich()) state.focus = -1;
        else if (state.focus < 0 || state.focus >= profile.frames.count)
            state.focus = frameOf(from, state.selected) ?? frameOf(from, heaviestOfMine(from)) ?? 0;
    }

    /** The frame of a node; null where it has none of its own. @param {Graph} of @param {number} node */
    const frameOf = ({ frame, smaller }, node) =>
        node !== ROOT && frame[node] < profile.frames.count && !smaller[node] ? frame[node] : null;

    /** Nodes that do not hold anything in this view cannot be zoomed to or selected. */
    function settle() {
        const { total } = sums();
        const zoom = state.zoom < total.length && total[state.zoom] > 0 ? state.zoom : ROOT;
        const kept = state.selected < total.length && total[state.selected] > 0 ? state.selected : ROOT;
        const first = () => (isSandwich() && total.length > 1 ? ROOT + 1 : heaviestOfMine(graph()));
        state = { ...state, zoom, selected: kept || first() };
    }

    /** @param {Graph} of @param {number} node */
    const isMine = (of, node) => ownerOf(profile, of, node) === OWNERS.indexOf('mine');

    /**
     * The frame of one's own on the heaviest path that keeps most for itself and for libraries: what a person looks
     * for first; if that path has none, the heaviest one elsewhere. Where callers are below, it is the frame that holds
     * most by itself.
     * @param {Graph} of
     */
    function heaviestOfMine(of) {
        const held = of === graph() ? sums() : sumUp(of, metric(), wanted());
        const [first] = heaviestChildren(of, held, ROOT, 1);
        if (!first || state.order === 'callers') return first ?? ROOT;
        const mine = /** @type {number[]} */ ([]);
        for (let node = first; node; [node] = heaviestChildren(of, held, node, 1)) {
            if (isMine(of, node)) mine.push(node);
        }
        const kept = mine.map((node, i) => held.total[node] - (i + 1 < mine.length ? held.total[mine[i + 1]] : 0));
        const best = mine[kept.indexOf(kept.reduce((a, b) => Math.max(a, b), 0))] ?? ROOT;
        return best || heaviestNode(held, (node) => isMine(of, node)) || deepestOfMost(of, held) || first;
    }

    /**
     * The callers of a huge tree, in slices of time; then the choice.
     * @param {Partial<State>} choice
     * @param {Graph} from
     */
    function turnSlowly(choice, from) {
        const mine = (work = turning(profile, from, everyNode(from)));
        const slice = () => {
            if (work !== mine) return; // something else was chosen meanwhile
            const end = performance.now() + SLICE_MS;
            let at = mine.next();
            while (!at.done && performance.now() < end) at = mine.next();
            if (at.done) {
                turned.set(from, at.value);
                set(choice);
            } else {
                tellBusy(at.value);
                setTimeout(slice);
            }
        };
        tellBusy(0); // and show it, before anything else
        setTimeout(slice);
    }

    /** @param {Partial<State>} choice */
    function set(choice) {
        const before = state;
        if (work) {
            work = null;
            tellBusy(null);
        }
        const isAsked = choice.order === 'callers' && state.order !== 'callers' && !isSandwich();
        if (isAsked && called().count > MANY_NODES && !turned.has(called())) {
            turnSlowly(choice, called());
            return;
        }
        const from = graph();
        state = { ...state, ...choice };
        if (isSameWindow(state.window, before.window)) state.window = before.window;
        if (!state.window) state.against = null;
        if (isSameWindow(state.against, before.against)) state.against = before.against;
        chooseMetric();
        chooseFocus(from);
        if (graph() !== from) {
            const turned = state.order !== before.order || state.focus !== before.focus;
            state.zoom = choice.zoom ?? (turned ? ROOT : nodeFor(graph(), baseOf(from, before.zoom)));
            const middle = isSandwich() && turned;
            state.selected = choice.selected ?? (middle ? ROOT + 1 : nodeFor(graph(), baseOf(from, before.selected)));
            zoomOfCallers = ROOT;
        }
        chosen ||= Boolean(choice.selected);
        if (!chosen && state.tab !== before.tab) state.selected = ROOT; // each view begins with its own heaviest
        settle();
        const names = /** @type {(keyof State)[]} */ (Object.keys(state));
        const changed = new Set(names.filter((name) => state[name] !== before[name]));
        if (changed.size) listeners.forEach((listener) => listener(changed));
    }

    chooseMetric();
    chooseFocus(called());
    settle();
    return {
        profile,
        tabs,
        sources,
        get state() {
            return state;
        },
        /** The time that the timeline shows. */
        span: timeSpan(profile),
        /** The metric of the tab that is open, in the window. */
        get metric() {
            return metric();
        },
        metricNumber: () => metricNumber,
        /** Any metric in the window, by its number. @param {number} number */
        metricAt: (number) => metrics[number]?.(),
        /** The window; null = none. */
        part,
        /** The part that the window is compared with; null = none. */
        against,
        /** The functions that differ between the two parts. */
        growth,
        /** Whether the tab that is open is the table. */
        get isTable() {
            return tabs.some((tab) => tab.name === state.tab && tab.metric < 0);
        },
        ...shown,
        isSandwich,
        order,
        threadInTime,
        /** What is above the function in the middle of a sandwich. */
        callers: {
            ...callers,
            get zoom() {
                return zoomOfCallers;
            },
            /** @param {number} node */
            zoomTo(node) {
                zoomOfCallers = node;
                listeners.forEach((listener) => listener(new Set(/** @type {const} */ (['zoom']))));
            },
        },
        /** The tree as it was called, whatever the order of the graph is. */
        plain: () => (graph() === called() ? shown : plain),
        wanted,
        query,
        matchList,
        flat,
        rows,
        /** The frame of a node that can stand in the middle of a sandwich, or null. */
        frameOf,
        /** The lines of a frame that stands for several. @param {number} node */
        lines: (node) => linesOf(profile, graph(), originSums, node),
        /** The node of the graph that shows a node of the profile's tree. @param {number} node */
        nodeOfProfile: (node) => nodeFor(graph(), node),
        set,
        /** @param {(share: number | null) => void} listener  told how much is done of what takes long; null = all */
        onBusy(listener) {
            tellBusy = listener;
        },
        /** @param {(changed: Set<keyof State>) => void} listener  called after each change with what changed */
        onChange(listener) {
            listeners.push(listener);
        },
    };
}
