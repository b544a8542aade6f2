// SPDX-License-Identifier: Apache-2.0
/* Words that several views share. */
import { duration, exactMoment, instant, moment } from '../lib/units.js';
import { isHeap } from '../model/series.js';
import { binWidth, hasHistory } from '../model/time.js';

export const NO_DATA = 'no data';
export const NO_TIMES = 'This view has no times; it covers the whole run';
export const OWN_TIMES = 'The samples of this view have another clock: select a part in their heat map';

/** What writes a difference as a card. */
export const DIFF_COMMAND = 'profrender diff BEFORE AFTER -o difference.html';

/** Names of owners, by number; also of the runner and of smaller frames. */
export const OWNER_NAMES = [
    'my code',
    'library',
    'standard library',
    'native',
    'kernel',
    'no code',
    'start-up',
    'smaller frames',
];

/**
 * Whose code a frame is; the root and threads belong to nobody.
 * @param {import('../model/graph.js').Label & {group: string}} label
 */
export const ownerName = ({ owner, extra, group }) =>
    group || (extra && extra.what !== 'runner' ? '' : OWNER_NAMES[owner]);

/** The same, short, for rows. */
export const OWNER_SHORT = OWNER_NAMES.map((name) => name.replace('standard library', 'stdlib'));

const OBJECT_METRICS = ['retained', 'held_by', 'unreachable', 'shallow'];

/**
 * Whether a profile is a heap dump: its frames are classes and fields, which retain and call nothing.
 * @param {import('../model/profile.js').Profile} profile
 */
export const isOfObjects = ({ metrics }) =>
    metrics.length > 0 &&
    metrics.every(
        ({ name, countName }) => countName === 'objects' && OBJECT_METRICS.includes(name.replace(' before', '')),
    );

/** What the total of a view is, after the number: "4.61 GiB at the peak". */
const VIEW_NAMES = /** @type {Record<string, string>} */ ({
    'peak': 'at the peak',
    leaked: 'not freed at the end',
    temporary: 'freed before the next allocation',
    allocated: 'allocated in the whole run',
});

/**
 * The window, as its edges: "2:22 – 5:10".
 * @param {import('../store/store.js').Store} store
 */
export const spanName = (store) => timesName(store, store.select.part() ?? store.select.span());

/**
 * @param {import('../store/store.js').Store} store
 * @param {{from: number, to: number}} times
 */
export function timesName({ select, profile }, { from, to }) {
    const span = select.span();
    const width = profile.history ? binWidth(profile.history.bins) : 0;
    return [from, to].map((ms) => instant(ms - span.from, span.to - span.from, width)).join(' \u2013 ');
}

/** "Wall time" as it is within a sentence; "CPU time", "Java heap" and "cpu-clock" stay. @param {string} title */
export const inSentence = (title) =>
    /^(?!Java )[A-Z][a-z]/.test(title) ? title[0].toLowerCase() + title.slice(1) : title;

/** When a call ran: "1.20 s \u2013 1.44 s". @param {number} from @param {number} to  ns */
export const spanOfNs = (from, to) => `${duration(from)} \u2013 ${duration(to)}`;

/**
 * What the total of the view is, after the number: of the run, or of the window.
 * @param {import('../store/store.js').Store} store
 */
export function viewName(store) {
    const { profile, select } = store;
    const metric = select.metric();
    const span = select.span();
    const length = span.to - span.from;
    const isLeft = metric.name === 'leaked' && profile.failure !== null;
    const known = isLeft ? 'in use when it failed' : VIEW_NAMES[metric.name];
    const name = known ?? (metric.title === 'Time' ? 'of time' : inSentence(metric.title));
    const part = select.part();
    if (select.order() === 'time') return `${name}, ${profile.threads[select.threadInTime()]}, in time order`;
    if (metric.during)
        return `${metric.name === 'allocated' ? metric.name : name} in ${spanOfNs(
            metric.during.from, metric.during.to)}`;
    if (!part) return name;
    if (!hasHistory(metric)) return `${name}, for the whole run`;
    if (part.isBlank) return `in ${spanName(store)}`;
    const against = select.against();
    const what =
        metric.name === 'peak'
            ? `in the ${heapWord(profile)} at ${moment(part.peakMs - span.from, length)}, its highest in ${
                spanName(store)}`
            : `allocated in ${spanName(store)} and not freed in it`;
    return against ? `${what}, compared with ${timesName(store, against)}` : what;
}

/**
 * What the program calls allocated memory: "heap", of GPUs "device memory".
 * @param {import('../model/profile.js').Profile} profile
 */
export const heapWord = ({ series }) => (series.some((one) => isHeap(one) && !one.lane) ? 'device memory' : 'heap');

/**
 * The moments in the name of the view, exactly; '' if it has none.
 * @param {import('../store/store.js').Store} store
 */
export function viewTimes({ select }) {
    const window = select.part();
    const metric = select.metric();
    if (!window || !hasHistory(metric)) return '';
    const { peakMs, from, to } = window;
    const compared = select.against();
    const moments = [
        ...(metric.name === 'peak' && !window.isBlank ? [peakMs] : []),
        from,
        to,
        ...(compared ? [compared.from, compared.to] : []),
    ];
    return moments.map((ms) => exactMoment(ms - select.span().from)).join(', ');
}

/**
 * @param {number} n
 * @param {string} one
 * @param {string} [many]
 */
export const plural = (n, one, many = `${one}s`) => (n === 1 ? one : many);
