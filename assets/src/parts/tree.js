// SPDX-License-Identifier: Apache-2.0
/* For cards with more than one stack: the call tree in rows. */
import { parts } from '../parts.js';
import { createTree } from '../view/tree.js';

parts.tree = createTree;
