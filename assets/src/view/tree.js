// SPDX-License-Identifier: Apache-2.0
/*
 * The call tree as indented rows, its heaviest path open: what phones, screen readers and newcomers read best. It shows
 * the tree of the graph, from the zoomed frame on.
 */
import { bar, el, figure, muted, refill, share, swatch } from '../dom/elements.js';
import { placeOf, suffixOf } from '../lib/text.js';
import { count } from '../lib/units.js';
import { chainName } from '../model/chain.js';
import { pathTo } from '../model/calltree.js';
import { ROOT } from '../model/profile.js';
import { changeMark } from './change.js';
import { term } from './terms.js';

/** Children with a row of their own, rows in all, and how far the heaviest path is opened. */
const MOST_CHILDREN = 30;
const MOST_ROWS = 500;
const MOST_OPENED = 40;
const INDENT_PX = 14;

/**
 * @typedef {object} Row
 * @property {number} node
 * @property {number} level
 * @property {number} rest   number of smaller children that this row represents; 0 = the node itself
 * @property {number} value
 */

/** @param {import('../store/store.js').Store} store */
export function createTree(store) {
    const { select } = store;
    const body = el('tbody');
    const heads = ['Function', 'Share', 'Total', 'of all', 'Self'].map((title, i) =>
        el('th', { scope: 'col', class: i > 1 ? 'r' : i ? 'hide-s' : null }, term(title)),
    );
    const table = el(
        'table',
        { class: 'tbl', role: 'treegrid', 'aria-label': 'Call tree', onkeydown: keydown },
        el('colgroup', {}, ...['', 'c-bar hide-s', 'c-n', 'c-pc', 'c-n'].map((name) => el('col', { class: name }))),
        el('thead', {}, el('tr', {}, ...heads)),
        body,
    );
    const element = el('div', { class: 'ctree tblwrap', hidden: true }, table);
    let open = /** @type {Set<number>} */ (new Set());
    let of = /** @type {import('../model/graph.js').Graph | null} */ (null);
    let top = -1;

    const children = (/** @type {number} */ node) => select.heaviest(select.lastOf(node), MOST_CHILDREN);
    const hasChildren = (/** @type {number} */ node) => {
        const last = select.lastOf(node);
        return select.graph().end[last] > last + 1;
    };

    /** The heaviest path, and the one to the selected frame. */
    function openFirst() {
        open = new Set(pathTo(select.graph(), store.state.selected).slice(0, -1));
        let node = store.state.zoom;
        for (let i = 0; i < MOST_OPENED && hasChildren(node); i++) {
            open.add(node);
            const [next] = children(node).heaviest;
            if (next === undefined) break;
            node = next;
        }
    }

    /** The rows to show, from the top down. @returns {Row[]} */
    function rowsOf() {
        const { total } = select.held();
        const rows = /** @type {Row[]} */ ([]);
        const waiting = [{ node: store.state.zoom, level: 1, rest: 0, value: total[store.state.zoom] }];
        for (let row = waiting.pop(); row && rows.length < MOST_ROWS; row = waiting.pop()) {
            rows.push(row);
            if (row.rest || !open.has(row.node)) continue;
            const { heaviest, count: all, sum } = children(row.node);
            const level = row.level + 1;
            const below = heaviest.map((node) => ({ node, level, rest: 0, value: total[node] }));
            const rest = below.reduce((left, child) => left - child.value, sum);
            if (all > below.length) below.push({ node: row.node, level, rest: all - below.length, value: rest });
            waiting.push(...below.reverse());
        }
        return rows;
    }

    /** @param {Row} row */
    function draw({ node, level, rest, value }) {
        const format = select.format();
        const whole = select.held().total[ROOT];
        const base = select.baseSums()?.total;
        const after = select.sums().total[node];
        const label = select.label(node);
        const isOpen = open.has(node);
        const isLeaf = rest > 0 || !hasChildren(node);
        const last = rest ? node : select.lastOf(node);
        const chained = rest ? null : chainName(select, node, last);
        const twist = el('span', { class: 'twist', 'aria-hidden': 'true' }, isLeaf ? '' : isOpen ? '\u25be' : '\u25b8');
        const name = rest
            ? [muted(`${count(rest)} smaller`)]
            : [
                  swatch(label.colour),
                  chained?.name ?? label.name,
                  muted(chained?.suffix || (label.extra ? '' : suffixOf(label))),
              ];
        const head = el('th', { scope: 'row', title: rest ? null : placeOf(label) || label.name }, twist, ...name);
        head.style.paddingLeft = `${12 + (level - 1) * INDENT_PX}px`;
        const isSelected = !rest && node <= store.state.selected && store.state.selected <= last;
        return el(
            'tr',
            {
                'aria-level': level,
                'aria-expanded': isLeaf ? null : String(isOpen),
                'aria-selected': isSelected ? 'true' : null,
                tabindex: isSelected ? '0' : '-1',
                'data-node': rest ? null : node,
                onclick: () => !rest && choose(node, !isLeaf && node === store.state.selected),
                ondblclick: () => !rest && store.set({ zoom: node, selected: node }),
            },
            head,
            el('td', { class: 'barc hide-s' }, bar(whole > 0 ? value / whole : 0, label.colour)),
            el('td', { class: 'r' }, figure(format, base && !rest ? after : value)),
            el(
                'td',
                { class: 'r part' },
                !base ? share(format, value, whole) : rest ? '' : changeMark(format, base[node], after),
            ),
            el('td', { class: 'r' }, rest ? '' : figure(format, select.sums().self[last])),
        );
    }

    /** Selects a row; a second click opens or closes it. @param {number} node @param {boolean} turns */
    function choose(node, turns) {
        if (turns) turn(node);
        else {
            open.add(node);
            store.set({ selected: node });
            update();
        }
    }

    /** @param {number} node */
    function turn(node) {
        if (!open.delete(node)) open.add(node);
        update();
    }

    /** @param {KeyboardEvent} event */
    function keydown(event) {
        const rows = /** @type {HTMLElement[]} */ ([...body.querySelectorAll('tr[data-node]')]);
        const now = rows.findIndex((row) => row === document.activeElement || row.tabIndex === 0);
        const node = Number(rows[now]?.dataset['node'] ?? store.state.zoom);
        const isOpen = open.has(node) && hasChildren(node);
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        const { zoom } = store.state;
        if (step) moveTo(Number(rows[Math.max(0, Math.min(rows.length - 1, now + step))].dataset['node']));
        else if (event.key === 'ArrowRight' && hasChildren(node) && !isOpen) turn(node);
        else if (event.key === 'ArrowLeft' && isOpen) turn(node);
        else if (event.key === 'ArrowLeft' && node !== zoom) moveTo(select.graph().parent[node]);
        else if (event.key === 'Enter') store.set({ zoom: node });
        else if (event.key === 'Backspace') store.set({ zoom: select.graph().parent[zoom] });
        else return;
        event.preventDefault();
        event.stopPropagation();
        /** @type {HTMLElement | null} */ (body.querySelector('tr[tabindex="0"]'))?.focus();
    }

    /** @param {number} node */
    function moveTo(node) {
        if (node !== ROOT) store.set({ selected: node });
    }

    function update() {
        element.hidden = store.state.view !== 'tree';
        if (element.hidden || select.isTable()) return;
        if (of !== select.graph() || top !== store.state.zoom) {
            of = select.graph();
            top = store.state.zoom;
            openFirst();
        }
        element.classList.toggle('compares', Boolean(select.baseMetric()));
        const titles = select.baseMetric() ? ['After', 'Change'] : ['Total', 'of all'];
        titles.forEach((title, i) => refill(heads[i + 2], term(title)));
        for (const node of pathTo(select.graph(), store.state.selected).slice(0, -1)) open.add(node);
        refill(body, ...rowsOf().map(draw));
        if (!body.querySelector('tr[tabindex="0"]')) body.querySelector('tr')?.setAttribute('tabindex', '0');
    }

    store.onChange(update);
    return { element, update };
}
