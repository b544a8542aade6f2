/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memray 12 and 13: the allocation records that make up nearly all of a capture, read with all state at hand.
 *
 *     struct pr_plain p = pr_plain_begin(d);
 *     while (p.at <= last && pr_plain_is(*p.at)) {
 *         struct pr_plain next = p;
 *         if (!pr_read_plain(EXTRACTS, pr_plain_is_new(*p.at), pr_plain_is_free(*p.at), r->recent, &next))
 *             break;
 *         p = next; ... // p.address, p.size
 *     }
 *     pr_plain_end(d, &p);
 *
 * A loop is fastest that has code of its own for each kind of record, where what it is, is a constant: PR_FOR_PLAIN.
 *
 * EXTRACTS: the processor has an instruction that takes chosen bits of a word, as pr_can_extract says. It makes a
 * number of up to seven bytes of LEB128 at once; without it, this takes a dozen instructions for four bytes.
 * Source: doc/formats/memray.md, "Versions 12 and 13: type byte".
 */
#ifndef PR_CAPTURE_MEMRAY_MEMRAY_PLAIN_H
#define PR_CAPTURE_MEMRAY_MEMRAY_PLAIN_H

#include "capture/base/extract_bits.h"
#include "capture/memray/memray_decoder.h"

/* The last record, and the state after it; a copy on the stack stays in registers. */
struct pr_plain {
    const uint8_t *at; /* the next record */
    uint64_t last_pointer, address, size;
    unsigned newest;
};

/* An allocation, whose allocator is in the type byte. */
static inline bool pr_plain_is(unsigned type)
{
    return (type & 0x87) > 0x80;
}

/* Its address is on the list of recent ones only from now on. */
static inline bool pr_plain_is_new(unsigned type)
{
    return (type >> 3 & 15) == PR_MEMRAY_RECENT;
}

static inline bool pr_plain_is_free(unsigned type)
{
    return pr_allocator_is_simple_free(type & 7);
}

/* READ(is new, is free) for a record of TYPE. */
#define PR_FOR_PLAIN(type, READ)                                                                                       \
    (pr_plain_is_new(type) ? pr_plain_is_free(type) ? READ(true, true) : READ(true, false)                             \
     : pr_plain_is_free(type) ? READ(false, true)                                                                      \
                              : READ(false, false))

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

/* The numbers of a record of at most eight bytes. False: it is longer. */
__attribute__((always_inline)) static inline bool pr_plain_numbers_at_once(bool is_new, bool is_free,
                                                                           struct pr_plain *p)
{
    const uint64_t seven_bits = UINT64_C(0x7f7f7f7f7f7f7f00);
    uint64_t word, before = 0;
    memcpy(&word, p->at, sizeof word);
    word = le64toh(word);
    uint64_t ends = ~word & UINT64_C(0x8080808080808000); /* the last byte of each number; the first byte is the type */
    if (is_new && !is_free) {
        before = ends ^ (ends - 1);
        p->last_pointer += (uint64_t)pr_unzigzag(pr_extract_bits(word, before & seven_bits));
        ends &= ends - 1;
    }
    if (!ends)
        return false;
    const uint64_t number = pr_extract_bits(word, (ends ^ (ends - 1)) & ~before & seven_bits);
    if (is_free)
        p->last_pointer += (uint64_t)pr_unzigzag(number);
    else
        p->size = number;
    p->at += ((unsigned)__builtin_ctzll(ends) >> 3) + 1;
    return true;
}

/* The numbers of any record. False: one is too long. */
__attribute__((always_inline)) static inline bool pr_plain_numbers(bool is_new, bool is_free, struct pr_plain *p)
{
    const uint8_t *at = p->at + 1;
    bool overrun = false;
    if (is_new)
        p->last_pointer += (uint64_t)pr_unzigzag(pr_decoder_uv(&at, &overrun));
    if (!is_free)
        p->size = pr_decoder_uv(&at, &overrun);
    p->at = at;
    return !overrun;
}

/*
 * Reads the record at P->at, for which pr_plain_is, of which PR_SHORT_RECORD bytes are readable, in a capture without
 * native stacks. RECENT: the list of recent addresses. False, with P useless but nothing else changed: it needs more
 * care, as a number is too long, or its size PR_SMALL_SIZES or more, or zeros follow that may be padding.
 */
__attribute__((always_inline)) static inline bool pr_read_plain(bool extracts, bool is_new, bool is_free,
                                                                uint64_t recent[PR_MEMRAY_RING], struct pr_plain *p)
{
    const unsigned place = *p->at >> 3 & 15;
    p->size = 0;
    if (!is_new && is_free)
        p->at++;
    else if (extracts ? !pr_plain_numbers_at_once(is_new, is_free, p) : !pr_plain_numbers(is_new, is_free, p))
        return false;
    uint16_t zeros;
    memcpy(&zeros, p->at - 1, sizeof zeros);
    if (!zeros || p->size >= PR_SMALL_SIZES)
        return false;
    p->address = is_new ? p->last_pointer << 3 : recent[(p->newest + place) % PR_MEMRAY_RING];
    if (is_new) {
        p->newest = (p->newest - 1) % PR_MEMRAY_RING;
        recent[p->newest] = p->address;
    }
    return true;
}

#endif
