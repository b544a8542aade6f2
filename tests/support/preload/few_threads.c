/* SPDX-License-Identifier: Apache-2.0 */
/*
 * To be preloaded: FEW_THREADS=2 lets a program start two threads, and no third.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef int create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *argument)
{
    static atomic_long started;
    const char *most = getenv("FEW_THREADS");
    create *const real = (create *)dlsym(RTLD_NEXT, "pthread_create");
    return most && atomic_fetch_add(&started, 1) >= strtol(most, NULL, 10) ? EAGAIN : real(thread, how, run, argument);
}
