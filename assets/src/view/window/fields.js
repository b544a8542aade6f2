// SPDX-License-Identifier: Apache-2.0
/* Two fields for the edges of the window, and the text next to them. */
import { clearButton, el, refill } from '../../dom/elements.js';
import { count, duration, exactMoment, formatOf } from '../../lib/units.js';
import { isSameWindow, timesOf, windowOfTime } from '../../model/time.js';
import { parseMoment } from '../amount.js';
import { ENDS } from './run.js';

/** @typedef {import('./run.js').Window} Window */
/** @typedef {import('./run.js').End} End */
/** @typedef {import('./run.js').Run} Run */

/**
 * @typedef {object} Commands
 * @property {() => Window | null} get
 * @property {(chosen: Window | null) => void} set
 * @property {() => void} reset  to the whole run
 * @property {(end: End, by: number) => void} moveEdge  by bins
 * @property {(text: string) => void} say  to those who cannot see it
 */

/**
 * @param {Run} run
 * @param {Commands} commands
 */
export function createFields(run, { get, set, reset, moveEdge, say }) {
    const { bins, whole, span } = run;
    const ends = timesOf(bins, whole);
    const fields = { first: createField('first'), last: createField('last') };
    const note = el('span', { class: 'muted' });
    const clear = clearButton('Clear the window', reset);
    const element = el(
        'span',
        { class: 'win' },
        note,
        el('label', { class: 'vh', for: 'w-first' }, 'Window'),
        fields.first,
        el('span', { 'aria-hidden': 'true' }, '\u2013'),
        el('label', { class: 'vh', for: 'w-last' }, 'Window end'),
        fields.last,
        clear,
    );

    /** @param {End} end */
    function createField(end) {
        const input = el('input', {
            id: `w-${end}`,
            autocomplete: 'off',
            spellcheck: 'false',
            onchange: () => type(end),
            onkeydown: (/** @type {KeyboardEvent} */ event) => {
                const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
                if (by) moveEdge(end, by);
                else if (event.key === 'Escape') describe();
                else return;
                event.preventDefault();
            },
        });
        input.style.width = `${run.timeOf(ends.to).length + 2}ch`;
        return input;
    }

    /** What was typed becomes an edge; the other one stays. @param {End} end */
    function type(end) {
        const typed = fields[end].value.trim();
        const ms = typed === '' ? endOfRun(end) : parseMoment(typed);
        if (ms === null) {
            fields[end].setAttribute('aria-invalid', 'true');
            say(`${typed} is not a time. Write it as ${run.textsOf(whole).last}, 1:30 or 2.5 s.`);
            return;
        }
        const other = timesOf(bins, get() ?? whole);
        const at = typed === '' ? ms : Math.min(Math.max(span.from + ms, ends.from), ends.to);
        const [from, to] = end === 'first' ? [at, other.to] : [other.from, at];
        const next = windowOfTime(bins, Math.min(from, to), Math.max(from, to));
        set(next && isSameWindow(next, whole) && typed === '' ? null : next);
        describe();
    }

    /** What an empty field means. @param {End} end */
    const endOfRun = (end) => ends[end === 'first' ? 'from' : 'to'];

    function describe() {
        const chosen = get();
        const texts = run.textsOf(chosen ?? whole);
        const { from, to } = timesOf(bins, chosen ?? whole);
        const edges = { first: from, last: to };
        for (const end of ENDS) {
            fields[end].removeAttribute('aria-invalid');
            fields[end].value = chosen ? texts[end] : '';
            fields[end].placeholder = texts[end];
            fields[end].title = `A time since the start: ${exactMoment(edges[end] - span.from)}`;
        }
        clear.hidden = !chosen;
        element.classList.toggle('idle', !chosen);
        note.classList.toggle('hint', !chosen);
        refill(note, ...(chosen ? noteOf(chosen) : hint()));
        note.title = snapText(chosen);
    }

    const hint = () => ['Drag to select a time window'];

    /** @param {Window} chosen */
    function noteOf(chosen) {
        const { from, to } = timesOf(bins, chosen);
        return [duration((to - from) * 1e6)];
    }

    /** @param {Window | null} chosen */
    function snapText(chosen) {
        const merged = run.recorded > bins.count;
        const all = `${count(bins.count)} time bins of about ${run.step}`;
        const why = merged ? `, merged from ${count(run.recorded)} to limit the size of the page` : '';
        const which = chosen ? `Bins ${chosen.first} to ${chosen.last} of ` : '';
        const { from, to } = timesOf(bins, chosen ?? whole);
        return `${formatOf('nanoseconds').exact((to - from) * 1e6)}. ${which}${all}${why}`;
    }

    return { element, describe };
}
