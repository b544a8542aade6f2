// SPDX-License-Identifier: Apache-2.0
/* The panel of the selected frame: what it holds, who called it, what it called, and its stack to copy. */
import { copyText } from '../dom/copy.js';
import { el, figure, icon, ownerClass, placeLink, refill, share as shareOf } from '../dom/elements.js';
import { capital, placeOf, shorten, suffixOf } from '../lib/text.js';
import { bytes, count, counted, formatOf, growth, partOf, percent } from '../lib/units.js';
import { pathTo } from '../model/calltree.js';
import { sumBy } from '../model/filter.js';
import { OWNERS, OWNER_RUNNER, OWNER_SMALLER } from '../lib/owners.js';
import { ROOT } from '../model/profile.js';
import { addressOf, isOwn, linesAround } from '../model/source.js';
import { createList } from './list.js';
import { ownerName, spanOfNs } from './words.js';

/** So many callers or callees have a row of their own. */
const MOST_ROWS = 6;
/** So many threads or allocators are named. */
const MOST_NAMED = 2;
/** So many lines of source stand before and behind the one that ran. */
const SOURCE_LINES = 4;
/** A longer name of a thread is cut. */
const MOST_CHARS = 60;

/** Words that are not parted at the end of a line. @param {string} text */
const inOneLine = (text) => text.replace(/ /g, '\u00a0');

/**
 * @param {import('../store/store.js').Store} store
 * @param {HTMLElement} host
 * @param {{show: (of: import('../model/graph.js').Graph, node: number) => void}} graph
 */
export function createSide(store, host, graph) {
    const { select } = store;
    const name = el('p', { class: 'name' });
    const where = el('p', { class: 'where' });
    const sw = el('span', { class: 'sw' });
    const owner = el('span');
    const facts = el('dl', { class: 'kv' });
    const callerHead = el('h3', { id: 'h-callers' });
    const calleeHead = el('h3', { id: 'h-callees' });
    const callers = createList('h-callers');
    const callees = createList('h-callees');
    const source = el('pre', { class: 'source', tabindex: '0', role: 'group', 'aria-label': 'Source' });
    const copy = el('button', { class: 'btn', onclick: copyStack });
    const byHand = el('textarea', { hidden: true, readonly: true, 'aria-label': 'The stack, to copy by hand' });
    refill(
        host,
        el('h3', { id: 'p-head' }, 'Selected frame'),
        name,
        where,
        el('p', { class: 'own' }, sw, owner),
        facts,
        callerHead,
        callers.element,
        calleeHead,
        callees.element,
        source,
        el(
            'p',
            { class: 'acts' },
            el('button', { class: 'btn', onclick: zoom }, icon('zoom'), 'Zoom'),
            copy,
        ),
        byHand,
    );
    host.setAttribute('aria-labelledby', 'p-head');

    function zoom() {
        store.set({ zoom: store.state.selected });
    }

    /** Whether callers are below what they called. */
    const isTurned = () => store.state.order === 'callers';

    /** The stack as one reads it: the outermost frame first. */
    function stackText() {
        const path = pathTo(select.graph(), store.state.selected).map((node) => select.label(node));
        return (isTurned() ? path.reverse() : path)
            .filter(({ extra }) => extra?.what !== 'runner')
            .map((label) => [label.name, placeOf(label)].filter(Boolean).join('  '))
            .join('\n');
    }

    async function copyStack() {
        const done = await copyText(stackText());
        refill(copy, icon(done ? 'tick' : 'copy'), done ? 'Copied' : 'Select to copy');
        byHand.hidden = done;
        if (!done) {
            byHand.value = stackText();
            byHand.select();
        }
    }

    /** @param {string} term @param {...(Node | string)} values */
    function fact(term, ...values) {
        const cells = values.map((value, i) =>
            el('dd', { class: values.length === 1 ? 'wide' : i ? 'pc' : null }, value),
        );
        facts.append(el('dt', {}, term), ...cells);
    }

    function update() {
        const { selected } = store.state;
        const metric = select.metric();
        const sums = select.sums();
        const format = formatOf(metric.unit);
        const label = select.label(selected);
        const total = sums.total[selected];
        const self = sums.self[selected];
        name.textContent = label.name;
        const lines = select.lines(selected);
        nameSource(selected, label, lines);
        sw.setAttribute('class', `sw ${ownerClass(label.owner)}`);
        owner.textContent = ownerName(label);
        /** @type {HTMLElement} */ (owner.parentElement).hidden = owner.textContent === '';

        refill(facts);
        const meanOf = (/** @type {number} */ mean) => el('span', { title: format.exact(mean) }, `${bytes(mean)} mean`);
        fact('Total', figure(format, total), shareOf(format, total, sums.total[ROOT], ' of all'));
        const base = select.baseSums()?.total;
        if (base) {
            const before = base[selected];
            fact(
                'Before',
                figure(format, before),
                store.state.shares
                    ? shareOf(format, before, base[ROOT], ' of all')
                    : el('span', { title: partOf(format, total - before, before) }, growth(before, total)),
            );
        }
        if (store.state.zoom !== ROOT && store.state.zoom !== selected)
            fact('', '', shareOf(format, total, sums.total[store.state.zoom], ' of view'));
        if (!isTurned()) fact('Self', figure(format, self), shareOf(format, self, total, ' of frame'));
        if (metric.countName && select.order() !== 'time') {
            const many = sums.totalCount[selected];
            fact(
                capital(metric.countName),
                el('span', { title: counted(many, metric.countName) }, count(many)),
                metric.unit === 'bytes' && many ? meanOf(Math.round(total / many)) : '',
            );
        }
        nameTimes(selected);
        nameLines(selected, lines);
        nameParts('Thread', store.profile.facts.thread, store.profile.threads);
        if (store.profile.facts.allocator && metric.allocators !== false)
            nameParts('Allocator', store.profile.facts.allocator, store.profile.allocators);
        fillLists(format);
        refill(copy, icon('copy'), 'Copy stack');
        byHand.hidden = true;
    }

    /**
     * Where the code is, and its text: of a function with several lines around the heaviest.
     * @param {number} node
     * @param {import('../model/graph.js').Label} label
     * @param {ReturnType<typeof select.lines>} ran
     */
    function nameSource(node, label, ran) {
        const { frames } = store.profile;
        const f = select.graph().frame[node];
        const own = !label.extra && f < frames.count && isOwn(frames.kind[f]);
        const line = label.line || (ran[0]?.line ?? 0);
        refill(where, placeLink(own ? addressOf(store.sources, label.file, label.line) : '', placeOf(label)));
        where.hidden = !where.textContent;
        const lines = own && line ? linesAround(store.sources, label.file, line, SOURCE_LINES) : [];
        source.hidden = !lines.length;
        const rows = lines.map(({ number, text }) =>
            el(
                'span',
                { class: number === line ? 'here' : null },
                el('span', { class: 'no' }, String(number).padStart(String(line + SOURCE_LINES).length)),
                ` ${text}\n`,
            ),
        );
        refill(source, ...rows);
    }

    /** When a call ran. @param {number} node */
    function nameTimes(node) {
        const graph = select.graph();
        if (!('start' in graph)) return;
        const { start, stop } = /** @type {import('../model/timeorder.js').TimeGraph} */ (graph);
        const { exact } = formatOf('nanoseconds');
        const title = `${exact(start[node])} to ${exact(stop[node])}`;
        fact('From', el('span', { title }, spanOfNs(start[node], stop[node])));
    }

    /**
     * The lines of a function that has several here.
     * @param {number} node
     * @param {ReturnType<typeof select.lines>} lines
     */
    function nameLines(node, lines) {
        if (lines.length > 1)
            nameShares(
                'Lines',
                node,
                lines.map(({ line, sum }) => ({ name: String(line), sum })),
            );
    }

    /**
     * Which threads or allocators hold the selected subtree.
     * @param {string} term
     * @param {Uint32Array | Uint8Array} key
     * @param {string[]} names
     */
    function nameParts(term, key, names) {
        if (select.order() === 'time') return;
        const keys = { of: key, count: names.length };
        const { selected } = store.state;
        const parts = sumBy(select.graph(), select.metric().value, select.wanted(), keys, selected).map((part) => ({
            name: shorten(names[part.key], MOST_CHARS),
            sum: part.sum,
        }));
        if (parts.length === 1) fact(term, parts[0].name);
        else if (parts.length) nameShares(`${term}s`, selected, parts);
    }

    /**
     * "33 (44.6 %), 30 (27.4 %), 3 more"
     * @param {string} term
     * @param {number} node  that they are parts of
     * @param {{name: string, sum: number}[]} parts
     */
    function nameShares(term, node, parts) {
        const format = formatOf(select.metric().unit);
        const words = el('span');
        parts.slice(0, MOST_NAMED).forEach(({ name: part, sum }, i) => {
            const whole = select.sums().total[node];
            const share = inOneLine(`(${percent(sum, whole)})`);
            words.append(`${i ? ', ' : ''}${part}\u00a0`, el('span', { title: partOf(format, sum, whole) }, share));
        });
        if (parts.length > MOST_NAMED) words.append(`, ${inOneLine(`${count(parts.length - MOST_NAMED)} more`)}`);
        fact(term, words);
    }

    /** What is above the selected frame: one frame, or all callers of the function in the middle of a sandwich. */
    function itemsAbove() {
        const { selected } = store.state;
        const isMiddle = select.isSandwich() && selected === ROOT + 1;
        if (isMiddle) return itemsOf(select.callers, select.callers.graph().count > 1 ? ROOT + 1 : ROOT);
        if (selected === ROOT) return [];
        return [itemOf(select, select.graph().parent[selected], select.sums().total[selected], 1)];
    }

    /**
     * @param {import('../store/shown.js').Shown} shown
     * @param {number} node
     * @param {number} value
     * @param {number} share
     * @returns {import('./list.js').Item}
     */
    function itemOf(shown, node, value, share) {
        const label = shown.label(node);
        return {
            name: label.name,
            suffix: suffixOf({ ...label, line: 0 }),
            title: placeOf(label) || label.name,
            value,
            share,
            owner: label.owner,
            go: label.owner === OWNER_SMALLER ? null : () => graph.show(shown.graph(), node),
        };
    }

    /**
     * The frames below a node, the heaviest first; the last ones in one row.
     * @param {import('../store/shown.js').Shown} shown
     * @param {number} node
     */
    function itemsOf(shown, node) {
        const { total } = shown.sums();
        const all = shown.childrenOf(node);
        const children = all.heaviest.slice(0, MOST_ROWS);
        const share = (/** @type {number} */ value) => (total[node] > 0 ? value / total[node] : 0);
        const items = children.map((child) => itemOf(shown, child, total[child], share(total[child])));
        if (all.count > children.length) {
            const value = children.reduce((rest, child) => rest - total[child], all.sum);
            const name = `${count(all.count - children.length)} more`;
            items.push({ name, title: '', value, share: share(value), owner: OWNER_SMALLER, go: null });
        }
        return items;
    }

    /** @param {import('../lib/units.js').Format} format */
    function fillLists(format) {
        const { selected } = store.state;
        const sums = select.sums();
        const self = sums.self[selected];
        const owner = select.owner(selected);
        const above = itemsAbove();
        const items = itemsOf(select, selected);
        if (self > 0 || !items.length) {
            items.push({
                name: isTurned() ? 'no caller' : 'self',
                title: isTurned() ? 'the stack begins with this frame' : 'in this frame itself, not in what it called',
                value: self,
                share: sums.total[selected] > 0 ? self / sums.total[selected] : 0,
                owner: owner < OWNERS.length ? owner : OWNER_RUNNER,
                go: null,
            });
        }
        callerHead.textContent = isTurned() ? 'Called' : above.length > 1 ? 'Callers' : 'Caller';
        calleeHead.textContent = isTurned() ? 'Callers' : 'Callees';
        callerHead.hidden = callers.element.hidden = !above.length;
        callers.fill(above, format);
        callees.fill(items, format);
    }

    store.onChange(update);
    return { update };
}
