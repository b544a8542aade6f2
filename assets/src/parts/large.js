// SPDX-License-Identifier: Apache-2.0
/*
 * For pages of very many nodes: they have the heaviest ones first, and all of them after the script, in elements that
 * the browser reads while it draws and listens. Until all are there only the graph answers.
 */
import { host, root, written } from '../dom/root.js';
import { createRunner } from '../lib/slices.js';
import { baseOf, nodeFor, wholeTree } from '../model/graph.js';
import { nodes } from '../model/partial.js';
import { parts } from '../parts.js';
import { readProfile } from '../payload/profile.js';
import { bytesOfBase64, integers, unpack } from '../payload/unpack.js';
import { sumsOf } from '../store/shown.js';

/** In the place of the lists. @param {string} text */
const say = (text) => root.querySelector('[data-mount=mini]')?.replaceChildren(text);

/** Unpacked before a loop stops. */
const STEP = 1 << 17;

/** Number of the pack that is read when it is asked for: see readProfile(). */
const CHANGES = 2;

/** The packs of all nodes, each in pieces of whole bytes; a space ends one. @param {Element[]} rest */
function packsIn(rest) {
    let last = /** @type {string[]} */ ([]);
    const packs = [last];
    for (const { textContent } of rest) {
        const [piece, ...ends] = (textContent ?? '').split(' ');
        last.push(piece);
        if (ends.length) packs.push((last = []));
    }
    return packs;
}

/** @param {string[]} pieces @returns {Generator<undefined, Uint8Array>} */
function* joining(pieces) {
    const bytes = new Uint8Array(pieces.join('').length);
    let at = 0;
    for (const piece of pieces) {
        const part = bytesOfBase64(piece);
        bytes.set(part, at);
        at += part.length;
        yield;
    }
    return bytes.subarray(0, at);
}

/**
 * All nodes, and the sums of the metric that is shown. Where some are missing, the graph of the heaviest ones stays.
 * @param {Element[]} rest
 * @param {number} number  of the metric
 */
function* readingAll(rest, number) {
    try {
        const packs = [];
        for (const pieces of packsIn(rest)) {
            if (packs.length === CHANGES) {
                packs.push(() => unpack(bytesOfBase64(pieces.join(''))));
                continue;
            }
            const pack = unpack(yield* joining(pieces));
            packs.push(() => pack);
        }
        const { columns, upTo } = packs[0]();
        const end = columns.get(`metric.${number}.value`)?.end ?? 0;
        for (let at = 0; at < end; at += STEP) yield upTo(at);
        const profile = readProfile(packs, parts.readers);
        nodes.partial = true;
        yield;
        const metric = profile.metrics[number];
        yield metric.value;
        sumsOf(wholeTree(profile), metric, null);
        yield;
        return profile;
    } catch {
        say('This page is damaged.');
        return null;
    }
}

parts.readers = {
    ...parts.readers,
    whole(columns) {
        const whole = columns.get('nodes.whole');
        nodes.partial = !!whole;
        return whole && integers(whole);
    },
};

parts.large = (first, become) => {
    const { whole } = first.profile;
    if (!whole) return;
    // All else than the graph has figures of all.
    for (const part of root.querySelectorAll('[data-mount]:not(.graph),a[data-node]'))
        /** @type {HTMLElement} */ (part).inert = true;
    say('Reading all frames\u2026');
    onload = () => {
        const rest = [...root.querySelectorAll('.rest')];
        // A copy of this page has them too.
        written?.querySelector('body')?.append(...rest.map((one) => one.cloneNode(true)));
        createRunner().start(readingAll(rest, first.select.metricNumber()), (profile) => {
            if (!profile) return;
            const { select, state } = first;
            const [y, isElsewhere] = [scrollY, location.hash || host.dataset['view']];
            nodes.partial = false;
            const store = become(profile, null);
            if (!isElsewhere) {
                // What was zoomed to and selected among the first ones.
                const same = (/** @type {number} */ node) =>
                    nodeFor(store.select.graph(), whole[baseOf(select.graph(), node)]);
                const selected = select.isChosen() ? same(state.selected) : 0;
                store.set({ zoom: same(state.zoom), across: state.across, selected });
            }
            scrollTo(0, y);
        });
    };
};
