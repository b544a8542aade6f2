// SPDX-License-Identifier: Apache-2.0
/* For cards that carry source: the view of a file's code. */
import { parts } from '../parts.js';
import { createCodeView } from '../view/code.js';

parts.source = createCodeView;
