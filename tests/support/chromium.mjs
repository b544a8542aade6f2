// SPDX-License-Identifier: Apache-2.0
/*
 * Which Chromium tests start: what CHROMIUM names, else one that is installed. Its headless shell draws the same pages
 * without the parts of a window around them, for less than half of the processor time.
 */
import { existsSync } from 'node:fs';

const installed = (...names) => names.map((name) => `/usr/bin/${name}`).find((path) => existsSync(path));

/** With a profile of its own, preferences and all. @type {string|undefined} */
export const WHOLE_CHROMIUM = process.env.CHROMIUM ?? installed('chromium', 'chromium-browser');

/** For pages alone. @type {string|undefined} */
export const CHROMIUM = process.env.CHROMIUM ?? installed('chromium-headless-shell') ?? WHOLE_CHROMIUM;
