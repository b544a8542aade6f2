// SPDX-License-Identifier: Apache-2.0
/* Derived values: computed when asked for, kept while their inputs stay the same. */

/**
 * @template {unknown[]} A
 * @template T
 * @param {(...args: A) => unknown[]} inputs  what the value depends on; its items are compared by identity
 * @param {(...args: A) => T} compute
 * @returns {(...args: A) => T}
 */
export function follows(inputs, compute) {
    /** @type {unknown[] | null} */
    let before = null;
    let value = /** @type {T} */ (/** @type {unknown} */ (null));
    return (...args) => {
        const now = inputs(...args);
        if (!before || now.some((input, i) => input !== before?.[i])) {
            value = compute(...args);
            before = now;
        }
        return value;
    };
}

/**
 * The same for work that stops now and then. Whoever abandons it begins anew the next time.
 * @template {unknown[]} A
 * @template T
 * @param {(...args: A) => unknown[]} inputs
 * @param {(...args: A) => Generator<undefined, T>} work
 * @returns {(...args: A) => Generator<undefined, T>}
 */
export function followsInParts(inputs, work) {
    const kept = follows(inputs, () => /** @type {{value?: T}} */ ({}));
    return function* (...args) {
        const mine = kept(...args);
        if (!('value' in mine)) mine.value = yield* work(...args);
        return /** @type {T} */ (mine.value);
    };
}
