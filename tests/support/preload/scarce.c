/* SPDX-License-Identifier: Apache-2.0 */
/*
 * To be preloaded: makes memory run out, for a program's shared libraries too.
 *
 *     SCARCE_AT=3 SCARCE_LEAST=4000    the third allocation of 4000 bytes or more fails, once
 *     SCARCE_BYTES=100000              each allocation fails that would leave more than this in use
 *
 * "scarce\n" on standard error means that one failed. The real names of malloc are those of the GNU C library.
 */
#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void __libc_free(void *memory);

static atomic_long left, used_bytes;
static long least_bytes, most_bytes;

static long setting(const char *name)
{
    const char *text = getenv(name);
    return text ? strtol(text, NULL, 10) : 0;
}

static __attribute__((constructor)) void begin(void)
{
    least_bytes = setting("SCARCE_LEAST");
    most_bytes = setting("SCARCE_BYTES");
    atomic_store(&left, setting("SCARCE_AT"));
}

static int fails(size_t size, void *instead_of)
{
    static const char said[] = "scarce\n";
    const long more = (long)size - (long)malloc_usable_size(instead_of);
    const int fail = (most_bytes && atomic_load(&used_bytes) + more > most_bytes) ||
                     ((long)size >= least_bytes && atomic_load(&left) > 0 && atomic_fetch_sub(&left, 1) == 1);
    if (fail)
        errno = write(STDERR_FILENO, said, sizeof said - 1) < 0 ? EIO : ENOMEM;
    return fail;
}

static void *taken(void *memory)
{
    atomic_fetch_add(&used_bytes, (long)malloc_usable_size(memory));
    return memory;
}

void *malloc(size_t size)
{
    return fails(size, NULL) ? NULL : taken(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    const size_t most = (size_t)-1 / 2;
    if ((size && count > most / size) || fails(count * size, NULL))
        return NULL;
    return taken(__libc_calloc(count, size));
}

void *realloc(void *memory, size_t size)
{
    const long before = (long)malloc_usable_size(memory);
    if (fails(size, memory))
        return NULL;
    void *now = __libc_realloc(memory, size);
    if (now || !size)
        atomic_fetch_sub(&used_bytes, before);
    return taken(now);
}

void free(void *memory)
{
    atomic_fetch_sub(&used_bytes, (long)malloc_usable_size(memory));
    __libc_free(memory);
}
