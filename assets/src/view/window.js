// SPDX-License-Identifier: Apache-2.0
/*
 * The window on the timeline: dragged over the lanes, moved by its handles, typed into two fields, or set with keys at
 * the cursor. It snaps outward to the time bins of the store, and says to which.
 */
import { el, icon, refill } from '../dom/elements.js';
import { count, duration, exactMoment, formatOf, instant, moment } from '../lib/units.js';
import { binAt, binWidth, isSameWindow, timesOf, windowOfTime } from '../model/time.js';
import { parseMoment } from './amount.js';
import { spanName } from './words.js';

/** @typedef {import('../model/time.js').Window} Window */

/** A shorter way of the pointer is a click. */
const CLICK_PX = 4;
/** A view that took longer to follow than this is not asked to while the pointer moves. */
const LIVE_MS = 50;
/** What changes fast is said once it rests. */
const REST_MS = 400;
/** Page Up and Page Down go so many times over the whole run. */
const PAGES = 10;

const ENDS = /** @type {const} */ (['first', 'last']);

/**
 * @param {import('../store/store.js').Store} store
 * @param {import('./timeline.js').Timeline} timeline
 * @param {HTMLElement} host  for the fields; what is in it stays, behind them
 */
export function createWindow(store, timeline, host) {
    const { select } = store;
    const history = /** @type {import('../model/time.js').History} */ (store.profile.history);
    const { bins } = history;
    const whole = { first: 0, last: bins.count - 1 };
    const widthMs = binWidth(bins);
    const step = duration(widthMs * 1e6);
    const exactStep = formatOf('nanoseconds').exact(Math.round(widthMs * 1e6));
    const fields = { first: createField('first'), last: createField('last') };
    const note = el('span', { class: 'muted' });
    const clear = el(
        'button',
        {
            class: 'btn icon ghost',
            'aria-label': 'Clear the window',
            title: 'Whole run',
            onclick: reset,
        },
        icon('close'),
    );
    let dragging = false;
    const status = el('p', { class: 'vh', role: 'status' });
    const handles = { first: createHandle('Window start', 'first'), last: createHandle('Window end', 'last') };
    host.prepend(
        el(
            'span',
            { class: 'win' },
            el('label', { for: 'w-first' }, 'Window'),
            fields.first,
            el('span', { 'aria-hidden': 'true' }, '\u2013'),
            el('label', { class: 'vh', for: 'w-last' }, 'Window end'),
            fields.last,
            note,
            clear,
        ),
    );
    timeline.plot.append(handles.first, handles.last, status);

    /** A moment of the run as exact as bins are. @param {number} ms */
    const timeOf = (ms) => instant(ms - select.span().from, select.span().to - select.span().from, widthMs);

    /** @param {Window} chosen */
    function textsOf(chosen) {
        const { from, to } = timesOf(bins, chosen);
        return { first: timeOf(from), last: timeOf(to) };
    }

    /** @param {Window | null} chosen */
    function set(chosen) {
        store.set({ window: chosen });
    }

    function reset() {
        set(null);
        timeline.canvas.focus({ preventScroll: true });
    }

    // ---- fields

    /** @param {'first' | 'last'} end */
    function createField(end) {
        const longest = instant(
            bins.end[bins.count - 1] - select.span().from,
            select.span().to - select.span().from,
            widthMs,
        ).length;
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
        input.style.width = `${longest + 2}ch`;
        return input;
    }

    /**
     * What was typed becomes an edge; the other one stays. An empty field is that end of the run.
     * @param {'first' | 'last'} end
     */
    function type(end) {
        const typed = fields[end].value.trim();
        const ms = typed === '' ? timesOf(bins, whole)[end === 'first' ? 'from' : 'to'] : parseMoment(typed);
        if (ms === null) {
            fields[end].setAttribute('aria-invalid', 'true');
            say(`${typed} is not a time. Write it as ${textsOf(whole).last}, 1:30 or 2.5 s.`);
            return;
        }
        const other = timesOf(bins, store.state.window ?? whole);
        const at = typed === '' ? ms : Math.min(Math.max(select.span().from + ms, bins.start[0]), bins.end[whole.last]);
        const [from, to] = end === 'first' ? [at, other.to] : [other.from, at];
        const next = windowOfTime(bins, Math.min(from, to), Math.max(from, to));
        set(next && next.first === 0 && next.last === whole.last && typed === '' ? null : next);
        describe();
    }

    // ---- handles and keys

    /** @param {string} label @param {'first' | 'last'} end */
    function createHandle(label, end) {
        const handle = el('div', {
            class: `handle ${end}`,
            role: 'slider',
            tabindex: '0',
            hidden: true,
            'aria-label': label,
            'aria-orientation': 'horizontal',
            'aria-valuemin': 0,
            'aria-valuemax': bins.count - 1,
            onkeydown: (/** @type {KeyboardEvent} */ event) => {
                const far = Math.ceil(bins.count / PAGES);
                const steps = /** @type {Record<string, number>} */ ({
                    ArrowRight: 1,
                    ArrowUp: 1,
                    ArrowLeft: -1,
                    ArrowDown: -1,
                    PageUp: far,
                    PageDown: -far,
                    Home: -bins.count,
                    End: bins.count,
                });
                if (event.key === 'Escape') reset();
                else if (event.key in steps) moveEdge(end, steps[event.key]);
                else return;
                event.preventDefault();
            },
        });
        handle.style.height = `${timeline.lanesHeight}px`;
        handle.addEventListener('pointerdown', (event) => {
            const chosen = store.state.window;
            if (chosen && event.button === 0) drag(event, handle, chosen[end === 'first' ? 'last' : 'first']);
        });
        return handle;
    }

    /** @param {'first' | 'last'} end @param {number} by  in bins */
    function moveEdge(end, by) {
        const now = store.state.window ?? whole;
        const [least, most] = end === 'first' ? [0, now.last] : [now.first, whole.last];
        set({ ...now, [end]: Math.max(least, Math.min(most, now[end] + by)) });
    }

    // ---- dragging

    /** The bin below a pointer. @param {PointerEvent} event */
    function binBelow(event) {
        const ms = timeline.msAt(event);
        return windowOfTime(bins, ms, ms)?.first ?? 0;
    }

    /**
     * @param {PointerEvent} down
     * @param {HTMLElement} target  keeps the pointer
     * @param {number} anchor       the bin at the other end
     */
    function drag(down, target, anchor) {
        const before = store.state.window;
        dragging = true;
        let frame = 0;
        let slow = false;
        let moved = target !== timeline.canvas;
        let next = before;
        target.setPointerCapture(down.pointerId);

        const follow = () => {
            frame = 0;
            const start = performance.now();
            set(next);
            slow = performance.now() - start > LIVE_MS;
        };
        const move = (/** @type {PointerEvent} */ event) => {
            moved ||= Math.abs(event.clientX - down.clientX) >= CLICK_PX;
            if (!moved) return;
            const bin = binBelow(event);
            next = { first: Math.min(anchor, bin), last: Math.max(anchor, bin) };
            if (slow) place(next);
            else frame ||= requestAnimationFrame(follow);
        };
        const end = (/** @type {PointerEvent} */ event) => {
            cancelAnimationFrame(frame);
            target.removeEventListener('pointermove', move);
            target.removeEventListener('pointerup', end);
            target.removeEventListener('pointercancel', end);
            dragging = false;
            // A cancelled pointer was taken for scrolling: nothing was chosen.
            if (event.type === 'pointercancel') set(before);
            else if (moved) set(next);
            if (!isSameWindow(store.state.window, before)) announce();
        };
        target.addEventListener('pointermove', move);
        target.addEventListener('pointerup', end);
        target.addEventListener('pointercancel', end);
    }

    timeline.canvas.addEventListener('pointerdown', (event) => {
        if (event.button === 0) drag(event, timeline.canvas, binBelow(event));
    });
    timeline.canvas.addEventListener('dblclick', () => set(null));
    timeline.canvas.addEventListener('keydown', (event) => event.key === 'Escape' && set(null));

    // ---- what is shown and said

    /** Handles at the edges. @param {Window | null} chosen */
    function place(chosen) {
        for (const end of ENDS) handles[end].hidden = !chosen;
        if (!chosen) return;
        const { from, to } = timesOf(bins, chosen);
        handles.first.style.left = `${timeline.xOf(from)}px`;
        handles.last.style.left = `${timeline.xOf(to)}px`;
    }

    function describe() {
        const chosen = store.state.window;
        const texts = textsOf(chosen ?? whole);
        const { from, to } = timesOf(bins, chosen ?? whole);
        const edges = { first: from, last: to };
        for (const end of ENDS) {
            fields[end].removeAttribute('aria-invalid');
            fields[end].value = chosen ? texts[end] : '';
            fields[end].placeholder = texts[end];
            handles[end].setAttribute('aria-valuenow', String((chosen ?? whole)[end]));
            handles[end].setAttribute('aria-valuetext', texts[end]);
            fields[end].title = `A time since the start: ${exactMoment(edges[end] - select.span().from)}`;
        }
        clear.hidden = !chosen;
        note.classList.toggle('hint', !chosen);
        refill(note, ...(chosen ? noteOf(chosen) : hint()));
        note.title = snapText(chosen);
        place(chosen);
    }

    /** What a phone has no room for. @param {(Node | string)[]} text */
    const wide = (...text) => el('span', { class: 'wide' }, ...text);

    const hint = () => ['drag to select', wide(', in steps of ', el('span', { title: exactStep }, step))];

    /** @param {Window} chosen */
    function noteOf(chosen) {
        const { from, to } = timesOf(bins, chosen);
        return [duration((to - from) * 1e6), wide(`, b${chosen.first}:b${chosen.last}`)];
    }

    /** @param {Window | null} chosen */
    function snapText(chosen) {
        const merged = history.recorded > bins.count;
        const all = `${count(bins.count)} time bins of about ${step}`;
        const why = merged ? `, merged from ${count(history.recorded)} to limit the size of the page` : '';
        const which = chosen ? `Bins ${chosen.first} to ${chosen.last} of ` : '';
        const { from, to } = timesOf(bins, chosen ?? whole);
        return `${formatOf('nanoseconds').exact((to - from) * 1e6)}. ${which}${all}${why}`;
    }

    /** What the window holds, for who cannot see it change. */
    function announce() {
        const part = select.part();
        if (!part) {
            say('Whole run');
            return;
        }
        const amounts = store.tabs
            .map(({ metric }) => select.metricAt(metric))
            .filter((metric) => metric && (metric.name === 'peak' || metric.name === 'leaked'))
            .map((metric) => `${metric.title} ${formatOf(metric.unit).short(metric.total)}`);
        const { from, to } = select.span();
        say(
            `Window ${spanName(store)}, bins ${part.first} to ${part.last} of ${bins.count}. ` +
                `${amounts.join(', ')}. The heap is highest at ${moment(part.peakMs - from, to - from)}.`,
        );
    }

    let timer = 0;
    /** @param {string} text */
    function say(text) {
        clearTimeout(timer);
        timer = window.setTimeout(() => refill(status, text), REST_MS);
    }

    store.onChange((changed) => {
        if (!changed.has('window')) return;
        describe();
        if (!dragging) announce();
    });
    return {
        update: describe,
        /** The cursor becomes an edge. @param {'first' | 'last'} end */
        setEdge(end) {
            const bin = binAt(bins, timeline.cursorMs);
            const now = store.state.window ?? whole;
            if (end === 'first') set({ first: bin, last: now.last >= bin ? now.last : whole.last });
            else set({ first: now.first <= bin ? now.first : 0, last: bin });
        },
    };
}
