// SPDX-License-Identifier: Apache-2.0
/*
 * What the person chose, and how it is written after the # of the address, so that a link shows what its sender saw.
 * Only what differs from the initial view is written. Node numbers are those of the graph that `split`, `runner`,
 * `hide` and `order` make, which the same address makes again.
 */
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
 * @property {number} selected        node, 0 = none
 * @property {string} query           as typed
 * @property {number[] | null} threads  null = all
 * @property {import('./time.js').Window | null} window  part of the run; null = all of it
 * @property {import('./time.js').Window | null} against  the part it is compared with; null = none
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
 * @property {boolean} shares         in a difference, shares of each side are compared, not amounts
 * @property {import('./change.js').Side} side  in a difference, what the graph shows
 * @property {'graph' | 'tree' | 'code'} view  what a metric is shown as
 * @property {'light' | 'dark' | null} theme  null = like the system
 */

/** @type {State['view'][]} */
const VIEWS = ['graph', 'tree', 'code'];

/**
 * What the page has.
 * @typedef {object} Known
 * @property {string[]} tabs
 * @property {number} threads
 * @property {number} frames
 * @property {number} bins  0 = no part of the run can be chosen
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
        selected: 0,
        query: '',
        threads: null,
        window: null,
        against: null,
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
        shares: false,
        side: 'change',
        view: 'graph',
        theme: null,
    };
}

/** @param {import('./time.js').Window} window */
const binsOf = ({ first, last }) => `b${first}:b${last}`;

/** @param {State} state */
export function formatState(state) {
    const words = new URLSearchParams({ tab: state.tab });
    const put = (/** @type {string} */ name, /** @type {unknown} */ value, given = Boolean(value)) => {
        if (given) words.set(name, value === true ? '1' : String(value));
    };
    put('zoom', state.zoom);
    put('at', state.selected);
    put('q', state.query);
    put('threads', state.threads?.join('.'), state.threads !== null);
    put('window', state.window && binsOf(state.window));
    put('against', state.against && binsOf(state.against));
    put('split', state.split);
    put('up', state.upward);
    put('runner', 'open', !state.runner);
    put('chains', 'open', !state.chains);
    put('hide', state.hide.join('.') || 'nothing', state.hide.join() !== 'imports');
    put('by', state.by, state.by !== 'function');
    put('sort', `${state.descending ? '-' : ''}${state.sort}`, state.sort !== 'total' || !state.descending);
    put('order', state.order, state.order !== 'merged');
    put('of', state.focus, state.focus >= 0);
    put('through', state.through, state.through >= 0);
    put('drop', state.drop.join('.'), state.drop.length > 0);
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
 * @returns {State}
 */
export function parseState(hash, first, known) {
    const words = new URLSearchParams(hash.replace(/^#/, ''));
    const get = (/** @type {string} */ name) => words.get(name) ?? '';
    const number = (/** @type {string} */ name) => (/^\d{1,9}$/.test(get(name)) ? Number(get(name)) : 0);
    /** @template T @param {string} value @param {readonly T[]} allowed @param {T} otherwise */
    const oneOf = (value, allowed, otherwise) => allowed.find((item) => String(item) === value) ?? otherwise;
    const numbers = (/** @type {string} */ name) =>
        get(name)
            .split('.')
            .filter((n) => /^\d{1,9}$/.test(n))
            .map(Number);
    const threads = numbers('threads').filter((t) => t < known.threads);
    const part = (/** @type {string} */ name) => {
        const [, from = NaN, to = NaN] = (/^b(\d{1,9}):b(\d{1,9})$/.exec(get(name)) ?? []).map(Number);
        return from <= to && from < known.bins ? { first: from, last: Math.min(to, known.bins - 1) } : null;
    };
    return {
        tab: oneOf(get('tab'), known.tabs, first.tab),
        zoom: number('zoom'),
        selected: number('at'),
        query: get('q'),
        threads: threads.length || (words.has('threads') && get('threads') === '') ? threads : null,
        window: part('window'),
        against: part('window') && part('against'),
        split: get('split') === '1',
        upward: get('up') === '1',
        runner: get('runner') !== 'open',
        chains: get('chains') !== 'open',
        hide: words.has('hide')
            ? Object.keys(GROUPS).filter((group) => get('hide').split('.').includes(group))
            : first.hide,
        by: oneOf(get('by'), /** @type {const} */ (['function', 'line', 'file']), first.by),
        sort: oneOf(
            get('sort').replace(/^-/, ''),
            /** @type {const} */ (['name', 'file', 'owner', 'self', 'total', 'selfCount', 'totalCount', 'mean']),
            first.sort,
        ),
        descending: words.has('sort') ? get('sort').startsWith('-') : first.descending,
        order: oneOf(get('order'), /** @type {const} */ (['merged', 'time', 'callers', 'sandwich']), first.order),
        focus: words.has('of') ? number('of') : -1,
        through: words.has('through') && number('through') < known.frames ? number('through') : -1,
        drop: numbers('drop').filter((frame) => frame < known.frames),
        shares: get('compare') === 'shares',
        side: oneOf(get('side'), /** @type {const} */ (['before', 'change', 'after']), first.side),
        view: oneOf(get('view'), /** @type {State['view'][]} */ (known.code ? VIEWS : VIEWS.slice(0, 2)), first.view),
        theme: oneOf(get('theme'), /** @type {const} */ (['light', 'dark']), first.theme),
    };
}
