/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that runs out on demand. Test programs are linked with --wrap for malloc, calloc and realloc, so every
 * allocation of the library passes here.
 *
 *     for (unsigned long n = 1;; n++) {
 *         alloc_fail_at(n);                       // the n-th allocation from now on fails, once
 *         int status = what_is_tested(&err);
 *         if (!alloc_fail_stop())
 *             break;                              // there was no n-th: all of them have failed once
 *         assert_int_equal(status, failed);
 *     }
 */
#ifndef TESTS_SUPPORT_ALLOC_FAIL_H
#define TESTS_SUPPORT_ALLOC_FAIL_H

#include <stdbool.h>

/* N is 1 or more. Allocations of all threads count. */
void alloc_fail_at(unsigned long n);

/* From now on none fails; whether one did. */
bool alloc_fail_stop(void);

#endif
