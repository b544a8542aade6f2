/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What sar recorded of a whole machine, as `sadf -j` prints it:
 *
 *     {"sysstat": {"hosts": [{"nodename": "n1", "number-of-cpus": 8, "statistics": [
 *      {"timestamp": {"date": "2026-11-20", "time": "10:00:01", "utc": 1, "interval": 1},
 *       "cpu-load": [{"cpu": "all", "user": 1.2, ..., "idle": 97.9}], "memory": {"memused": 123456, ...},
 *       "network": {"net-dev": [{"iface": "eth0", "rxkB": 1.5, "txkB": 0.2}]},
 *       "io": {"tps": 1.0, "io-reads": {"bread": 8.0}, "io-writes": {"bwrtn": 0.0}}}]}]}}
 *
 * - Everything is of the machine, not of one program: the names of the series say so.
 * - memused and swpused count KiB, rxkB and txkB KiB a second, bread and bwrtn blocks of 512 bytes a second; some_avg
 *   is the share of the interval, in percent, in which some task waited.
 * - Times are UTC if marked so; else the zone is unknown, and so is the date: they count from the first.
 *
 * Source: sysstat 12.7, json_stats.c and sadf.c (print_json_timestamp); a file of sysstat 12.6.1.
 */
#include "capture/builder/profile_builder.h"
#include "capture/parse/frame_text.h"
#include "capture/parse/json_peek.h"
#include "capture/parse/json_stream.h"
#include "capture/builder/reader.h"
#include "capture/builder/series_builder.h"

#include "capture/base/checked.h"
#include "capture/base/date.h"

enum { KIB = 1024, BLOCK_BYTES = 512, FULL_PERCENT = 100000, MS_A_DAY = 86400000 };

static const struct pressure {
    const char *key, *name, *title;
} pressures[] = {{"psi-cpu", "pressure_cpu", "Host CPU wait"},
                 {"psi-mem", "pressure_memory", "Host memory wait"},
                 {"psi-io", "pressure_io", "Host disk wait"}};
enum { PRESSURES = sizeof pressures / sizeof *pressures };

struct sample {
    int64_t date_ms, time_ms; /* of the day; of the time in it */
    bool dated, timed, utc;
    struct pr_maybe idle, used, swap, received, sent, read, written; /* thousandths of a percent; bytes; a second */
    struct pr_maybe waited[PRESSURES];                               /* thousandths of a percent */
};

struct sadf {
    struct pr_profile_builder c;
    struct pr_timeline t;
    struct pr_json_stream json;
    struct sample sample;
    int64_t cpus, first_ms;
    uint64_t samples, hosts;
};

/* Two digits of `10:00:01` or `2026-11-20`, or -1. */
static int two_digits(struct pr_text text, uint32_t at)
{
    if (at + 2 > text.length || text.bytes[at] < '0' || text.bytes[at] > '9' || text.bytes[at + 1] < '0' ||
        text.bytes[at + 1] > '9')
        return -1;
    return (text.bytes[at] - '0') * 10 + text.bytes[at + 1] - '0';
}

static void read_timestamp(struct sadf *r)
{
    struct pr_json_stream *json = &r->json;
    struct sample *sample = &r->sample;
    if (!pr_json_enter(json, PR_JSON_OBJECT))
        return;
    while (pr_json_key(json)) {
        const bool is_date = pr_json_is(json, "date"), is_time = pr_json_is(json, "time"),
                   is_utc = pr_json_is(json, "utc");
        pr_json_next(json);
        if (is_utc)
            sample->utc = json->token == PR_JSON_TRUE || pr_json_scaled(json, 0, 0) == 1;
        else if (json->token == PR_JSON_STRING && is_date && json->text.length == 10) {
            const int century = two_digits(json->text, 0), year = two_digits(json->text, 2),
                      month = two_digits(json->text, 5), day = two_digits(json->text, 8);
            sample->dated = century >= 0 && year >= 0 && month >= 1 && month <= 12 && day >= 1;
            if (sample->dated)
                sample->date_ms = pr_days_of_date(century * 100 + year, (unsigned)month, (unsigned)day) * MS_A_DAY;
        } else if (json->token == PR_JSON_STRING && is_time && json->text.length == 8) {
            const int hour = two_digits(json->text, 0), minute = two_digits(json->text, 3),
                      second = two_digits(json->text, 6);
            sample->timed = hour >= 0 && minute >= 0 && second >= 0;
            sample->time_ms = ((hour * 60 + minute) * (int64_t)60 + second) * 1000;
        }
        pr_json_skip(json);
    }
}

/* Adds FACTOR times the number at hand, rounded. */
static void add_number(const struct pr_json_stream *json, double factor, struct pr_maybe *sum)
{
    struct pr_decimal number;
    if (!pr_json_number(json, &number) || number.negative)
        return;
    const int64_t more = pr_double_scaled((double)pr_decimal_scaled(number, 3), factor / 1000);
    *sum = (struct pr_maybe){true, pr_add_saturated(sum->value, more)};
}

/* An object of numbers, at most two of them of interest. */
static void read_numbers(struct pr_json_stream *json, const char *const *names, const double *factors,
                         struct pr_maybe *const *sums, unsigned count)
{
    while (pr_json_key(json)) {
        unsigned which = 0;
        while (which < count && !pr_text_is(json->text, names[which]))
            which++;
        pr_json_next(json);
        if (which < count)
            add_number(json, factors[which], sums[which]);
        pr_json_skip(json);
    }
}

/* Of all CPUs together, which is the first entry: `"cpu": "all"`. */
static void read_cpus(struct sadf *r)
{
    static const char *const names[] = {"idle"};
    static const double factors[] = {1000};
    struct pr_json_stream *json = &r->json;
    struct pr_maybe *const sums[] = {&r->sample.idle};
    if (!pr_json_enter(json, PR_JSON_ARRAY))
        return;
    for (bool first = true; pr_json_item(json); first = false) {
        if (first && json->token == PR_JSON_OBJECT)
            read_numbers(json, names, factors, sums, 1);
        else
            pr_json_skip(json);
    }
}

static void read_memory(struct sadf *r)
{
    static const char *const names[] = {"memused", "swpused"};
    static const double factors[] = {KIB, KIB};
    struct pr_maybe *const sums[] = {&r->sample.used, &r->sample.swap};
    if (pr_json_enter(&r->json, PR_JSON_OBJECT))
        read_numbers(&r->json, names, factors, sums, 2);
}

/* The sum of all interfaces but the loopback, whose name comes before its numbers. */
static void read_interface(struct sadf *r)
{
    struct pr_json_stream *json = &r->json;
    bool loopback = false;
    while (pr_json_key(json)) {
        const bool is_name = pr_json_is(json, "iface"), is_in = pr_json_is(json, "rxkB"),
                   is_out = pr_json_is(json, "txkB");
        pr_json_next(json);
        if (is_name)
            loopback = json->token == PR_JSON_STRING && pr_json_is(json, "lo");
        else if (!loopback && (is_in || is_out))
            add_number(json, KIB, is_in ? &r->sample.received : &r->sample.sent);
        pr_json_skip(json);
    }
}

static void read_network(struct sadf *r)
{
    struct pr_json_stream *json = &r->json;
    if (!pr_json_enter(json, PR_JSON_OBJECT))
        return;
    while (pr_json_key(json)) {
        if (!pr_json_is(json, "net-dev")) {
            pr_json_skip(json);
        } else if (pr_json_enter(json, PR_JSON_ARRAY)) {
            while (pr_json_object(json))
                read_interface(r);
        }
    }
}

static void read_io(struct sadf *r)
{
    static const char *const names[] = {"bread", "bwrtn"};
    static const double factors[] = {BLOCK_BYTES, BLOCK_BYTES};
    struct pr_json_stream *json = &r->json;
    struct pr_maybe *const sums[] = {&r->sample.read, &r->sample.written};
    if (!pr_json_enter(json, PR_JSON_OBJECT))
        return;
    while (pr_json_key(json)) {
        if (!pr_json_is(json, "io-reads") && !pr_json_is(json, "io-writes"))
            pr_json_skip(json);
        else if (pr_json_enter(json, PR_JSON_OBJECT))
            read_numbers(json, names, factors, sums, 2);
    }
}

static void read_pressure(struct sadf *r)
{
    static const char *const names[] = {"some_avg"};
    static const double factors[] = {1000};
    struct pr_json_stream *json = &r->json;
    if (!pr_json_enter(json, PR_JSON_OBJECT))
        return;
    while (pr_json_key(json)) {
        unsigned which = 0;
        while (which < PRESSURES && !pr_text_is(json->text, pressures[which].key))
            which++;
        struct pr_maybe *const sums[] = {&r->sample.waited[which % PRESSURES]};
        if (which == PRESSURES)
            pr_json_skip(json);
        else if (pr_json_enter(json, PR_JSON_OBJECT))
            read_numbers(json, names, factors, sums, 1);
    }
}

static void add_value(struct sadf *r, int64_t at_ms, const char *name, const char *title, enum pr_unit unit,
                      struct pr_maybe value)
{
    if (value.known)
        pr_timeline_add(&r->t, pr_timeline_series(&r->t, name, title, unit), at_ms, value.value);
}

static void use_sample(struct sadf *r)
{
    const struct sample *sample = &r->sample;
    const int64_t stamp_ms = sample->date_ms + sample->time_ms;
    if (!sample->dated || !sample->timed) {
        pr_build_damage(&r->c, PR_DAMAGE_RECORDS, 1);
        return;
    }
    if (!r->samples++) {
        r->c.profile->meta.no_date = !sample->utc;
        r->first_ms = sample->utc ? 0 : stamp_ms;
    }
    const int64_t at_ms = stamp_ms - r->first_ms;
    struct pr_maybe busy = sample->idle;
    busy.value = pr_double_scaled((double)(FULL_PERCENT - busy.value), r->cpus ? (double)r->cpus / 100 : 1);
    add_value(r, at_ms, "host_cpu", "CPU of the host", r->cpus ? PR_UNIT_CORES : PR_UNIT_PERCENT, busy);
    add_value(r, at_ms, "host_memory", "Memory of the host", PR_UNIT_BYTES, sample->used);
    add_value(r, at_ms, "swap", "Swap of the host", PR_UNIT_BYTES, sample->swap);
    add_value(r, at_ms, "host_disk_read", "Disk read, host", PR_UNIT_BYTES_PER_SECOND, sample->read);
    add_value(r, at_ms, "host_disk_write", "Disk written, host", PR_UNIT_BYTES_PER_SECOND, sample->written);
    add_value(r, at_ms, "host_net_recv", "Network received, host", PR_UNIT_BYTES_PER_SECOND, sample->received);
    add_value(r, at_ms, "host_net_sent", "Network sent, host", PR_UNIT_BYTES_PER_SECOND, sample->sent);
    for (unsigned i = 0; i < PRESSURES; i++)
        add_value(r, at_ms, pressures[i].name, pressures[i].title, PR_UNIT_PERCENT, sample->waited[i]);
}

static void read_statistics(struct sadf *r)
{
    struct pr_json_stream *json = &r->json;
    if (!pr_json_enter(json, PR_JSON_ARRAY))
        return;
    while (pr_build_going(&r->c) && pr_json_object(json)) {
        r->sample = (struct sample){0};
        while (pr_json_key(json)) {
            if (pr_json_is(json, "timestamp"))
                read_timestamp(r);
            else if (pr_json_is(json, "cpu-load") || pr_json_is(json, "cpu-load-all"))
                read_cpus(r);
            else if (pr_json_is(json, "memory"))
                read_memory(r);
            else if (pr_json_is(json, "network"))
                read_network(r);
            else if (pr_json_is(json, "io"))
                read_io(r);
            else if (pr_json_is(json, "psi"))
                read_pressure(r);
            else
                pr_json_skip(json);
        }
        if (json->token == PR_JSON_CLOSE)
            use_sample(r);
    }
}

static void read_host(struct sadf *r)
{
    struct pr_json_stream *json = &r->json;
    while (pr_json_key(json)) {
        if (pr_json_is(json, "number-of-cpus")) {
            r->cpus = pr_json_value(json, 0).value;
            r->c.profile->run.machine_cpus = (struct pr_maybe){r->cpus > 0, r->cpus};
        } else if (pr_json_is(json, "statistics")) {
            read_statistics(r);
        } else {
            pr_json_skip(json);
        }
    }
}

/* Only the first host: two machines have no lane in common. */
static void read_hosts(struct sadf *r)
{
    if (!pr_json_enter(&r->json, PR_JSON_ARRAY))
        return;
    while (pr_json_object(&r->json)) {
        if (!r->hosts++)
            read_host(r);
        else
            pr_json_skip(&r->json);
    }
}

static enum pr_status read_document(struct sadf *r)
{
    struct pr_json_stream *json = &r->json;
    if (pr_json_next(json) != PR_JSON_OBJECT)
        return pr_json_unexpected(json, "an object");
    while (pr_json_key(json)) {
        if (!pr_json_is(json, "sysstat")) {
            pr_json_skip(json);
        } else if (pr_json_enter(json, PR_JSON_OBJECT)) {
            while (pr_json_key(json))
                if (pr_json_is(json, "hosts"))
                    read_hosts(r);
                else
                    pr_json_skip(json);
        }
    }
    return pr_json_finish(json);
}

static enum pr_status read(struct pr_source *src, const struct pr_load_options *options, struct pr_profile *profile,
                           struct pr_error *err)
{
    struct sadf r = {.samples = 0};
    enum pr_status status = pr_build_init(&r.c, src, options, profile, err);
    pr_timeline_init(&r.t, profile);
    pr_json_begin(&r.json, src, &options->limits, err);
    r.json.damage = &profile->damage;
    if (status == PR_OK)
        status = read_document(&r);
    pr_json_end(&r.json);
    if (status == PR_CUT && !r.samples)
        status = PR_FAILED;
    if (status == PR_OK && !r.samples)
        status = pr_fail(err, PR_ERR_DAMAGED, 0, "statistics", "it has no samples with a time");
    if (pr_timeline_finish(&r.t, err) == PR_FAILED)
        status = PR_FAILED;
    if (r.hosts > 1)
        pr_build_note(&r.c, "only the first of %llu hosts is shown", (unsigned long long)r.hosts);
    return pr_build_finish(&r.c, status);
}

static unsigned probe(struct pr_source *src)
{
    struct pr_json_peek peek;
    pr_json_peek(src, &peek);
    return pr_json_evidence(&peek, "sysstat.hosts", '[');
}

const struct pr_reader pr_sadf_reader = {"sadf", "sadf statistics", probe, read};
