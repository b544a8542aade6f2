/* SPDX-License-Identifier: Apache-2.0 */
/* Traces of .NET, written here block by block in each version: what they show, and what breaks none of it. */
#include "tests/support/unit.h"

#include "tests/support/load_helpers.h"

#include "capture/base/varint.h"
#include "profrender/buf.h"

#include <stdio.h>
#include <string.h>

/* ---- a writer of traces ------------------------------------------------------------------------------------------ */

static unsigned version; /* of what is written from now on: 4, 5 or 6 */
static bool compressed;  /* headers of events are, by the same writer */
static uint64_t last_ticks;
static uint32_t last_sequence;

enum { SAMPLE = 1, METHOD, MODULE, ALLOCATION, EXCEPTION, LOCK, SUSPEND, RESUME, PROCESS, UNKNOWN };
enum { THREAD = 7, STACK = 5, START_TICKS = 500, TICKS_PER_S = 1000000 };

static void put(struct pr_buf *out, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        pr_buf_byte(out, (unsigned)(value >> 8 * i & 0xff));
}

static void put_varint(struct pr_buf *out, uint64_t value)
{
    uint8_t bytes[PR_VARINT_BYTES];
    pr_buf_add(out, bytes, (size_t)(pr_varint_put(bytes, value) - bytes));
}

static void put_utf16(struct pr_buf *out, const char *text)
{
    for (; *text; text++)
        put(out, (unsigned char)*text, 2);
    put(out, 0, 2);
}

static void put_utf8(struct pr_buf *out, const char *text)
{
    put_varint(out, strlen(text));
    pr_buf_text(out, text);
}

/* BODY, which is cleared, as a block. NUMBER and NAME are what versions call its kind. */
static void put_block(struct pr_buf *out, unsigned number, const char *name, struct pr_buf *body)
{
    if (version == 6) {
        put(out, body->length | (uint64_t)number << 24, 4);
    } else {
        put(out, 0x010505, 3);
        put(out, version, 4);
        put(out, version, 4);
        put(out, strlen(name), 4);
        pr_buf_text(out, name);
        pr_buf_byte(out, 6);
        if (number > 1)
            put(out, body->length, 4);
        while (number > 1 && out->length % 4)
            pr_buf_byte(out, 0);
    }
    pr_buf_add(out, body->bytes, body->length);
    if (version != 6)
        pr_buf_byte(out, 6);
    pr_buf_clear(body);
}

static void put_start(struct pr_buf *out)
{
    struct pr_buf body = {0};
    static const uint16_t date[] = {2026, 11, 3, 25, 22, 0, 1, 500};
    pr_buf_text(out, "Nettrace");
    if (version == 6) {
        put(out, 0, 4);
        put(out, 6, 4);
        put(out, 0, 4);
    } else {
        put(out, 20, 4);
        pr_buf_text(out, "!FastSerialization.1");
    }
    for (size_t i = 0; i < sizeof date / sizeof *date; i++)
        put(&body, date[i], 2);
    put(&body, START_TICKS, 8);
    put(&body, TICKS_PER_S, 8);
    put(&body, 8, 4);
    if (version == 6) {
        put(&body, 2, 4);
        put_utf8(&body, "HardwareThreadCount");
        put_utf8(&body, "2");
        put_utf8(&body, "ProcessId");
        put_utf8(&body, "4711");
    } else {
        put(&body, 4711, 4);
        put(&body, 2, 4);
        put(&body, 1000000, 4);
    }
    put_block(out, 1, "Trace", &body);
}

static void put_end(struct pr_buf *out)
{
    put(out, version == 6 ? 0 : 1, version == 6 ? 4 : 1);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static void begin_events(struct pr_buf *block)
{
    put(block, 20, 2);
    put(block, compressed, 2);
    put(block, 0, 8);
    put(block, UINT64_MAX, 8);
    last_ticks = 0;
    last_sequence = 0;
}

/* LOST: events of the thread before this one that are not in the trace. */
static void put_event(struct pr_buf *block, unsigned kind, uint64_t ticks, unsigned stack, unsigned lost,
                      struct pr_buf *payload)
{
    if (compressed) {
        pr_buf_byte(block, 1 | 2 | 4 | 8 | 16 | 128);
        put_varint(block, kind);
        put_varint(block, lost);
        put_varint(block, THREAD);
        put_varint(block, 0);
        put_varint(block, THREAD);
        put_varint(block, stack);
        put_varint(block, ticks - last_ticks);
        for (unsigned i = 0; i < (version == 6 ? 1U : 16U); i++) /* labels, or an activity */
            pr_buf_byte(block, 0);
        put_varint(block, payload->length);
        pr_buf_add(block, payload->bytes, payload->length);
    } else {
        const size_t size = 48 + (version == 6 ? 0U : 28U) + payload->length;
        put(block, size, 4);
        put(block, kind | (uint64_t)1 << 31, 4);
        put(block, last_sequence + lost + 1, 4);
        put(block, THREAD, 8);
        put(block, THREAD, 8);
        put(block, 0, 4);
        put(block, stack, 4);
        put(block, ticks, 8);
        for (unsigned i = 0; i < (version == 6 ? 1U : 8U); i++)
            put(block, 0, 4);
        put(block, payload->length, 4);
        pr_buf_add(block, payload->bytes, payload->length);
        while (block->length % 4)
            pr_buf_byte(block, 0);
    }
    last_ticks = ticks;
    last_sequence += lost + 1;
    pr_buf_clear(payload);
}

static void put_kind(struct pr_buf *block, unsigned kind, const char *provider, unsigned number)
{
    struct pr_buf row = {0};
    if (version == 6) {
        put_varint(&row, kind);
        put_utf8(&row, provider);
        put_varint(&row, number);
        put_utf8(&row, "");
        put(block, row.length, 2);
        pr_buf_add(block, row.bytes, row.length);
        pr_buf_clear(&row);
        return;
    }
    put(&row, kind, 4);
    put_utf16(&row, provider);
    put(&row, number, 4);
    put_event(block, 0, 0, 0, 0, &row);
}

static void put_kinds(struct pr_buf *out)
{
    static const char runtime[] = "Microsoft-Windows-DotNETRuntime";
    static const char rundown[] = "Microsoft-Windows-DotNETRuntimeRundown";
    struct pr_buf block = {0};
    if (version == 6)
        put(&block, 0, 2);
    else
        begin_events(&block);
    put_kind(&block, SAMPLE, "Microsoft-DotNETCore-SampleProfiler", 0);
    put_kind(&block, METHOD, rundown, 144);
    put_kind(&block, MODULE, rundown, 154);
    put_kind(&block, ALLOCATION, runtime, 10);
    put_kind(&block, EXCEPTION, runtime, 80);
    put_kind(&block, LOCK, runtime, 91);
    put_kind(&block, SUSPEND, runtime, 9);
    put_kind(&block, RESUME, runtime, 3);
    put_kind(&block, PROCESS, "Microsoft-DotNETCore-EventPipe", 1);
    put_kind(&block, UNKNOWN, "Some-Other-Provider", 10);
    put_block(out, 3, "MetadataBlock", &block);
}

/* One stack: leaf first. */
static void put_stack(struct pr_buf *out, const uint64_t *addresses, size_t count)
{
    struct pr_buf block = {0};
    put(&block, STACK, 4);
    put(&block, 1, 4);
    put(&block, 8 * count, 4);
    for (size_t i = 0; i < count; i++)
        put(&block, addresses[i], 8);
    put_block(out, 5, "StackBlock", &block);
}

static void put_sample(struct pr_buf *block, uint64_t ticks, unsigned state)
{
    struct pr_buf payload = {0};
    put(&payload, state, 4);
    put_event(block, SAMPLE, ticks, STACK, 0, &payload);
}

static void put_method(struct pr_buf *block, uint64_t start, unsigned size, const char *name)
{
    struct pr_buf payload = {0};
    put(&payload, start, 8);
    put(&payload, 99, 8);
    put(&payload, start, 8);
    put(&payload, size, 4);
    put(&payload, 0, 8);
    put_utf16(&payload, "Shop.Till");
    put_utf16(&payload, name);
    put_utf16(&payload, "instance void  (int32)");
    put_event(block, METHOD, last_ticks, 0, 0, &payload);
}

static void put_rundown(struct pr_buf *out)
{
    struct pr_buf block = {0}, payload = {0};
    begin_events(&block);
    put_method(&block, 0x7f0000002000, 0x100, "Run");
    put_method(&block, 0x7f0000001000, 0x100, "Sell");
    put_method(&block, 0x7f0000005000, 0x100, "Sell"); /* compiled again */
    put(&payload, 99, 8);
    put(&payload, 1, 8);
    put(&payload, 0, 8);
    put_utf16(&payload, "/srv/shop/shop.dll");
    put_utf16(&payload, "");
    put_event(&block, MODULE, last_ticks, 0, 0, &payload);
    put_utf16(&payload, "dotnet shop.dll");
    put_event(&block, PROCESS, last_ticks, 0, 0, &payload);
    put_block(out, 2, "EventBlock", &block);
}

static void put_others(struct pr_buf *block)
{
    struct pr_buf payload = {0};
    const double took_ns = 2500;
    uint64_t bits;
    put(&payload, 1000, 4);
    put(&payload, 0, 6);
    put(&payload, 3000, 8);
    put(&payload, 0xabc, 8);
    put_utf16(&payload, "System.String");
    put_event(block, ALLOCATION, 4600, STACK, 0, &payload);
    put_utf16(&payload, "Shop.Closed");
    put_event(block, EXCEPTION, 4700, STACK, 0, &payload);
    memcpy(&bits, &took_ns, sizeof bits);
    put(&payload, 0, 3);
    put(&payload, bits, 8);
    put_event(block, LOCK, 4800, STACK, 0, &payload);
    put(&payload, 1, 4);
    put_event(block, SUSPEND, 5000, 0, 0, &payload);
    put_event(block, RESUME, 7000, 0, 0, &payload);
    put(&payload, 0, 4);
    put_event(block, SUSPEND, 8000, 0, 0, &payload); /* for a sample */
    put_event(block, RESUME, 9000, 0, 0, &payload);
    put_utf16(&payload, "not read");
    put_event(block, UNKNOWN, 9500, STACK, 3, &payload);
}

/* Samples at 0.5, 1.5, 3.5 and 4 ms of the trace, by the clock that starts at START_TICKS. */
static struct pr_buf a_trace(void)
{
    static const uint64_t addresses[] = {0x7f0000001010, 0x7f0000002100};
    struct pr_buf out = {0}, block = {0};
    put_start(&out);
    if (version == 6) {
        struct pr_buf row = {0};
        put_varint(&row, THREAD);
        put(&row, 1, 1);
        put_utf8(&row, "till");
        put(&row, 3, 1);
        put_varint(&row, 4712);
        put(&block, row.length, 2);
        pr_buf_add(&block, row.bytes, row.length);
        pr_buf_clear(&row);
        put_block(&out, 6, "", &block);
    }
    put_kinds(&out);
    put_stack(&out, addresses, 2);
    begin_events(&block);
    put_sample(&block, 1000, 2);
    put_sample(&block, 2000, 1);
    put_sample(&block, 4000, 2);
    put_sample(&block, 4500, 2);
    put_others(&block);
    put_block(&out, 2, "EventBlock", &block);
    put(&block, 9500, 8);
    put(&block, 0, version == 6 ? 8 : 4);
    put_block(&out, 4, "SPBlock", &block);
    put_rundown(&out);
    put_end(&out);
    return out;
}

#define ANY_STACK "shop!Shop.Till.Run(int32) /srv/shop/shop.dll;shop!Shop.Till.Sell(int32) /srv/shop/shop.dll"

static void assert_trace(const char *thread)
{
    char wanted[512];
    struct pr_buf trace = a_trace();
    struct pr_profile *profile = reading(NULL, trace.bytes, trace.length, PR_OK);
    assert_string_equal(profile->meta.format, "nettrace");
    assert_int_equal(profile->meta.format_version, version);
    assert_true(profile->complete);
    assert_int_equal(profile->meta.pid.value, 4711);
    assert_int_equal(profile->meta.start_ms.value, 1795644001500);
    assert_string_equal(pr_profile_text(profile, profile->meta.command_line).bytes, "dotnet shop.dll");
    assert_string_equal(profile->metrics[0].name, "managed");
    snprintf(wanted, sizeof wanted, "%s|" ANY_STACK " 1500000 x3\n", thread);
    assert_metric(profile, "managed", wanted);
    snprintf(wanted, sizeof wanted, "%s|" ANY_STACK " 2000000 x1\n", thread);
    assert_metric(profile, "external", wanted);
    snprintf(wanted, sizeof wanted, "%s|" ANY_STACK ";new System.String 3000 x1\n", thread);
    assert_metric(profile, "allocated", wanted);
    snprintf(wanted, sizeof wanted, "%s|" ANY_STACK ";throw Shop.Closed 1\n", thread);
    assert_metric(profile, "exceptions", wanted);
    snprintf(wanted, sizeof wanted, "%s|" ANY_STACK " 2500 x1\n", thread);
    assert_metric(profile, "lock", wanted);
    assert_int_equal(profile->slice_count, 2);
    assert_note(profile, "1 garbage collection stopped the program for 2 ms");
    assert_note(profile, "3 events were lost");
    pr_profile_free(profile);
    pr_buf_clear(&trace);
}

static void each_version_says_the_same(void **state)
{
    (void)state;
    static const struct {
        unsigned version;
        bool compressed;
        const char *thread;
    } forms[] = {{4, false, "7"}, {4, true, "7"}, {5, true, "7"}, {6, false, "4712[till]"}, {6, true, "4712[till]"}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        version = forms[i].version;
        compressed = forms[i].compressed;
        assert_trace(forms[i].thread);
    }
}

static void code_that_no_method_has_is_said_to_be_so(void **state)
{
    (void)state;
    static const uint64_t addresses[] = {0x7f0000001010, 0x7f0000009999};
    struct pr_buf out = {0}, block = {0};
    version = 4;
    compressed = true;
    put_start(&out);
    put_kinds(&out);
    put_stack(&out, addresses, 2);
    begin_events(&block);
    put_sample(&block, 1000, 2);
    put_sample(&block, 2000, 2);
    put_block(&out, 2, "EventBlock", &block);
    put_rundown(&out);
    put_end(&out);
    struct pr_profile *profile = reading(NULL, out.bytes, out.length, PR_OK);
    assert_metric(profile, "managed",
                  "7|[code without a method];shop!Shop.Till.Sell(int32) /srv/shop/shop.dll 1000000 x2\n");
    pr_profile_free(profile);
    pr_buf_clear(&out);
}

static void a_thread_without_samples_for_long_is_not_said_to_have_run(void **state)
{
    (void)state;
    static const uint64_t addresses[] = {0x7f0000001010};
    struct pr_buf out = {0}, block = {0};
    version = 5;
    compressed = true;
    put_start(&out);
    put_kinds(&out);
    put_stack(&out, addresses, 1);
    begin_events(&block);
    put_sample(&block, 1000, 2);
    put_sample(&block, 1000 + 3 * TICKS_PER_S, 2);
    put_sample(&block, 2000 + 3 * TICKS_PER_S, 2);
    put_block(&out, 2, "EventBlock", &block);
    put_rundown(&out);
    put_end(&out);
    struct pr_profile *profile = reading(NULL, out.bytes, out.length, PR_OK);
    assert_metric(profile, "managed", "7|shop!Shop.Till.Sell(int32) /srv/shop/shop.dll 1000000 x3\n");
    assert_note(profile, "1 time a thread had no sample for over a second, 3000 ms in all");
    pr_profile_free(profile);
    pr_buf_clear(&out);
}

static void other_versions_are_refused(void **state)
{
    (void)state;
    struct pr_buf out = {0}, block = {0};
    version = 4;
    put_start(&out);
    out.bytes[35] = 9; /* version of the object Trace */
    reading("nettrace", out.bytes, out.length, PR_FAILED);
    out.length = 0;
    pr_buf_text(&out, "Nettrace");
    put(&out, 0, 4);
    put(&out, 7, 4);
    put(&out, 0, 4);
    reading("nettrace", out.bytes, out.length, PR_FAILED);
    pr_buf_clear(&out);
    pr_buf_clear(&block);
}

static void nothing_breaks_it(void **state)
{
    (void)state;
    for (version = 4; version <= 6; version++) {
        compressed = version != 5;
        struct pr_buf trace = a_trace();
        assert_survives_damage("nettrace", trace.bytes, trace.length);
        assert_needs_memory(trace.bytes, trace.length);
        pr_buf_clear(&trace);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_version_says_the_same),
        cmocka_unit_test(code_that_no_method_has_is_said_to_be_so),
        cmocka_unit_test(a_thread_without_samples_for_long_is_not_said_to_have_run),
        cmocka_unit_test(other_versions_are_refused),
        cmocka_unit_test(nothing_breaks_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
