/* SPDX-License-Identifier: Apache-2.0 */
/* For targets with a glibc that has no getentropy() yet, which came with 2.25; the kernel has the call since 3.17. */
#include <errno.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

int getentropy(void *bytes, size_t count);

int getentropy(void *bytes, size_t count)
{
    enum { MOST_BYTES = 256 };
    if (count > MOST_BYTES) {
        errno = EIO;
        return -1;
    }
    for (size_t done = 0; done < count;) {
        const long now = syscall(SYS_getrandom, (char *)bytes + done, count - done, 0);
        if (now < 0 && errno != EINTR)
            return -1;
        done += now > 0 ? (size_t)now : 0;
    }
    return 0;
}
