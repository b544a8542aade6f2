// SPDX-License-Identifier: Apache-2.0
/* What can wait until the next frame is painted, and takes long. */
import { createRunner } from '../lib/slices.js';

/** Of several requests, the last one counts. @param {() => Generator} work @returns {() => void} */
export function later(work) {
    const runner = createRunner();
    let waits = false;
    return () => {
        runner.stop();
        if (waits) return;
        waits = true;
        requestAnimationFrame(() => {
            waits = false;
            runner.start(work(), () => {});
        });
    };
}
