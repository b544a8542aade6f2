// SPDX-License-Identifier: Apache-2.0
/* The trees that follow from the choice: as called, in the order of the graph, and that of the table. */
import { focusOf, makeGraph } from '../model/graph.js';
import { everyNode, outermost, turnOver } from '../model/turn.js';
import { follows } from './memo.js';

/**
 * The part of the time that samples have: chosen in the heat map, or that of the window; '' = all of it.
 * @param {import('../model/profile.js').Profile} profile
 * @param {import('../model/state.js').State} state
 */
export const duringOf = ({ heat, history }, { during, window }) => heat?.partOf(during, window, history) ?? '';

/**
 * @param {import('../model/profile.js').Profile} profile
 * @param {import('./state.js').Choice} choice
 */
export function selectTrees(profile, choice) {
    const during = () => duringOf(profile, choice.state);
    const time = () => profile.time?.find(({ metric }) => metric === choice.metric);
    const isSandwich = () => choice.state.order === 'sandwich';
    /** Few metrics know what ran when; the graphs of others are merged instead. */
    const order = () => (choice.state.order === 'time' && !time() ? 'merged' : choice.state.order);
    const focus = () => (isSandwich() ? choice.state.focus : -1);
    const lines = () => choice.state.by === 'line';
    const isSplit = () => choice.state.split && !isSandwich() && order() !== 'time';

    /** The order of time shows one thread: the one that ran longest among those chosen; -1 = none. */
    function threadInTime() {
        if (order() !== 'time') return -1;
        const all = (time()?.threads() ?? []).map(({ thread }) => thread);
        return all.find((thread) => choice.state.threads?.includes(thread) ?? true) ?? -1;
    }

    /** The threads of what is shown; null = all. */
    function threads() {
        const thread = threadInTime();
        return thread < 0 ? choice.state.threads : [thread];
    }

    /** The tree as it was called, from which the others are made. */
    const called = follows(
        () => {
            const { runner, hide, drop, away, lent } = choice.state;
            return [isSplit(), lines(), runner, hide.join(), drop.join(), away.join(), lent.join(), focus()];
        },
        () => makeGraph(profile, { ...choice.state, split: isSplit(), lines: lines(), focus: focus() }),
    );

    /** The tree of the graph. */
    const graph = follows(
        () => [called(), order(), threadInTime(), order() === 'time' && during()],
        () => {
            if (order() === 'callers')
                return choice.turned.get(called()) ?? turnOver(profile, called(), everyNode(called()));
            if (isSandwich())
                return makeGraph(profile, { ...choice.state, lines: lines(), focus: focus(), only: true });
            const inTime = order() === 'time' ? time() : null;
            const span = profile.heat?.spanOf(during()) ?? null;
            return inTime?.makeGraph(called(), threadInTime(), span) ?? called();
        },
    );

    /** What is above the function in the middle of a sandwich. */
    const callersOfFocus = follows(
        () => [called()],
        () => {
            const isFocus = focusOf(profile, { focus: focus(), lines: lines() });
            return turnOver(profile, called(), outermost(called(), isFocus));
        },
    );
    const flat = selectFlat(profile, choice);
    return { isSandwich, order, threadInTime, threads, called, graph, callersOfFocus, flat };
}

/** What the table's tree has in common. */
const WHOLE = { split: false, lines: true, runner: false };

/**
 * The tree of the table. It has every frame of the runner, and lines. Allocations all end in the allocator's own code:
 * their rows are the Python functions that called it, as in the program's table.
 * @param {import('../model/profile.js').Profile} profile
 * @param {import('./state.js').Choice} choice
 */
function selectFlat(profile, choice) {
    const hides = () => {
        const isAllocation = profile.facts.allocator && profile.metrics[choice.metric]?.unit === 'bytes';
        return isAllocation ? [...choice.state.hide, 'native'] : choice.state.hide;
    };
    return follows(
        () => [hides().join(), choice.state.drop.join(), choice.state.away.join(), choice.state.lent.join()],
        () => makeGraph(profile, { ...WHOLE, hide: hides(), drop: choice.state.drop, away: choice.state.away }),
    );
}
