// SPDX-License-Identifier: Apache-2.0
/*
 * What the person chose, and how it is written after the # of the address, so that a link shows what its sender saw.
 * Only what differs from the initial view is written. Nodes and frames are written by their names (keys.js): a node is
 * one of the graph that `split`, `runner`, `hide` and `order` make, so what an address means is known with that graph.
 */
import { zoomedAcross } from './across.js';
import { GROUPS } from './graph.js';

/**
 * What is below a frame: what it called, all calls in one box or in order of time; or who called it; or both, for one
 * function over all paths.
 * @typedef {'merged' | 'time' | 'callers' | 'sandwich'} Order
 */

/**
 * @typedef {object} State
 * @property {string} tab             name of a tab
 * @property {number} zoom            node, 0 = all
 * @property {string} across          the part of the zoomed frame's width that the graph shows; '' = all of it
 * @property {number} selected        node, 0 = none
 * @property {string} query           as typed
 * @property {number[] | null} threads  null = all
 * @property {import('./time.js').Window | null} window  part of the run; null = all of it
 * @property {import('./time.js').Window | null} against  the part it is compared with; null = none
 * @property {string} during          part of the time that samples have, "12.34-15.6" in seconds; '' = all of it
 * @property {boolean} split          a subtree for each thread
 * @property {boolean} upward         the root is at the bottom
 * @property {boolean} runner         frames of the runner are one box
 * @property {boolean} chains         straight chains of frames are in one row
 * @property {string[]} hide          groups of frames that are left out
 * @property {import('./rows.js').Grouping} by
 * @property {import('./rows.js').ColumnName} sort
 * @property {boolean} descending
 * @property {Order} order
 * @property {number} focus           frame in the middle of a sandwich; -1 = none
 * @property {number} through        frame: only stacks that pass it count; -1 = all
 * @property {number[]} drop          frames whose functions are hidden, one by one
 * @property {number[]} away          frames whose packages are hidden
 * @property {number[]} lent          frames whose files count as a library
 * @property {boolean} shares         in a difference, shares of each side are compared, not amounts
 * @property {import('./change.js').Side} side  in a difference, what the graph shows
 * @property {'graph' | 'tree' | 'code' | 'table'} view  what a metric is shown as
 * @property {'light' | 'dark' | null} theme  null = like the system
 */

/**
 * The state as an address has it: the nodes are keys until there is a graph; '' = none.
 * @typedef {Omit<State, 'zoom' | 'selected'> & {zoom: number | string, selected: number | string}} Wanted
 */

/**
 * How nodes and frames are written.
 * @typedef {object} Written
 * @property {(node: number) => string} node
 * @property {(frame: number) => string} frame
 */

/** Two numbers, such as a part of the time in seconds, as an address has them. */
export const SECONDS = /^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/;

/** In front of a frame that is called by the name of its function. */
export const BY_NAME = 'frame:';

/** @type {State['view'][]} */
const VIEWS = ['graph', 'tree', 'code', 'table'];

/** In front of the tab of another metric, by which the table is sorted. */
export const TOTAL_IN = 'in-';

/**
 * What the page has.
 * @typedef {object} Known
 * @property {string[]} tabs
 * @property {number} threads
 * @property {(key: string) => number} frame  the frame of a key; -1 = none
 * @property {import('./time.js').Window | null} bins  null = no part of the run can be chosen
 * @property {boolean} [tree]  whether the page has the view of the tree
 * @property {(from: number, to: number) => import('./time.js').Window | null} [seconds]  of the run
 * @property {import('./heat.js').Heat['seconds']} [during]
 * @property {boolean} [code]  whether the page has source
 */

/**
 * @param {string} tab
 * @returns {State}
 */
export function firstState(tab) {
    return {
        tab,
        zoom: 0,
        across: '',
        selected: 0,
        query: '',
        threads: null,
        window: null,
        against: null,
        during: '',
        split: false,
        upward: false,
        runner: true,
        chains: true,
        hide: ['imports'],
        by: 'function',
        sort: 'total',
        descending: true,
        order: 'merged',
        focus: -1,
        through: -1,
        drop: [],
        away: [],
        lent: [],
        shares: false,
        side: 'change',
        view: 'graph',
        theme: null,
    };
}

/** @param {import('./time.js').Window} window */
const binsOf = ({ first, last }) => `b${first}:b${last}`;

/** @param {State} state @param {Written} keys */
export function formatState(state, keys) {
    const words = new URLSearchParams({ 'tab': state.tab });
    const put = (/** @type {string} */ name, /** @type {unknown} */ value, given = Boolean(value)) => {
        if (given) words.set(name, value === true ? '1' : String(value));
    };
    put('zoom', state.zoom && keys.node(state.zoom));
    put('across', state.across);
    put('at', state.selected && keys.node(state.selected));
    put('q', state.query);
    put('threads', state.threads?.join('.'), state.threads !== null);
    put('window', state.window && binsOf(state.window));
    put('against', state.against && binsOf(state.against));
    put('during', state.during);
    put('split', state.split);
    put('up', state.upward);
    put('runner', 'open', !state.runner);
    put('chains', 'open', !state.chains);
    put('hide', state.hide.join('.') || 'nothing', state.hide.join() !== 'imports');
    put('by', state.by, state.by !== 'function');
    put('sort', `${state.descending ? '-' : ''}${state.sort}`, state.sort !== 'total' || !state.descending);
    put('order', state.order, state.order !== 'merged');
    put('of', state.focus >= 0 && keys.frame(state.focus));
    put('through', state.through >= 0 && keys.frame(state.through));
    put('drop', state.drop.map(keys.frame).join('.'));
    put('away', state.away.map(keys.frame).join('.'));
    put('lib', state.lent.map(keys.frame).join('.'));
    put('compare', 'shares', state.shares);
    put('side', state.side, state.side !== 'change');
    put('view', state.view, state.view !== 'graph');
    put('theme', state.theme);
    return words.toString();
}

/**
 * @param {string} hash        with or without its #
 * @param {State} first        the initial state, for what is not given
 * @param {Known} known  what may be named; the rest is ignored
 * @returns {Wanted}
 *
 * People may write an address themselves, in notes say: "#window=3.2-5.8&view=peak&frame=load", seconds of the run, the
 * name of a tab, and of a function.
 */
export function parseState(hash, first, known) {
    const words = new URLSearchParams(hash.replace(/^#/, ''));
    const get = (/** @type {string} */ name) => words.get(name) ?? '';
    /** @template T @param {string} value @param {readonly T[]} allowed @param {T} otherwise */
    const oneOf = (value, allowed, otherwise) => allowed.find((item) => String(item) === value) ?? otherwise;
    const numbers = (/** @type {string} */ name) =>
        get(name)
            .split('.')
            .filter((n) => /^\d{1,9}$/.test(n))
            .map(Number);
    const frames = (/** @type {string} */ name) =>
        get(name)
            .split('.')
            .map(known.frame)
            .filter((frame) => frame >= 0);
    const threads = numbers('threads').filter((t) => t < known.threads);
    const part = (/** @type {string} */ name) => {
        const [, start, stop] = SECONDS.exec(get(name)) ?? [];
        if (start) return known.seconds?.(Number(start), Number(stop)) ?? null;
        const [, from = NaN, to = NaN] = (/^b(-?\d{1,9}):b(-?\d{1,9})$/.exec(get(name)) ?? []).map(Number);
        const { first: least, last: most } = known.bins ?? { first: 0, last: -1 };
        return from <= to && from <= most && to >= least
            ? { first: Math.max(from, least), last: Math.min(to, most) }
            : null;
    };
    return {
        tab: oneOf(get('tab') || get('view'), known.tabs, first.tab),
        zoom: get('zoom'),
        across: SECONDS.test(get('across')) ? zoomedAcross(get('across'), 0, 1) : '',
        selected: get('at') || (words.has('frame') ? BY_NAME + get('frame') : ''),
        query: get('q'),
        threads: threads.length || (words.has('threads') && get('threads') === '') ? threads : null,
        window: part('window'),
        against: part('window') && part('against'),
        during: known.during?.(get('during') || (known.bins ? '' : get('window'))) ?? '',
        split: get('split') === '1',
        upward: get('up') === '1',
        runner: get('runner') !== 'open',
        chains: get('chains') !== 'open',
        hide: words.has('hide')
            ? Object.keys(GROUPS).filter((group) => get('hide').split('.').includes(group))
            : first.hide,
        by: oneOf(get('by'), /** @type {const} */ (['function', 'line', 'file', 'package']), first.by),
        sort: oneOf(
            get('sort').replace(/^-/, ''),
            /** @type {import('./rows.js').ColumnName[]} */ ([
                'name', 'file', 'owner', 'self', 'total', 'selfCount', 'totalCount', 'mean',
                ...known.tabs.map((tab) => `${TOTAL_IN}${tab}`),
            ]),
            first.sort,
        ),
        descending: words.has('sort') ? get('sort').startsWith('-') : first.descending,
        order: oneOf(get('order'), /** @type {const} */ (['merged', 'time', 'callers', 'sandwich']), first.order),
        focus: known.frame(get('of')),
        through: known.frame(get('through')),
        drop: frames('drop'),
        away: frames('away'),
        lent: frames('lib'),
        shares: get('compare') === 'shares',
        side: oneOf(get('side'), /** @type {const} */ (['before', 'change', 'after']), first.side),
        view: oneOf(
            get('view'),
            VIEWS.filter((view) => view === 'graph' || view === 'table' || known[view]),
            get('tab') === 'table' ? 'table' : first.view, // as pages had it whose table was a tab
        ),
        theme: oneOf(get('theme'), /** @type {const} */ (['light', 'dark']), first.theme),
    };
}
