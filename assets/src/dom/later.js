// SPDX-License-Identifier: Apache-2.0
/* What can wait until the next frame is painted. */

/** Of several requests before it runs, one counts. @param {() => void} run @returns {() => void} */
export function later(run) {
    let waits = false;
    return () => {
        if (waits) return;
        waits = true;
        requestAnimationFrame(() =>
            setTimeout(() => {
                waits = false;
                run();
            }),
        );
    };
}
