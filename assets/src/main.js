// SPDX-License-Identifier: Apache-2.0
/*
 * The script of the card: decodes the data island and brings the static page to life. If the data cannot be decoded,
 * the page stays as it is without scripts. The places that are filled are listed in doc/formats/payload.md.
 *
 * What only some cards need is in parts/: bundle.mjs adds them, and then calls start().
 */
import { copyText } from './dom/copy.js';
import { el, endListening, icon, refill } from './dom/elements.js';
import { enterRoot, host, isFragment, keepPage, root, written } from './dom/root.js';
import { onPhone } from './model/first.js';
import { keysOf } from './model/keys.js';
import { firstState, parseState } from './model/state.js';
import { timeSpan } from './model/series.js';
import { NO_SOURCES } from './model/source.js';
import { allBins, windowOfTime } from './model/time.js';
import { createStore } from './store/store.js';
import { decodePayload } from './payload/profile.js';
import { decodeSources } from './payload/unpack.js';
import { parts } from './parts.js';
import { followAddress } from './view/address.js';
import { tellHeight } from './view/embed.js';
import { createHelp } from './view/help.js';
import { listenForKeys } from './view/keys.js';
import { openOnPaper } from './view/paper.js';
import { explainTerms } from './view/terms.js';
import { createTheme } from './view/theme.js';

/** @typedef {import('./model/profile.js').Profile} Profile */
/** @typedef {import('./view/meet.js').Pair} Pair */

/** @param {string} name @returns {HTMLElement | null} */
const mount = (name) => root.querySelector(`[data-mount="${name}"]`);

/**
 * The tabs, which the program writes with their totals.
 * @param {HTMLElement | null} host
 * @returns {import('./view/tabs.js').TabButton[]}
 */
const readTabs = (host) =>
    Array.from(host?.querySelectorAll('[role=tab]') ?? [], (button) => {
        const { 'tab': tab = '', 'metric': metric = '-1' } = /** @type {HTMLElement} */ (button).dataset;
        const label = button.firstChild?.textContent ?? tab;
        return { name: tab, metric: Number(metric), label, button: /** @type {HTMLElement} */ (button) };
    });

/** @param {string[]} list @param {string} item */
const toggled = (list, item) => (list.includes(item) ? list.filter((other) => other !== item) : list.concat(item));

/** On a card of a site: the runs before and after it, which its index knows. */
function linkNeighbours() {
    const place = mount('site');
    const index = place?.parentElement?.querySelector('a')?.getAttribute('href');
    const own = location.pathname.split('/').pop();
    if (!place || !index || !own) return;
    const link = (/** @type {string} */ way, /** @type {string} */ text) =>
        el('a', { href: `${index}#${way}=${own}` }, text);
    refill(place, link('previous', '\u2039 Previous run'), link('next', 'Next run \u203a'));
    if (parts.meeting) place.append(link('compare', 'Compare with previous'));
}

/**
 * A button that copies a text.
 * @param {string} what   "the command"
 * @param {string} words  on it; '' = only the picture
 * @param {() => string | null | undefined} text
 */
function copyButton(what, words, text) {
    const button = el('button', {
        class: words ? 'btn' : 'btn icon',
        'aria-label': `Copy ${what}`,
        title: `Copy ${what}`,
        onclick: async () => refill(button, icon((await copyText(text() ?? '')) ? 'tick' : 'copy'), words),
    });
    refill(button, icon('copy'), words);
    return button;
}

/** A button next to each command to copy it, and one for how the run failed. */
function addCopyButtons() {
    for (const command of root.querySelectorAll('.cmd'))
        command.append(copyButton('the command', '', () => command.querySelector('code')?.textContent));
    const failed = root.querySelector('.banner.failed');
    const said = failed?.querySelector('details pre');
    if (!failed || !said) return;
    const links = failed.querySelector('p.actions') ?? el('p', { class: 'actions' });
    links.append(copyButton('the last output', 'Copy', () => said.textContent));
    failed.append(links);
}

/** Up to this width styles lay the card out for a phone. */
const PHONE_PX = 720;

/** Which part of the run some of its seconds are. @param {Profile} profile */
function secondsOf(profile) {
    const { from: start } = timeSpan(profile);
    return (/** @type {number} */ from, /** @type {number} */ to) =>
        profile.history && windowOfTime(profile.history.bins, start + 1000 * from, start + 1000 * to);
}

/** @param {string} text  of the data island */
const decode = (text) => decodePayload(text, parts.readers);

/** The node that the first finding of each tab is about. */
function findingsByTab() {
    const links = /** @type {HTMLElement[]} */ ([...root.querySelectorAll('.findings a[data-node]')]).reverse();
    return Object.fromEntries(links.map(({ dataset }) => [dataset['view'], Number(dataset['node'])]));
}

let watcher = /** @type {ResizeObserver | null} */ (null);

export function start() {
    enterRoot(document.currentScript);
    const island = root.getElementById('pr-payload');
    if (!island) return;
    const profile = decode(island.textContent ?? '');
    keepPage();
    try {
        const store = show(profile, null); // also where there is no such part, to which an argument would not be made
        parts.large?.(store, become);
    } catch (error) {
        root.querySelectorAll('[data-static]').forEach((part) => part.removeAttribute('hidden'));
        throw error;
    }
}

/**
 * Another page takes the place of this one.
 * @param {Profile} mine  of the card that was opened
 * @param {Pair | null} pair  null: that card again
 * @param {() => void} [swap]  none: the address stays
 */
function become(mine, pair, swap) {
    const fresh = /** @type {Element} */ (written?.querySelector('.wrap')?.cloneNode(true));
    endListening();
    watcher?.disconnect();
    if (pair) parts.meeting?.showPair(fresh, pair, /** @type {() => void} */ (swap), () => become(mine, null, swap));
    root.querySelector('.wrap')?.replaceWith(fresh);
    document.querySelectorAll('body > dialog').forEach((dialog) => dialog.remove());
    if (swap) location.hash = '';
    scrollTo(0, 0);
    return show(mine, pair);
}

/** @param {Profile} mine @param {Pair | null} pair  a difference of it, instead */
function show(mine, pair) {
    const profile = pair?.profile ?? mine;
    // Where all nodes are not there yet, nothing follows the address: its frames are among those.
    const isAlone = !isFragment() && !profile.whole;
    const own = readTabs(mount('tabs'));
    const tabs = (pair && parts.meeting?.tabsOfPair(own, profile)) ?? own;
    const known = {
        tabs: tabs.map((tab) => tab.name),
        threads: profile.threads.length,
        frame: keysOf(profile).frame,
        bins: profile.history && allBins(profile.history.bins),
        tree: parts.tree !== undefined,
        seconds: secondsOf(profile),
        during: profile.heat?.seconds,
        code: root.getElementById('pr-sources') !== null,
    };
    const first = firstState(tabs[0]?.name ?? '');
    // A copy that someone saved begins with what they saw.
    const hash = isAlone ? location.hash || (pair ? '' : (host.dataset['view'] ?? '')) : '';
    const sources = root.getElementById('pr-sources');
    const texts = sources ? decodeSources(sources.textContent ?? '') : NO_SOURCES;
    // Before anything is measured: what is not drawn needs no layout.
    root.querySelectorAll('[data-static]').forEach((part) => part.setAttribute('hidden', ''));
    const wide = root.querySelector('.wrap')?.clientWidth || Infinity; // 0: hidden for now
    const isPhone = !hash && !pair && wide <= PHONE_PX;
    const start = parseState(hash, isPhone ? onPhone(profile, first) : first, known);
    const store = createStore(profile, tabs, start, texts, pair || profile.whole ? {} : findingsByTab());

    const theme = createTheme(store, () => [timeline, heat, views?.graph]);
    const { timeline, part } = parts.time?.(store, mount) ?? {};
    const heat = parts.heat?.(store, mount);
    const views = tabs.length ? parts.profile?.(store, tabs, mount) : null;
    const comparison = (part || pair) && views && parts.comparison?.(store, views.showNode, pair !== null);
    const verdict = pair && parts.meeting?.createVerdict(store);
    const title = written?.querySelector('h1')?.textContent ?? '';
    const meeting =
        views && isAlone
            ? parts.meeting?.createMeeting(mine, title, decode, mount('drop'), (met, swap) => become(mine, met, swap))
            : null;
    const help = createHelp();
    const actions = [...(meeting ? [meeting] : []), ...(views ? [views.save] : []), theme.button, help.button];
    mount('actions')?.replaceChildren(...actions);
    addCopyButtons();
    explainTerms();
    linkNeighbours();
    openOnPaper(root);
    parts.difference?.(store);

    root.querySelectorAll('[data-live]').forEach((part) => part.removeAttribute('hidden'));
    const wrap = /** @type {HTMLElement} */ (root.querySelector('.wrap'));
    let width = wrap.clientWidth;
    const fit = () => {
        if (wrap.clientWidth === width) return;
        width = wrap.clientWidth;
        timeline?.update();
        heat?.update();
        part?.update();
        views?.fit();
    };
    heat?.update();
    timeline?.update();
    part?.update();
    views?.update();
    comparison?.update();
    verdict?.update();
    watcher = new ResizeObserver(fit);
    watcher.observe(wrap);
    if (profile.whole) return store;
    if (isAlone) followAddress(store, first, known);
    listenForKeys({
        '?': help.open,
        d: theme.toggle,
        ...(timeline && { p: timeline.toPeak }),
        ...(part && { '[': () => part.setEdge('first'), ']': () => part.setEdge('last') }),
        ...(views && {
            '/': views.search.focus,
            0: () => store.set({ zoom: 0 }),
            v: views.nextView,
            i: () => store.set({ upward: !store.state.upward }),
            t: () => profile.time && store.set({ order: store.select.order() === 'time' ? 'merged' : 'time' }),
            b: () => store.set({ order: store.select.order() === 'callers' ? 'merged' : 'callers' }),
            s: () => store.set({ order: store.select.isSandwich() ? 'merged' : 'sandwich' }),
            h: () => store.set({ hide: toggled(store.state.hide, 'imports') }),
            c: () => root.querySelector('.acts .btn:last-child')?.dispatchEvent(new MouseEvent('click')),
        }),
        ...Object.fromEntries(tabs.map((tab, i) => [String(i + 1), () => store.set({ tab: tab.name })])),
    });
    if (isAlone) tellHeight();
    return store;
}
