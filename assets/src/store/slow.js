// SPDX-License-Identifier: Apache-2.0
/* Turning over a huge tree in slices of time, so that the page stays alive. */
import { everyNode, turning } from '../model/turn.js';

/** @typedef {import('../model/graph.js').Graph} Graph */

/** A tree of more nodes is turned over in slices of this length. */
export const MANY_NODES = 50_000;
const SLICE_MS = 30;

/**
 * @param {import('../model/profile.js').Profile} profile
 * @param {(share: number | null) => void} tell  gets how much is done; null = all, or abandoned
 */
export function createSlowTurn(profile, tell) {
    let work = /** @type {ReturnType<typeof turning> | null} */ (null);
    return {
        /** @param {Graph} from @param {(turned: Graph) => void} done */
        start(from, done) {
            const mine = (work = turning(profile, from, everyNode(from)));
            const slice = () => {
                if (work !== mine) return; // something else was chosen meanwhile
                const end = performance.now() + SLICE_MS;
                let at = mine.next();
                while (!at.done && performance.now() < end) at = mine.next();
                if (at.done) {
                    done(at.value);
                } else {
                    tell(at.value);
                    setTimeout(slice);
                }
            };
            tell(0); // and show it before anything else
            setTimeout(slice);
        },
        /** Abandons work in progress. */
        stop() {
            if (!work) return;
            work = null;
            tell(null);
        },
    };
}
