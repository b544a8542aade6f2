/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All of the library: profiles in (load.h), questions to them (table.h, tree_sums.h, window.h, records.h, explain.h),
 * several as one (merge.h, combine.h, assemble.h, diff.h), and out again (digest.h). Tables of data are apart from them
 * (data_frame.h). Each header can be included alone.
 *
 *     cc program.c $(pkg-config --cflags --libs profrender)
 *
 * Each header is marked stable or experimental; before 1.0 the number of the shared library stays 0.
 *
 * Stable: it includes every public header.
 */
#ifndef PR_API_PROFRENDER_H
#define PR_API_PROFRENDER_H

#include "profrender/arena.h"
#include "profrender/assemble.h"
#include "profrender/buf.h"
#include "profrender/combine.h"
#include "profrender/damage.h"
#include "profrender/data_diff.h"
#include "profrender/data_frame.h"
#include "profrender/data_pairs.h"
#include "profrender/data_schema.h"
#include "profrender/data_sections.h"
#include "profrender/data_views.h"
#include "profrender/diff.h"
#include "profrender/digest.h"
#include "profrender/error.h"
#include "profrender/explain.h"
#include "profrender/heap_words.h"
#include "profrender/hide_names.h"
#include "profrender/load.h"
#include "profrender/load_options.h"
#include "profrender/maybe.h"
#include "profrender/merge.h"
#include "profrender/objects.h"
#include "profrender/owner.h"
#include "profrender/phases.h"
#include "profrender/profile.h"
#include "profrender/pymalloc.h"
#include "profrender/records.h"
#include "profrender/resident.h"
#include "profrender/run.h"
#include "profrender/string_table.h"
#include "profrender/table.h"
#include "profrender/temporal_records.h"
#include "profrender/tree_sums.h"
#include "profrender/window.h"

#endif
