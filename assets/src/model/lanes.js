// SPDX-License-Identifier: Apache-2.0
/*
 * The lanes of the timeline: what belongs together is in one, on one scale. Four are enough to see what a run did; the
 * others can be opened.
 */
import { highestPoint, isHeap, niceTop, pointAt } from './series.js';

/** @typedef {import('./profile.js').Series} Series */

/**
 * One line of a lane.
 * @typedef {object} Member
 * @property {Series} series
 * @property {string} name
 * @property {number} highest
 * @property {number} peak  point of the series, -1 = none
 * @property {'area' | 'line' | 'dashed' | 'stacked'} look  stacked: between the heap and RSS
 */

/**
 * @typedef {object} Lane
 * @property {string} title
 * @property {string} unit
 * @property {Member[]} members  at least one
 * @property {boolean} isShared  by series of one kind: one of those that are always shown
 * @property {number} top    of the scale
 * @property {number} limit  of the run, a line; 0 = none
 * @property {number | null} unknownFrom  ms; null = it is known to its end
 * @property {number} tall  px of one of a few, which take the room that others would need; else 0
 */

/** The number of lanes that are shown at first. */
const FIRST_LANES = 4;
/** The height of the only lane, and of two; two above a graph leave room for it. */
const TALL_PX = 160;
const GRAPH_PX = 104;
/** A limit this many times the highest value is not drawn: all else would lie on the baseline. */
const LIMIT_SHARE = 4;

/**
 * @param {Series} series
 * @param {import('./profile.js').Profile} profile
 * @returns {Member}
 */
function memberOf(series, { heapPeak }) {
    const highest = series.max.reduce((most, v) => Math.max(most, v), 0);
    const sampled = highest > 0 && !series.isBand ? highestPoint(series) : -1; // 0 has no peak
    const peak = isHeap(series) && heapPeak ? pointAt(series, heapPeak.atMs) : sampled;
    return { series, name: series.title, highest, peak, look: 'area' };
}

/**
 * The limit is recorded with the control group, which has a lane of its own.
 * @param {Lane} lane
 * @param {Series[]} all
 */
function limitOf({ members, unit }, all) {
    const holdsMemory = members.some(({ series }) => series.name === 'rss');
    const candidates = members.map(({ series }) => series);
    const group = holdsMemory ? all.filter(({ name }) => name === 'cgroup_memory') : [];
    const limit = candidates.concat(group).find((s) => s.limit !== undefined && s.unit === unit)?.limit ?? 0;
    const highest = Math.max(...members.map((member) => member.highest));
    return limit <= highest * LIMIT_SHARE ? limit : 0;
}

/** Until when all of its lines are known. @param {Lane} lane */
function unknownOf({ members }) {
    const all = members.map(({ series }) => series.unknownFrom ?? Infinity);
    const last = Math.max(...all);
    return last === Infinity ? null : last;
}

/**
 * The lanes that are drawn, those of one kind first.
 * @param {import('./profile.js').Profile} profile
 * @param {typeof import('./resident.js').splitResident} [split]  of a run whose resident memory can be told apart
 * @returns {Lane[]}
 */
export function makeLanes(profile, split) {
    const drawn = (split?.(profile.series) ?? profile.series).filter((series) => !series.quiet);
    const lanes = /** @type {Lane[]} */ ([]);
    for (const series of drawn) {
        const member = memberOf(series, profile);
        const { lane: title, unit } = series;
        const same = title === undefined ? undefined : lanes.find((l) => l.title === title && l.unit === unit);
        if (same) same.members.push(member);
        else {
            const scale = { top: 1, limit: 0, unknownFrom: null, tall: 0 };
            const isShared = title !== undefined;
            lanes.push({ title: title ?? series.title, unit, members: [member], isShared, ...scale });
        }
    }
    for (const lane of lanes) {
        if (lane.members.length === 1) lane.title = lane.members[0].series.title;
        else nameMembers(lane.members);
        lane.limit = limitOf(lane, profile.series);
        lane.top = niceTop(Math.max(lane.limit, ...lane.members.map(({ highest }) => highest)), lane.unit);
        lane.unknownFrom = unknownOf(lane);
        if (!lanes[2]) lane.tall = lanes[1] && profile.tree.count > 1 ? GRAPH_PX : TALL_PX;
    }
    return lanes.filter(({ isShared }) => isShared).concat(lanes.filter(({ isShared }) => !isShared));
}

/** Memory: the heap is part of what is resident. Else the second line is dashed. @param {Member[]} members */
function nameMembers(members) {
    const inside = members.findIndex(({ series }) => isHeap(series));
    members.forEach((member, i) => {
        member.name = member.series.short ?? member.series.title;
        const beside = member.series.isBand ? 'stacked' : i > inside ? 'dashed' : 'line';
        member.look = i === inside || (inside < 0 && i === 0) ? 'area' : beside;
    });
}

/** How many of the lanes are shown before the others are opened. @param {Lane[]} lanes */
export function firstLanes(lanes) {
    const shared = lanes.filter(({ isShared }) => isShared).length;
    return lanes.length <= FIRST_LANES ? lanes.length : shared || FIRST_LANES;
}
