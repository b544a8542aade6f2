// SPDX-License-Identifier: Apache-2.0
/*
 * Long loops that stop now and then, so that a page with millions of nodes goes on drawing and listening: work is a
 * generator that stops after each part of a loop, and whoever runs it decides when it goes on.
 */

/** The number of nodes looked at before a loop stops: a millisecond or two. */
const AT_ONCE = 1 << 16;

/** The longest time without a stop in which the page can draw. */
const SLICE_MS = 30;

/**
 * A loop that stops after each part of its range.
 * @param {number} from
 * @param {number} to
 * @param {(from: number, to: number) => void} loop  over a part
 * @returns {Generator<undefined, void>}
 */
export function* inParts(from, to, loop) {
    for (let at = from; at < to; at += AT_ONCE) {
        loop(at, Math.min(at + AT_ONCE, to));
        yield;
    }
}

/** Runs work to its end. @template T @param {Generator<unknown, T>} work @returns {T} */
export function finish(work) {
    for (;;) {
        const { done, value } = work.next();
        if (done) return /** @type {T} */ (value);
    }
}

/** Runs work in slices of time. What is started last is the only work in progress. */
export function createRunner() {
    let current = /** @type {Generator<unknown> | null} */ (null);
    return {
        /**
         * @template Y
         * @template T
         * @param {Generator<Y, T>} work
         * @param {(value: T) => void} done
         * @param {(progress: Y) => void} [tell]
         */
        start(work, done, tell) {
            current = work;
            const slice = () => {
                if (current !== work) return; // something else was started meanwhile
                const end = performance.now() + SLICE_MS;
                let at = work.next();
                while (!at.done && performance.now() < end) at = work.next();
                if (at.done) {
                    current = null;
                    done(at.value);
                } else {
                    tell?.(at.value);
                    setTimeout(slice);
                }
            };
            setTimeout(slice);
        },
        /** Abandons work in progress, if there is any. */
        stop() {
            const was = current;
            current = null;
            return was !== null;
        },
    };
}
