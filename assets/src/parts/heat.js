// SPDX-License-Identifier: Apache-2.0
/* For profiles that have a clock: the heat map of time, or of allocations. */
import { parts } from '../parts.js';
import { readHeat } from '../payload/heat.js';
import { createHeat } from '../view/heat/heat.js';

parts.readers = { ...parts.readers, heat: readHeat };
parts.heat = createHeat;
