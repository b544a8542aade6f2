// SPDX-License-Identifier: Apache-2.0
/* For runs whose resident memory can be told apart: its parts, as bands in the lane of memory. */
import { splitResident } from '../model/resident.js';
import { parts } from '../parts.js';
import { paintResident } from '../view/lanes/resident.js';

parts.resident = { split: splitResident, paint: paintResident };
