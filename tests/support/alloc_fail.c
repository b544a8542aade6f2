/* SPDX-License-Identifier: Apache-2.0 */
/* The linker sends malloc and its kin here (ld --wrap); __real_X is the X of the system, or of a sanitizer. */
#include "tests/support/alloc_fail.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

/* Allocations until the one that fails; 0 or less: it has failed, or none will. */
static atomic_long left;
static atomic_bool failed;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
int __real_posix_memalign(void **memory, size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
int __wrap_posix_memalign(void **memory, size_t alignment, size_t size);

void alloc_fail_at(unsigned long n)
{
    atomic_store(&failed, false);
    atomic_store(&left, (long)n);
}

bool alloc_fail_stop(void)
{
    atomic_store(&left, 0);
    return atomic_load(&failed);
}

static bool fails_now(void)
{
    if (atomic_load(&left) <= 0 || atomic_fetch_sub(&left, 1) != 1)
        return false;
    atomic_store(&failed, true);
    return true;
}

void *__wrap_malloc(size_t size)
{
    return fails_now() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails_now() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return fails_now() ? NULL : __real_realloc(memory, size);
}

int __wrap_posix_memalign(void **memory, size_t alignment, size_t size)
{
    return fails_now() ? ENOMEM : __real_posix_memalign(memory, alignment, size);
}
