/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshots of memory: what they show, and that no damage and no lack of memory breaks their readers. */
#include "tests/support/unit.h"

#include "tests/support/load_helpers.h"

#include <stdlib.h>
#include <string.h>

/* clang-format off */
/*
 * Made by Python 3.11, pickle.dumps(snapshot, 4): an allocation of 1,000 bytes that stays, one of 700 that is freed, a
 * free of 50 bytes that no entry allocated, a block of 300 bytes that no entry allocated, an error of memory.
 */
static const char torch[] =
    "\200\004\225q\003\000\000\000\000\000\000}\224(\214\010segments\224]\224}\224(\214\006device\224K\000"
    "\214\007address\224M\000\020\214\012total_size\224J\000\000\020\000\214\006stream\224K\000\214\015is_exp"
    "andable\224\211\214\006frames\224]\224(}\224(\214\010filename\224\214\002\077\077\224\214\004line\224K"
    "\000\214\004name\224\214\006malloc\224u}\224(h\014\214\004a.py\224h\016K\002h\017\214\001f\224u}\224(h"
    "\014h\022h\016K\011h\017\214\004main\224ue\214\006blocks\224]\224(}\224(h\005M\000\020\214\004size\224M"
    "\000\004\214\016requested_size\224M\350\003\214\005state\224\214\020active_allocated\224h\011h\012u}\224"
    "(h\005M\000\024h\031M\000\002h\032M,\001h\033\214\023active_pending_free\224h\011]\224(}\224(h\014\214"
    "\004b.py\224h\016K\003h\017\214\001g\224uh\024eu}\224(h\005M\000\026h\031J\000\372\017\000h\032K\000h"
    "\033\214\010inactive\224h\011]\224ueua\214\015device_traces\224]\224]\224(}\224(h\011h\012\214\006action"
    "\224\214\015segment_alloc\224\214\004addr\224M\000\020h\031J\000\000\020\000h\007K\000\214\007time_us"
    "\224\212\007\000@\036\030$\012\006u}\224(h\011h\012h*\214\005alloc\224h,M\000\020h\031M\350\003h\007K"
    "\000h-\212\007\012@\036\030$\012\006u}\224(h\011h\037h*h/h,M\000 h\031M\274\002h\007K\000h-\212\007\024@"
    "\036\030$\012\006u}\224(h\011h\037h*\214\016free_requested\224h,M\000 h\031M\274\002h\007K\000h-\212\007"
    "\036@\036\030$\012\006u}\224(h\011h\037h*\214\016free_completed\224h,M\000 h\031M\274\002h\007K\000h-"
    "\212\007(@\036\030$\012\006u}\224(h\011h\037h*h4h,M\000$h\031K2h\007K\000h-\212\0072@\036\030$\012\006u}"
    "\224(h\011h\037h*\214\003oom\224\214\013device_free\224KMh\031J\000\000 \000h\007K\000h-\212\007<@\036"
    "\030$\012\006u}\224(h\011]\224h*\214\010snapshot\224h,K\000h\031K\000h\007K\000h-\212\007\210S\036\030$"
    "\012\006uea\214\022allocator_settings\224}\224\214\027PYTORCH_CUDA_ALLOC_CONF\224\214\031expandable_segm"
    "ents:False\224su.";

/* The same by json.dumps. */
static const char written[] =
    "{\042segments\042: [{\042device\042: 0, \042address\042: 4096, \042total_size\042: 1048576, \042stream"
    "\042: 0, \042is_expandable\042: false, \042frames\042: [{\042filename\042: \042\077\077\042, \042line"
    "\042: 0, \042name\042: \042malloc\042}, {\042filename\042: \042a.py\042, \042line\042: 2, \042name\042: "
    "\042f\042}, {\042filename\042: \042a.py\042, \042line\042: 9, \042name\042: \042main\042}], \042blocks"
    "\042: [{\042address\042: 4096, \042size\042: 1024, \042requested_size\042: 1000, \042state\042: \042acti"
    "ve_allocated\042, \042frames\042: [{\042filename\042: \042\077\077\042, \042line\042: 0, \042name\042: "
    "\042malloc\042}, {\042filename\042: \042a.py\042, \042line\042: 2, \042name\042: \042f\042}, {\042filena"
    "me\042: \042a.py\042, \042line\042: 9, \042name\042: \042main\042}]}, {\042address\042: 5120, \042size"
    "\042: 512, \042requested_size\042: 300, \042state\042: \042active_pending_free\042, \042frames\042: [{"
    "\042filename\042: \042b.py\042, \042line\042: 3, \042name\042: \042g\042}, {\042filename\042: \042a.py"
    "\042, \042line\042: 9, \042name\042: \042main\042}]}, {\042address\042: 5632, \042size\042: 1047040, "
    "\042requested_size\042: 0, \042state\042: \042inactive\042, \042frames\042: []}]}], \042device_traces"
    "\042: [[{\042frames\042: [{\042filename\042: \042\077\077\042, \042line\042: 0, \042name\042: \042malloc"
    "\042}, {\042filename\042: \042a.py\042, \042line\042: 2, \042name\042: \042f\042}, {\042filename\042: "
    "\042a.py\042, \042line\042: 9, \042name\042: \042main\042}], \042action\042: \042segment_alloc\042, \042"
    "addr\042: 4096, \042size\042: 1048576, \042stream\042: 0, \042time_us\042: 1700000000000000}, {\042frame"
    "s\042: [{\042filename\042: \042\077\077\042, \042line\042: 0, \042name\042: \042malloc\042}, {\042filena"
    "me\042: \042a.py\042, \042line\042: 2, \042name\042: \042f\042}, {\042filename\042: \042a.py\042, \042li"
    "ne\042: 9, \042name\042: \042main\042}], \042action\042: \042alloc\042, \042addr\042: 4096, \042size\042"
    ": 1000, \042stream\042: 0, \042time_us\042: 1700000000000010}, {\042frames\042: [{\042filename\042: \042"
    "b.py\042, \042line\042: 3, \042name\042: \042g\042}, {\042filename\042: \042a.py\042, \042line\042: 9, "
    "\042name\042: \042main\042}], \042action\042: \042alloc\042, \042addr\042: 8192, \042size\042: 700, \042"
    "stream\042: 0, \042time_us\042: 1700000000000020}, {\042frames\042: [{\042filename\042: \042b.py\042, "
    "\042line\042: 3, \042name\042: \042g\042}, {\042filename\042: \042a.py\042, \042line\042: 9, \042name"
    "\042: \042main\042}], \042action\042: \042free_requested\042, \042addr\042: 8192, \042size\042: 700, "
    "\042stream\042: 0, \042time_us\042: 1700000000000030}, {\042frames\042: [{\042filename\042: \042b.py\042"
    ", \042line\042: 3, \042name\042: \042g\042}, {\042filename\042: \042a.py\042, \042line\042: 9, \042name"
    "\042: \042main\042}], \042action\042: \042free_completed\042, \042addr\042: 8192, \042size\042: 700, "
    "\042stream\042: 0, \042time_us\042: 1700000000000040}, {\042frames\042: [{\042filename\042: \042b.py\042"
    ", \042line\042: 3, \042name\042: \042g\042}, {\042filename\042: \042a.py\042, \042line\042: 9, \042name"
    "\042: \042main\042}], \042action\042: \042free_completed\042, \042addr\042: 9216, \042size\042: 50, \042"
    "stream\042: 0, \042time_us\042: 1700000000000050}, {\042frames\042: [{\042filename\042: \042b.py\042, "
    "\042line\042: 3, \042name\042: \042g\042}, {\042filename\042: \042a.py\042, \042line\042: 9, \042name"
    "\042: \042main\042}], \042action\042: \042oom\042, \042device_free\042: 77, \042size\042: 2097152, \042s"
    "tream\042: 0, \042time_us\042: 1700000000000060}, {\042frames\042: [], \042action\042: \042snapshot\042,"
    " \042addr\042: 0, \042size\042: 0, \042stream\042: 0, \042time_us\042: 1700000000005000}]], \042allocato"
    "r_settings\042: {\042PYTORCH_CUDA_ALLOC_CONF\042: \042expandable_segments:False\042}}";

/* tracemalloc.Snapshot of two blocks of one stack, 10 and 20 bytes, and one of 5 bytes in domain 7. */
static const char shelf[] =
    "\200\004\225\244\000\000\000\000\000\000\000\214\013tracemalloc\224\214\010Snapshot\224\223\224)\201\224"
    "}\224(\214\006traces\224h\000\214\007_Traces\224\223\224)\201\224}\224\214\007_traces\224(K\000K\012\214"
    "\004a.py\224K\003\206\224\214\004b.py\224K\004\206\224\206\224K\002t\224(K\000K\024h\017K\002t\224(K\007"
    "K\005\214\004c.py\224K\001\206\224\205\224K\011t\224\207\224sb\214\017traceback_limit\224K\002ub.";
/* clang-format on */

static void assert_has(const char *format, const void *bytes, size_t length, const char *metric, const char *want)
{
    struct pr_profile *profile = reading(NULL, bytes, length, PR_OK);
    assert_string_equal(profile->meta.format, format);
    char *stacks = reading_stacks(profile, metric);
    assert_string_equal(stacks, want);
    free(stacks);
    pr_profile_free(profile);
}

#define HAS(format, literal, metric, want) assert_has(format, literal, sizeof literal - 1, metric, want)

static void a_trace_has_peak_leaks_and_what_was_there_before(void **state)
{
    static const char peak[] = "1[device 0, stream 0]|(allocated before the trace) 50 x1\n"
                               "1[device 0, stream 0]|main a.py:9;f a.py:2 1000 x1\n"
                               "1[device 0, stream 0]|main a.py:9;g b.py:3 1000 x2\n";
    static const char leaked[] = "1[device 0, stream 0]|main a.py:9;f a.py:2 1000 x1\n"
                                 "1[device 0, stream 0]|main a.py:9;g b.py:3 300 x1\n";
    (void)state;
    HAS("torch-memory", torch, "peak", peak);
    HAS("torch-memory", written, "peak", peak);
    HAS("torch-memory", torch, "leaked", leaked);
    HAS("torch-memory", written, "leaked", leaked);
    HAS("torch-memory", torch, "allocated", "1[device 0, stream 0]|main a.py:9;f a.py:2 1000 x1\n"
                                            "1[device 0, stream 0]|main a.py:9;g b.py:3 700 x1\n");
    HAS("torch-memory", torch, "temporary", "1[device 0, stream 0]|main a.py:9;g b.py:3 700 x1\n");
}

static void notes_have_what_the_stacks_do_not(void **state)
{
    (void)state;
    struct pr_profile *profile = reading(NULL, torch, sizeof torch - 1, PR_OK);
    assert_note(profile, "out of memory on device 0: asked for 2.00 MiB with 1.00 MiB reserved, 1023 KiB of it free in "
                         "blocks of at most 1023 KiB; the device had 77 B");
    assert_note(profile, "device 0 at the end: 1.00 MiB reserved in 1 segment, 1000 B of it allocated, 1023 KiB "
                         "free in 1 block of at most 1023 KiB, 236 B lost to rounding, 300 B in use by other "
                         "streams after their free");
    assert_note(profile, "2 blocks (350 B) were allocated before the first of the 8 entries: the recording began "
                         "later, or its ring of max_entries was full and the oldest are lost");
    assert_note(profile, "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:False");
    assert_int_equal(profile->records.allocations, 2);
    assert_int_equal(profile->records.frees, 2);
    assert_int_equal(profile->meta.start_ms.value, 1700000000000);
    assert_true(profile->meta.has_native_traces && profile->fact_hybrid);
    pr_profile_free(profile);
}

static void a_tracemalloc_snapshot_has_places_and_domains(void **state)
{
    (void)state;
    HAS("tracemalloc", shelf, "memory", "0|b.py:4 b.py:4;a.py:3 a.py:3 30 x2\n7[domain 7]|c.py:1 c.py:1 5 x1\n");
}

static void damage_breaks_no_reader(void **state)
{
    (void)state;
    assert_survives_damage("torch-memory", torch, sizeof torch - 1);
    assert_survives_damage("torch-memory", written, sizeof written - 1);
    assert_survives_damage("tracemalloc", shelf, sizeof shelf - 1);
}

static void out_of_memory_is_an_error(void **state)
{
    (void)state;
    assert_needs_memory(torch, sizeof torch - 1);
    assert_needs_memory(written, sizeof written - 1);
    assert_needs_memory(shelf, sizeof shelf - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trace_has_peak_leaks_and_what_was_there_before),
        cmocka_unit_test(notes_have_what_the_stacks_do_not),
        cmocka_unit_test(a_tracemalloc_snapshot_has_places_and_domains),
        cmocka_unit_test(damage_breaks_no_reader),
        cmocka_unit_test(out_of_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
