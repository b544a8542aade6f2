// SPDX-License-Identifier: Apache-2.0
/* The commands that show the same in a terminal: they follow the window and the view. */
import { GROUPS } from '../model/graph.js';
import { hasHistory, knownBins, timesOf } from '../model/time.js';

/** A word of a shell. @param {string} text */
const word = (text) =>
    /^[\w./+,:@%-]+$/.test(text) && !text.startsWith('-') ? text : `'${text.replace(/'/g, "'\\''")}'`;

/**
 * Bins of the page are those of the program, unless some were merged to limit the size of the page.
 * @param {import('../model/profile.js').Profile} profile
 * @param {import('../model/time.js').Window | null} window
 * @param {string} [option]
 */
function windowOf({ history }, window, option = '--window') {
    const known = window && history && knownBins(history.bins, window);
    if (!known || !history) return [];
    const { bins, recorded } = history;
    if (recorded === bins.count) return [option, `b${known.first}:b${known.last}`];
    const { from, to } = timesOf(bins, known);
    const seconds = (/** @type {number} */ ms) => ((ms - (bins.run?.from ?? bins.start[0])) / 1000).toFixed(3);
    return [option, `${seconds(from)}:${seconds(to)}`];
}

/** How the program calls what a row is. */
const GROUPS_OF = { 'function': 'code', 'line': 'location', 'file': 'file', 'package': 'package' };

/**
 * The options that make the program show what the page shows. A graph is what each of its functions holds.
 * @param {import('../store/store.js').Store} store
 */
function optionsOf({ profile, state, select }) {
    const { window, against, by } = state;
    const threads = select.threads();
    const metric = select.metric();
    const options = [];
    if (select.metricNumber()) options.push('--metric', word(metric.name));
    if (metric.during) options.push('--window', select.during().replace('-', ':'));
    if (hasHistory(metric)) options.push(...windowOf(profile, window));
    if (select.against()) {
        const before = metric.during
            ? ['--base-window', select.duringBefore().replace('-', ':')]
            : windowOf(profile, against, '--base-window');
        return options.concat(before, '--by', 'total');
    }
    if (threads?.length === 1) options.push('--thread', word(profile.threads[threads[0]]));
    else if (state.split) options.push('--threads', 'split');
    const groups = /** @type {(keyof typeof GROUPS)[]} */ (Object.keys(GROUPS));
    const hidden = groups.filter((group) => state.hide.includes(group) && profile.frames.kind.some(GROUPS[group]));
    if (hidden.length) options.push('--hide', hidden.join());
    options.push('--group', GROUPS_OF[by]);
    if (!select.isTable() || state.sort === 'total') options.push('--sort', 'total');
    // Its filter is plain text, like ours without a prefix; of packages, ours finds their functions too.
    if (state.query && by !== 'package' && !/^\/|^file:/.test(state.query))
        options.push('--filter', word(state.query));
    return options;
}

/**
 * @param {import('../store/store.js').Store} store
 * @param {HTMLElement | null} place  has the command for the whole run
 */
export function followView(store, place) {
    const { command = '', 'kind': kind = '' } = place?.dataset ?? {};
    if (!place || (kind !== 'table' && kind !== 'diff')) return;
    const update = () => {
        const metric = word(store.select.metric().name);
        const options = kind === 'diff' ? ['--by', 'own', '--metric', metric] : optionsOf(store);
        const verb = store.select.against() && kind === 'table' ? 'profrender diff' : '$&';
        place.textContent = [command.replace(/^profrender table/, verb), ...options].join(' ');
    };
    store.onChange(update);
    update();
}
