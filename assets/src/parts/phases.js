// SPDX-License-Identifier: Apache-2.0
/* For runs that made marks: their phases, as bands over the lanes. */
import { parts } from '../parts.js';
import { createBands } from '../view/bands.js';

parts.phases = createBands;
