// SPDX-License-Identifier: Apache-2.0
/*
 * What follows from the choice, for the views to show. A selector takes only a profile and a choice, changes nothing,
 * and computes only when asked and its inputs have changed.
 */
import { findingOwners, sumUp, summingByOwner } from '../model/calltree.js';
import { exactByFrame } from '../model/exact.js';
import { frameOf } from '../model/first.js';
import { linesOf, nodeFor, wholeTree } from '../model/graph.js';
import { MINE } from '../lib/owners.js';
import { finish } from '../lib/slices.js';
import { layersOf } from '../model/layers.js';
import { factsBelow, lifeOf } from '../model/life.js';
import { isNameless } from '../model/nameless.js';
import { findingInnermost, summingPaths } from '../model/paths.js';
import { ROOT, ownerOfKind } from '../model/profile.js';
import { MOST_LISTED, makeRows, totalsOf, weighingFunctions } from '../model/rows.js';
import { listMatches, parseQuery } from '../model/search.js';
import { hasHistory } from '../model/time.js';
import { selectAmounts } from './amounts.js';
import { follows, followsInParts } from './memo.js';
import { selectShown } from './shown.js';
import { selectTrees } from './trees.js';

/** @typedef {import('../model/profile.js').Profile} Profile */
/** @typedef {import('./state.js').Choice} Choice */
/** @typedef {ReturnType<typeof createSelectors>} Selectors */

/** Of more facts nothing is computed over time with each selection. */
const MANY_FACTS = 200_000;
/** A table has a column for at most so many metrics of other tabs. */
const MOST_OTHERS = 3;

/**
 * A tab: a metric.
 * @typedef {object} Tab
 * @property {string} name
 * @property {number} metric
 * @property {string} [label]  what it is called on the page
 */

/**
 * @param {Profile} profile
 * @param {Tab[]} tabs
 * @param {Choice} choice  read, never changed
 */
export function createSelectors(profile, tabs, choice) {
    const trees = selectTrees(profile, choice);
    const query = follows(
        () => [choice.state.query],
        () => parseQuery(choice.state.query),
    );
    const folds = () => choice.state.chains;
    const amounts = { ...selectAmounts(profile, choice, trees.threads), query, folds };
    const { called, graph, callersOfFocus, isSandwich } = trees;
    /** In a sandwich the function in the middle spans the whole width. */
    const topOf = (/** @type {number} */ zoom, /** @type {import('../model/graph.js').Graph} */ of) =>
        isSandwich() && zoom === ROOT && of.count > 1 ? ROOT + 1 : zoom;
    const shown = selectShown(profile, amounts, graph, () => topOf(choice.state.zoom, graph()));
    const callers = selectShown(profile, amounts, callersOfFocus, () => topOf(choice.zoomOfCallers, callersOfFocus()));
    const plain = selectShown(profile, amounts, called, () => ROOT);
    const plainSums = () => (graph() === called() ? shown : plain).sums();
    const originSums = follows(
        () => [graph(), amounts.metric(), amounts.wanted()],
        () => sumUp(graph().origin?.graph ?? graph(), amounts.metric(), amounts.wanted()),
    );
    /** What there is before frames are hidden: whose code it is does not depend on what a view shows. */
    const heldAtAll = follows(
        () => [called(), plainSums()],
        () => {
            const { origin } = called();
            return origin ? sumUp(origin.graph, amounts.metric(), amounts.wanted()) : plainSums();
        },
    );
    const owners = followsInParts(
        () => [called()],
        () => findingOwners(profile, called()),
    );
    const ownersAtAll = followsInParts(
        () => [called()],
        () => {
            const { origin } = called();
            return origin ? findingOwners(profile, origin.graph) : owners();
        },
    );
    const matchList = follows(
        () => [shown.matches()],
        () => {
            const found = shown.matches();
            return found ? listMatches(found, shown.held()) : new Uint32Array();
        },
    );
    const tree = wholeTree(profile);
    const nearest = followsInParts(
        () => [called()],
        () => findingInnermost(called(), framesOfMine(profile)),
    );
    const holders = followsInParts(
        () => [called()],
        () => findingHolders(profile, called(), nearest()),
    );
    /**
     * The functions that hold most by themselves, those of the user's own with the libraries that they call, what
     * each owner of code holds, and what the user's own code holds of what is shown.
     * @param {number} top
     */
    function* listing(top) {
        const { origin, end } = called();
        const weigh = (/** @type {Uint32Array | undefined} */ holder) =>
            weighingFunctions(profile, called(), plainSums(), MOST_LISTED, top, holder);
        const list = yield* weigh(undefined);
        const own = yield* weigh(yield* holders());
        const answers = yield* ownersAtAll();
        const byOwner = yield* summingByOwner(answers, heldAtAll().self, top, end[top], origin?.image);
        const shownBy = origin
            ? yield* summingByOwner(yield* owners(), plainSums().self, top, end[top])
            : byOwner;
        return { list, own, byOwner, mineSelf: shownBy[MINE] };
    }
    /** All of a large tree takes long, and one comes back to it from each zoom. */
    const listsOfAll = followsInParts(
        () => [called(), plainSums()],
        () => listing(ROOT),
    );
    const paths = followsInParts(
        (/** @type {number} */ node) => [called(), plainSums(), node],
        function* (node) {
            const frame = frameOf(profile, called(), node);
            if (frame === null) return null;
            const nearestOf = isNameless(profile, frame) ? nearest : holders;
            const wanted = { node, frame, lines: choice.state.by === 'line' };
            return yield* summingPaths(profile, called(), plainSums(), wanted, yield* nearestOf());
        },
    );
    const history = profile.whole || profile.facts.count > MANY_FACTS ? null : profile.history;
    const below = follows(
        (/** @type {number} */ node) => [graph(), amounts.wanted(), node],
        (node) => {
            const isKnown = node !== ROOT && !isSandwich() && !('start' in graph());
            return isKnown ? factsBelow(graph(), amounts.wanted(), node) : null;
        },
    );
    const life = follows(
        (/** @type {number} */ node) => [history && below(node), amounts.metric()],
        (node) => {
            const facts = history && hasHistory(amounts.metric()) && below(node);
            return facts ? lifeOf(history, facts) : null;
        },
    );
    const layers = follows(
        () => [called(), amounts.wanted()],
        () => (history ? layersOf(history, called(), finish(holders()), amounts.wanted()) : []),
    );
    return {
        ...trees,
        ...amounts,
        ...shown,
        /** Of one thread, the whole is called like that. @param {number} node */
        label: (node) => {
            const name = node === ROOT && profile.threads[1] ? profile.threads[trees.threadInTime()] : '';
            return name ? { ...shown.label(node), name } : shown.label(node);
        },
        /** What is above the function in the middle of a sandwich. */
        callers,
        zoomOfCallers: () => choice.zoomOfCallers,
        /** The tree as it was called, whatever the order of the graph. */
        plain: () => (graph() === called() ? shown : plain),
        /** The nodes that match, by size. */
        matchList,
        ...selectRows(profile, tabs, choice, trees, amounts),
        /** Whether the metric is shown as a table. */
        isTable: () => choice.state.view === 'table',
        /** The lines of a frame that represents several. @param {number} node */
        lines: (node) => linesOf(profile, graph(), originSums, node),
        /** The node of the graph that shows a node of the profile's tree. @param {number} node */
        nodeOfProfile: (node) => nodeFor(graph(), node),
        /** The profile's own tree, whose numbers the program uses. */
        tree: () => tree,
        /** Whether a person selected a frame. */
        isChosen: () => choice.byPerson,
        /** Which facts are of a frame and all that it called; null = all, or the view cannot say. */
        below,
        /** What a frame holds over time; null = this view has no history, or the run is too large for it. */
        life,
        /** What the lists show of a part of the tree as it was called, as work in parts. @param {number} top */
        lists: (top) => (top === ROOT ? listsOfAll() : listing(top)),
        /** Whose each node of the tree as it was called is, as work in parts. */
        owners,
        /** What the functions of the user's own hold over time: nodes of the tree as it was called. */
        layers,
        /** What the function of a node of the plain tree holds over all paths, as work; null = it has no function. */
        paths,
    };
}

/**
 * For each node the function of the user's own that findings count it for: a comprehension or a lambda works for the
 * function whose body it is in.
 * @param {Profile} profile
 * @param {import('../model/graph.js').Graph} called
 * @param {Generator<undefined, Uint32Array>} finding  the innermost of the user's own, whatever it is
 * @returns {Generator<undefined, Uint32Array>}
 */
function* findingHolders(profile, called, finding) {
    const any = yield* finding;
    const named = framesOfMine(profile).map((isMine, f) => isMine && Number(!isNameless(profile, f)));
    const holders = yield* findingInnermost(called, named);
    for (let n = 0; n < holders.length; n++) holders[n] ||= any[n];
    return holders;
}

/** Which frames are the user's own code. @param {Profile} profile @returns {Uint8Array} [frame] */
const framesOfMine = ({ frames }) =>
    frames.kind.map((kind) => (ownerOfKind(kind) === MINE ? 1 : 0));

/**
 * @param {Profile} profile
 * @param {Tab[]} tabs
 * @param {Choice} choice
 * @param {Pick<ReturnType<typeof selectTrees>, 'flat' | 'threads'>} trees
 * @param {import('./shown.js').Amounts} amounts
 */
function selectRows(profile, tabs, choice, { flat, threads }, { metric, metricAt, wanted, baseMetric }) {
    const sums = follows(
        () => [flat(), metric(), wanted()],
        () => sumUp(flat(), metric(), wanted()),
    );
    const exactOf = (/** @type {number} */ number) =>
        exactByFrame(profile, number, threads(), choice.state.hide);
    const exact = follows(
        () => [choice.metric, threads()?.join(), choice.state.hide.join(), choice.state.lent.join()],
        () => exactOf(choice.metric),
    );
    const isOfCalls = () => metric().countName === 'calls';
    /** @param {() => import('../model/rows.js').RowsBy} by */
    function rowsBy(by) {
        const rows = follows(
            () => [sums(), by(), exact()],
            () => makeRows(profile, flat(), sums(), by(), exact(), isOfCalls()),
        );
        const others = follows(
            () => [rows(), baseMetric(), ...tabs.map((tab) => metricAt(tab.metric))],
            () => {
                if (baseMetric() || flat().count > MANY_FACTS) return [];
                return tabs
                    .filter((tab) => tab.metric !== choice.metric)
                    .slice(0, MOST_OTHERS)
                    .map((tab) => {
                        const other = metricAt(tab.metric);
                        const held = sumUp(flat(), other, wanted());
                        const total = totalsOf(profile, flat(), held, rows(), exactOf(tab.metric));
                        return { tab, metric: other, total };
                    });
            },
        );
        return { rows, others };
    }
    return {
        /** The rows of the table, and what they hold of the metrics of other tabs. */
        ...rowsBy(() => choice.state.by),
        /** The same of each function, as a part of its package. */
        members: rowsBy(() => 'member'),
        /** What is on no stack has no row; figures recorded by function have none of it. */
        withoutStack: () => (exact() ? 0 : sums().self[ROOT]),
    };
}
