// SPDX-License-Identifier: Apache-2.0
/*
 * Another card, dropped onto this one or chosen: both are read in the page, and the page becomes their difference.
 * Nothing is sent anywhere; a sandbox, which may drop nothing, has the button. Cards of a site may not read each other:
 * "#against=NAME.html" has a card leave itself to its neighbour, which compares the two.
 */
import { el, figure, icon, listen, refill } from '../dom/elements.js';
import { root } from '../dom/root.js';
import { dateOf } from '../lib/text.js';
import { arrow, formatOf, growth, partOf } from '../lib/units.js';
import { sortGrowth } from '../model/change.js';
import { functionName } from '../model/graph.js';
import { joinProfiles } from '../model/join.js';
import { ROOT } from '../model/profile.js';
import { kindOf } from './change.js';
import { openDialog } from './dialog.js';
import { DIFF_COMMAND } from './words.js';

/** @typedef {import('../model/profile.js').Profile} Profile */

/**
 * @typedef {object} Pair
 * @property {Profile} profile
 * @property {string} before  what the two cards are called
 * @property {string} after
 */

/** What a card is called: its heading, and when it began. @param {string} title @param {Profile} profile */
function nameOf(title, { startMs }) {
    const date = dateOf(startMs).slice(0, 16).replace('T', ' ');
    return date ? `${title}, ${date} UTC` : title;
}

/** Where a page says which program wrote it, at most so many bytes from its start. */
const HEAD = 9999;

/** Why some cards are not compared; the program could not do it either. */
const NOTHING_COMMON = 'nothing in common';

/** @typedef {(payload: string) => Profile} Decode */

/** The payload of a page: that of all nodes of a large one follows its first one. @param {ParentNode} page */
function dataIn(page) {
    const [first, ...rest] = Array.from(page.querySelectorAll('#pr-payload,.rest'), (one) => one.textContent);
    return rest.join('') || first;
}

/** The card in a file. @param {File} file @param {Decode} decode */
async function readCard(file, decode) {
    // The head says who wrote it: what is large and not a card is not read.
    const isOurs = (await file.slice(0, HEAD)['text']()).includes('"profrender"');
    // Its style may have other parts than ours, which this page forbids.
    const text = isOurs ? (await file['text']()).replace(/<(style)>[^]*?<\/\1>/, '') : '';
    const page = new DOMParser().parseFromString(text, 'text/html');
    const island = dataIn(page);
    if (!island) throw new Error(`${file['name']} is not a card of a profile.`);
    const profile = decode(island);
    return { profile, name: nameOf(page.querySelector('h1')?.textContent ?? file['name'], profile) };
}

/**
 * What the card left that was open before, if the address says so; or leaves this one to the next.
 * @param {string} title
 * @param {Decode} decode
 */
async function passOn(title, decode) {
    const [, to, left] = /^#(?:against=([\w.-]+\.html)|(with))$/.exec(location.hash) ?? [];
    if (to) {
        sessionStorage.card = JSON.stringify([title, dataIn(root)]);
        location.replace(`${to}#with`);
    }
    if (!left) return null;
    const { card } = sessionStorage;
    delete sessionStorage.card;
    if (!card) throw new Error('This browser keeps local pages apart: use Compare\u2026');
    const [name, island] = JSON.parse(card);
    const profile = decode(island);
    return { profile, name: nameOf(name, profile) };
}

/**
 * The one that began first is the one before.
 * @param {Profile} mine
 * @param {string} title  of this card
 * @param {{profile: Profile, name: string}} other
 * @param {boolean} swaps
 * @returns {Pair}
 */
function meet(mine, title, other, swaps) {
    const both = [{ profile: mine, name: nameOf(title, mine) }, other];
    const isLater = (other.profile.startMs ?? Infinity) > (mine.startMs ?? 0);
    if (isLater === swaps) both.reverse();
    const [before, after] = both;
    const profile = joinProfiles(before.profile, after.profile, mine);
    if (!profile.metrics.some(({ base }) => base !== undefined))
        throw new Error(`${other.name} has no metric in common with this card.`, {
            cause: other.profile.metrics.length ? NOTHING_COMMON : 'no stacks',
        });
    return { profile, before: before.name, after: after.name };
}

/** Says why there is no difference, and what to do. @param {unknown} error */
function tell(error) {
    openDialog(
        'save',
        'Not compared',
        el('p', {}, error instanceof Error ? error.message : String(error)),
        ...(error instanceof Error && error.cause === NOTHING_COMMON
            ? []
            : [
                  el('p', {}, 'The program compares captures, digests and runs without stacks: '),
                  el('p', {}, el('code', {}, DIFF_COMMAND)),
              ]),
    );
}

/**
 * The button, or what takes its place in the slot of a difference, and what a drop does. Of a difference, the run after
 * is compared.
 * @param {Profile} mine
 * @param {string} title
 * @param {Decode} decode
 * @param {Element | null} slot
 * @param {(pair: Pair, swap: () => void) => void} become
 */
function createMeeting(mine, title, decode, slot, become) {
    let swaps = false;
    const input = el('input', {
        type: 'file',
        accept: '.html',
        hidden: true,
        onchange: () => take(input.files),
    });
    function choose() {
        input.value = '';
        input.click();
    }

    /** @param {() => Promise<Awaited<ReturnType<typeof readCard>> | null>} read */
    function compare(read) {
        /** @type {Awaited<ReturnType<typeof read>> | undefined} */
        let other;
        const show = async () => {
            other ??= await read();
            if (other) become(meet(mine, title, other, swaps), swap);
        };
        const swap = () => {
            swaps = !swaps;
            show().catch(tell);
        };
        show().catch(tell);
    }

    /** @param {FileList | null | undefined} files */
    function take(files) {
        const [file] = files ?? [];
        if (file) compare(() => readCard(file, decode));
    }

    compare(() => passOn(title, decode));

    const holdsFile = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes('Files') ?? false;
    const mark = (/** @type {boolean} */ on) => root.querySelector('.wrap')?.classList.toggle('dropping', on);
    listen(document, 'dragover', (event) => {
        if (!holdsFile(event)) return;
        event.preventDefault();
        mark(true);
    });
    listen(document, 'dragleave', (event) => event.relatedTarget || mark(false));
    listen(document, 'drop', (event) => {
        if (!holdsFile(event)) return;
        event.preventDefault();
        mark(false);
        take(event.dataTransfer?.files);
    });
    const choice = (/** @type {string} */ kind, /** @type {(Node | string)[]} */ ...words) =>
        el('button', { class: kind, title: 'Choose another card, or drop it here', onclick: choose }, ...words);
    slot?.replaceChildren(
        el('b', {}, 'Drop another card here to compare'),
        el('p', {}, 'or ', choice('link', 'choose a file'), '. It is read on this page; nothing is uploaded.'),
        input,
    );
    if (slot) return null;
    return el('div', {}, choice('btn', icon('compare'), el('span', { class: 'txt' }, 'Compare\u2026')), input);
}

/**
 * The page as it was written, with only what holds for both cards.
 * @param {Element} wrap
 * @param {Pair} pair
 * @param {() => void} swap
 * @param {() => void} back
 */
function showPair(wrap, pair, swap, back) {
    const main = wrap.querySelector('main');
    wrap.setAttribute('data-pair', '');
    for (const part of [...(main?.children ?? [])])
        if (part.id !== 'profile' && !part.querySelector('[data-mount="timeline"]')) part.remove();
    for (const part of wrap.querySelectorAll('.facts, .cmdline, .title .state, footer, [data-mount="timeline"] ~ *'))
        part.remove();
    const press = (/** @type {string} */ text, /** @type {() => void} */ onclick) =>
        el('button', { class: 'link', onclick }, text);
    const side = (/** @type {string} */ title, /** @type {string} */ name, /** @type {Node} */ link) =>
        el('div', { class: 'panel' }, el('p', {}, `${title} `, el('b', {}, name)), el('p', {}, link));
    wrap.querySelector('.title')?.append(el('span', { class: 'state' }, 'Difference'));
    main?.prepend(
        el(
            'section',
            { class: 'versus' },
            side('Before', pair.before, press('Swap before and after', swap)),
            side('After', pair.after, press('Back to the card', back)),
            el('div', { 'class': 'panel', 'data-mount': 'drop' }),
        ),
    );
}

/**
 * One sentence: how much it is, and where most of it is.
 * @param {import('../store/store.js').Store} store
 */
function createVerdict(store) {
    const { select } = store;
    const sign = el('b', { 'aria-hidden': 'true' });
    const words = el('span');
    const panel = el('section', { class: 'panel' }, el('p', { class: 'verdict' }, sign, words));
    root.querySelector('.versus')?.['after'](panel);
    function update() {
        const before = select.baseSums()?.total[ROOT];
        if (before === undefined) return;
        const after = select.sums().total[ROOT];
        const { title, unit } = select.metric();
        const format = formatOf(unit);
        const [most] = sortGrowth(select.growth(), (one) => one.after - one.before);
        const kind = kindOf(after - before);
        sign.className = kind;
        sign.textContent = arrow(after - before, () => '').trim().slice(0, 1);
        const much = el('span', { title: partOf(format, after - before, before) }, growth(before, after));
        const how = before === after ? ['is the same'] : [kind === 'up' ? 'rose (' : 'fell (', much, ')'];
        const where =
            most && most.node !== ROOT && before !== after
                ? [', most in ', el('code', {}, functionName(store.profile, store.profile.tree.frame[most.node]))]
                : [];
        const sides = [': ', figure(format, before), ' \u2192 ', figure(format, after)];
        refill(words, `${title} `, ...how, ...sides, ...where, '.');
    }
    store.onChange(update);
    return { update };
}

/**
 * The tabs of the metrics that both cards have, with how much each changed; with both totals on hover.
 * @template {{metric: number, button: HTMLElement}} T
 * @param {T[]} tabs
 * @param {Profile} profile
 */
function tabsOfPair(tabs, { metrics }) {
    const both = tabs.filter(({ metric }) => metrics[metric]?.base !== undefined);
    for (const { button } of tabs.filter((tab) => !both.includes(tab))) button.remove();
    for (const { metric, button } of both) {
        const total = button.querySelector('span');
        if (!total || metric < 0) continue;
        const { unit, base } = metrics[metric];
        const { short, exact } = formatOf(unit);
        const sums = [base ?? 0, metric].map((one) => metrics[one].value.reduce((sum, part) => sum + part, 0));
        const [before, after] = sums;
        total.textContent = arrow(after - before, short);
        total.title = `${exact(before)} \u2192 ${exact(after)}`;
    }
    return both;
}

export const meeting = { createMeeting, showPair, createVerdict, tabsOfPair };
