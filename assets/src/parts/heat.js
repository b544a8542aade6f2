// SPDX-License-Identifier: Apache-2.0
/* For profiles that know what ran when: the graph in order of time and, where it has a clock, the heat map. */
import { parts } from '../parts.js';
import { readHeat } from '../payload/heat.js';
import { readTimeOrder } from '../payload/order.js';
import { createHeat } from '../view/heat/heat.js';

parts.readers = { order: readTimeOrder, heat: readHeat };
parts.heat = createHeat;
