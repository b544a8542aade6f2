// SPDX-License-Identifier: Apache-2.0
/* The figures of the selected frame: totals, counts, times, lines, threads, allocators. */
import { el, figure, refill, share as shareOf } from '../../dom/elements.js';
import { capital, shorten } from '../../lib/text.js';
import { bytes, count, counted, exactMoment, formatOf, growth, moment, partOf, percent } from '../../lib/units.js';
import { summingBy } from '../../model/filter.js';
import { NO_THREAD, ROOT } from '../../model/profile.js';
import { changeMark, kindOf } from '../change.js';
import { term } from '../terms.js';
import { spanOfNs } from '../words.js';

/**
 * @typedef {object} Gathered
 * @property {import('../../model/paths.js').Paths | null} paths
 * @property {{name: string, sum: number}[]} byThread     largest first
 * @property {{name: string, sum: number}[]} byAllocator
 */

/** The number of threads or allocators named. */
const MOST_NAMED = 2;
/** A longer name of a thread is cut. */
const MOST_CHARS = 60;

/** Words that are not split at the end of a line. @param {string} text */
const inOneLine = (text) => text.replace(/ /g, '\u00a0');

/** @param {import('../../store/store.js').Store} store */
export function createFacts(store) {
    const { select, profile } = store;
    const element = el('dl', { class: 'kv' });
    const format = () => select.format();

    /** @param {string} name @param {...(Node | string)} values */
    function fact(name, ...values) {
        const cells = values.map((value, i) =>
            el('dd', { class: values.length === 1 ? 'wide' : i ? 'pc' : null }, value),
        );
        element.append(el('dt', {}, term(name)), ...cells);
    }

    /** A share of the whole view. @param {number} value */
    const ofAll = (value) => shareOf(format(), value, select.sums().total[ROOT], ' of all');

    /** @param {number} node @param {import('../../model/paths.js').Paths | null} paths */
    function nameTotals(node, paths) {
        const { self, total } = select.sums();
        const { state } = store;
        const base = select.baseSums();
        if (base) nameBefore(node, base.total);
        if (paths && !base && (paths.count > 1 || paths.total !== total[node])) {
            nameColumns(node, paths);
            return;
        }
        fact(base ? 'After' : 'Total', figure(format(), total[node]), ofAll(total[node]));
        if (base) nameChange(node, base);
        if (base && paths && paths.count > 1)
            fact(`All ${counted(paths.count, 'paths')}`, figure(format(), paths.total), ofAll(paths.total));
        if (paths && paths.own > 0 && paths.own !== paths.total)
            fact('With libraries', figure(format(), paths.own), ofAll(paths.own));
        if (state.zoom !== ROOT && state.zoom !== node)
            fact('', '', shareOf(format(), total[node], total[state.zoom], ' of view'));
        if (state.order !== 'callers' && !base)
            fact('Self', figure(format(), self[node]), shareOf(format(), self[node], total[node], ' of frame'));
    }

    /** What the peak of the run would be if the frame held nothing. @param {number} node */
    function nameWithout(node) {
        const life = select.life(node);
        const { history } = profile;
        const isPeak = select.metric().name === 'peak' && !select.part() && !select.wanted();
        if (!life || !history || !isPeak || life.most <= 0) return;
        const { bytes: rest, bin } = life.without;
        const whole = history.bins.peak.reduce((most, value) => Math.max(most, value), 0);
        const span = select.span();
        const at = history.bins.peakMs[bin] - span.from;
        const less = `\u2212${percent(whole - rest, whole)}`;
        const saved = el('span', { title: partOf(format(), whole - rest, whole) }, less);
        const beside = element.querySelector('.all');
        if (beside) fact('Peak without it', el('span', {}, figure(format(), rest), ' (', saved, ')'));
        else fact('Peak without it', figure(format(), rest), saved);
        const when = `${beside ? 'without this path, ' : ''}then at ${moment(at, span.to - span.from)}`;
        fact('', el('span', { class: 'muted', title: exactMoment(at) }, when));
    }

    /**
     * What the box holds beside what its function holds over all paths, as findings and the table count it.
     * @param {number} node
     * @param {import('../../model/paths.js').Paths} paths
     */
    function nameColumns(node, paths) {
        const { self, total, totalCount } = select.sums();
        const { countName } = select.metric();
        /** @param {string} name @param {Node | string} here @param {Node | string} all */
        const pair = (name, here, all) =>
            element.append(el('dt', {}, term(name)), el('dd', { class: 'all' }, here), el('dd', { class: 'all' }, all));
        const figures = (/** @type {string} */ name, /** @type {number} */ here, /** @type {number} */ all) =>
            pair(name, figure(format(), here), figure(format(), all));
        const all = paths.count > 1 ? `All ${counted(paths.count, 'paths')}` : 'Outermost call';
        pair('', el('b', {}, 'This path'), el('b', {}, all));
        figures('Total', total[node], paths.total);
        const whole = total[ROOT];
        pair('Share', shareOf(format(), total[node], whole), shareOf(format(), paths.total, whole));
        figures('Self', self[node], paths.self);
        if (paths.own > 0 && paths.own !== paths.total) figures('With libraries', paths.ownHere, paths.own);
        if (countName) {
            const many = (/** @type {number} */ value) =>
                el('span', { title: counted(value, countName) }, count(value));
            pair(capital(countName), many(totalCount[node]), many(paths.many));
        }
    }

    /** In a difference. @param {number} node @param {Float64Array} base */
    const nameBefore = (node, base) =>
        fact('Before', figure(format(), base[node]), shareOf(format(), base[node], base[ROOT], ' of all'));

    /** @param {number} node @param {import('../../model/calltree.js').Sums} base */
    function nameChange(node, base) {
        const { self, total } = select.sums();
        const [before, after] = [base.total[node], total[node]];
        const kind = kindOf(after - before);
        const relative = el('span', { class: kind, title: partOf(format(), after - before, before) });
        relative.textContent = growth(before, after);
        fact('Change', changeMark(format(), before, after), relative);
        if (store.state.order === 'callers' || self[node] === base.self[node]) return;
        fact('Change of self', changeMark(format(), base.self[node], self[node]), growth(base.self[node], self[node]));
    }

    /** @param {number} node */
    function nameCount(node) {
        const { countName, unit } = select.metric();
        if (!countName || select.order() === 'time' || element.querySelector('.all')) return;
        const { total, totalCount } = select.sums();
        const many = totalCount[node];
        const mean = Math.round(total[node] / many);
        const means = () => el('span', { title: format().exact(mean) }, `${bytes(mean)} mean`);
        const base = select.baseSums();
        const before = base ? `${count(base.totalCount[node])} \u2192 ` : '';
        const words = el('span', { title: before + counted(many, countName) }, before + count(many));
        fact(capital(countName), words, unit === 'bytes' && many && !base ? means() : '');
    }

    /** When a call ran. @param {number} node */
    function nameTimes(node) {
        const graph = select.graph();
        if (!('start' in graph)) return;
        const { start, stop, lacksClock } = /** @type {import('../../model/timeorder.js').TimeGraph} */ (graph);
        if (lacksClock) return;
        const { exact } = formatOf('nanoseconds');
        const title = `${exact(start[node])} to ${exact(stop[node])}`;
        fact('From', el('span', { title }, spanOfNs(start[node], stop[node])));
    }

    /**
     * Which threads or allocators hold a subtree.
     * @param {Uint32Array | Uint8Array} of
     * @param {string[]} names
     * @param {number} node
     */
    function* partsBy(of, names, node) {
        if (select.order() === 'time') return [];
        const keys = { of, count: names.length };
        const parts = yield* summingBy(select.graph(), select.metric().value, select.wanted(), keys, node);
        return parts.map(({ key, sum }) => ({ name: shorten(names[key], MOST_CHARS), sum }));
    }

    /** @param {string} title @param {number} node @param {{name: string, sum: number}[]} parts */
    function nameParts(title, node, parts) {
        if (parts.length === 1) fact(title, parts[0].name);
        else if (parts.length) nameShares(`${title}s`, node, parts);
    }

    /**
     * "33 (44.6 %), 30 (27.4 %), 3 more"
     * @param {string} title
     * @param {number} node  they are parts of
     * @param {{name: string, sum: number}[]} parts
     */
    function nameShares(title, node, parts) {
        const words = el('span');
        const whole = select.sums().total[node];
        parts.slice(0, MOST_NAMED).forEach(({ name, sum }, i) => {
            const share = inOneLine(`(${percent(sum, whole)})`);
            words.append(`${i ? ', ' : ''}${name}\u00a0`, el('span', { title: partOf(format(), sum, whole) }, share));
        });
        if (parts.length > MOST_NAMED) words.append(`, ${inOneLine(`${count(parts.length - MOST_NAMED)} more`)}`);
        fact(title, words);
    }

    return {
        element,
        /** What takes a look at all of a tree. @param {number} node */
        *gather(node) {
            const { thread, allocator } = profile.facts;
            const { threads, allocators } = profile;
            const hasThreads = threads.some((name) => name !== NO_THREAD);
            const hasAllocators = allocator && select.metric().allocators !== false;
            return {
                /** One box is one path to its function; a view from below has none. */
                paths: select.graph() === select.called() ? yield* select.paths(node) : null,
                byThread: hasThreads ? yield* partsBy(thread, threads, node) : [],
                byAllocator: hasAllocators ? yield* partsBy(allocator, allocators, node) : [],
            };
        },
        /**
         * @param {number} node
         * @param {{line: number, sum: number}[]} lines  of a function that has several here
         * @param {Gathered} gathered
         */
        update(node, lines, { paths, byThread, byAllocator }) {
            refill(element);
            nameTotals(node, paths);
            nameWithout(node);
            nameCount(node);
            nameTimes(node);
            if (lines.length > 1) {
                const parts = lines.map(({ line, sum }) => ({ name: String(line), sum }));
                nameShares('Lines', node, parts);
            }
            nameParts('Thread', node, byThread);
            nameParts('Allocator', node, byAllocator);
        },
    };
}
