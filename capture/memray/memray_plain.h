/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memray 12 and 13: the allocation records that make up nearly all of a capture, read with all state at hand.
 *
 *     struct pr_plain p = pr_plain_begin(d);
 *     while (p.at <= last && pr_read_plain(r->recent, &p))
 *         ... // p.address, p.size, p.allocator
 *     pr_plain_end(d, &p);
 *
 * Source: doc/formats/memray.md, "Versions 12 and 13: type byte".
 */
#ifndef PR_CAPTURE_MEMRAY_MEMRAY_PLAIN_H
#define PR_CAPTURE_MEMRAY_MEMRAY_PLAIN_H

#include "capture/memray/memray_decoder.h"

/* The last record, and the state after it; a copy on the stack stays in registers. */
struct pr_plain {
    const uint8_t *at; /* the next record */
    uint64_t last_pointer, address, size;
    unsigned newest, allocator;
};

static inline struct pr_plain pr_plain_begin(const struct pr_decoder *d)
{
    return (struct pr_plain){.at = d->at, .last_pointer = d->r->last_pointer, .newest = d->r->newest};
}

/* The decoder goes on after what was read. */
static inline void pr_plain_end(struct pr_decoder *d, const struct pr_plain *p)
{
    d->at = p->at;
    d->r->last_pointer = p->last_pointer;
    d->r->newest = p->newest;
}

/*
 * Reads the record at P->at, of which PR_SHORT_RECORD bytes are readable, in a capture without native stacks. RECENT:
 * the list of recent addresses. False, and nothing changed: it is not an allocation, or needs more care: its allocator
 * has a byte of its own, a number is too long, zeros follow that may be padding.
 */
static inline bool pr_read_plain(uint64_t recent[PR_MEMRAY_RING], struct pr_plain *p)
{
    const uint8_t type = *p->at, *at = p->at + 1;
    const unsigned place = type >> 3 & 15, allocator = type & 7;
    const bool is_new = place == PR_MEMRAY_RECENT;
    uint64_t pointer = p->last_pointer, address, size = 0;
    bool overrun = false;
    if ((type & 0x87) <= 0x80) /* not an allocation, or one whose allocator has a byte of its own */
        return false;
    if (is_new) {
        pointer += (uint64_t)pr_unzigzag(pr_decoder_uv(&at, &overrun));
        address = pointer << 3;
    } else {
        address = recent[(p->newest + place) % PR_MEMRAY_RING];
    }
    if (!pr_allocator_is_simple_free(allocator))
        size = pr_decoder_uv(&at, &overrun);
    uint16_t zeros;
    memcpy(&zeros, at - 1, sizeof zeros);
    if (overrun || !zeros)
        return false;
    p->at = at;
    p->address = address;
    p->size = size;
    p->allocator = allocator;
    if (is_new) {
        p->last_pointer = pointer;
        p->newest = (p->newest - 1) % PR_MEMRAY_RING;
        recent[p->newest] = address;
    }
    return true;
}

#endif
