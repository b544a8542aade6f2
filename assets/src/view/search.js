// SPDX-License-Identifier: Apache-2.0
/* The search field: what matches, how much of the view that is, and stepping from match to match. */
import { el, icon, refill } from '../dom/elements.js';
import { count, partOf, percent } from '../lib/units.js';
import { ROOT } from '../model/profile.js';
import { plural } from './words.js';

/**
 * @param {import('../store/store.js').Store} store
 * @param {{reveal: (node: number) => void}} graph
 * @param {() => void} showViews  scrolls so that the graph is seen
 */
export function createSearch(store, graph, showViews) {
    const { select } = store;
    const input = el('input', {
        id: 'q',
        type: 'text',
        placeholder: 'Search, file:, /regex/',
        spellcheck: 'false',
        autocomplete: 'off',
        oninput: () => {
            store.set({ query: input.value });
            if (store.state.query !== input.value) refill(output, 'Searching\u2026');
        },
        onkeydown: keydown,
    });
    const output = el('output', { for: 'q' });
    const previous = el(
        'button',
        { class: 'btn', 'aria-label': 'Previous match', onclick: () => go(-1) },
        icon('up'),
    );
    const next = el(
        'button',
        {
            class: 'btn',
            'aria-label': 'Next match',
            title: 'Next match, by size',
            onclick: () => go(1),
        },
        icon('down'),
    );
    const element = el(
        'div',
        { class: 'search', role: 'search' },
        icon('search'),
        el('label', { class: 'vh', for: 'q' }, 'Search functions, file:name or /regex/'),
        input,
        output,
        previous,
        next,
    );
    let current = -1;
    /** What the field showed last; while a search runs, more is typed than is chosen. */
    let known = '';

    /** @param {KeyboardEvent} event */
    function keydown(event) {
        if (event.key === 'Enter') {
            event.preventDefault();
            go(event.shiftKey ? -1 : 1);
        } else if (event.key === 'Escape') {
            store.set({ query: (input.value = '') });
        }
    }

    /** To the next or previous match; they are in order of size. @param {number} step */
    function go(step) {
        const list = select.matchList();
        if (!list.length) return;
        current = current < 0 && step < 0 ? list.length - 1 : (current + step + list.length) % list.length;
        graph.reveal(list[current]);
        showViews();
        describe();
    }

    function describe() {
        const query = select.query();
        const matches = select.matches();
        const strong = (/** @type {string} */ text) => el('b', {}, text);
        output.title = '';
        if (query instanceof Error) {
            refill(output, strong('Invalid regular expression'));
            output.title = query.message;
        } else if (!matches) {
            refill(output);
        } else if (!matches.count) {
            refill(output, strong('No match'));
        } else {
            const format = select.format();
            const whole = select.sums().total[ROOT];
            refill(
                output,
                strong(
                    current < 0
                        ? `${count(matches.count)} ${plural(matches.count, 'frame')}`
                        : `${count(current + 1)} of ${count(matches.count)}`,
                ),
                ` \u00b7 ${format.short(matches.sum)} \u00b7 ${percent(matches.sum, whole)}`,
            );
            output.title =
                `${partOf(format, matches.sum, whole)}, nested matches counted once` +
                (store.profile.folded ? '; frames too small to list were combined and cannot be searched' : '');
        }
        const none = !matches?.count;
        previous.disabled = next.disabled = none;
    }

    function update() {
        if (known !== store.state.query) input.value = known = store.state.query;
        describe();
    }

    let before = select.matches();
    store.onChange(() => {
        if (select.matches() !== before) {
            before = select.matches();
            current = -1;
        }
        update();
    });
    return { element, update, focus: () => (showViews(), input['select']()) };
}
