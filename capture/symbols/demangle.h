/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of C++ and Rust symbols in readable form.
 *
 *     pr_demangle("_ZN3foo3barEi", &buf);     // appends "foo::bar(int)"
 */
#ifndef PR_CAPTURE_SYMBOLS_DEMANGLE_H
#define PR_CAPTURE_SYMBOLS_DEMANGLE_H

#include "profrender/buf.h"

/*
 * Appends the readable form of SYMBOL to OUT: C++ with its parameters, Rust (both manglings) without its hash; any
 * other symbol unchanged. Out of memory: OUT->failed.
 */
void pr_demangle(const char *symbol, struct pr_buf *out);

#endif
