// SPDX-License-Identifier: Apache-2.0
/* For profiles that know the order in which all ran: the graph in that order. */
import { parts } from '../parts.js';
import { readTimeOrder } from '../payload/order.js';

parts.readers = { order: readTimeOrder };
