/* SPDX-License-Identifier: Apache-2.0 */
/* Pickles as Python 3.11 writes them in every protocol: data is read, identity stays, and nothing is ever called. */
#include "tests/support/unit.h"

#include "capture/parse/pickle.h"
#include "tests/support/alloc_fail.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bytes {
    const char *bytes;
    size_t length;
};

/* clang-format off */
/*
 * shared = ["x"]; {"a": [1, -1, 255, 256, 70000, 2**31, 2**40, 2**62, 2**63 - 1, -2**63, 2**64, -10**30, 0],
 * "b": (True, False, None, 1.5, "\u00e9\n\\'\U0001F600"), "t": ((), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)),
 * "s": shared, "u": shared, "e": {}}; then tracemalloc.Snapshot(((0, 10, (("a.py", 3),), 1),), 1): protocols 0 to 5
 */
static const struct bytes documents[] = {
    {"(dp0\012Va\012p1\012(lp2\012I1\012aI-1\012aI255\012aI256\012aI70000\012aL2147483648L\012aL1099511627"
     "776L\012aL4611686018427387904L\012aL9223372036854775807L\012aL-9223372036854775808L\012aL18446744073"
     "709551616L\012aL-1000000000000000000000000000000L\012aI0\012asVb\012p3\012(I01\012I00\012NF1.5\012V"
     "\351\134u000a\134u005c'\134U0001f600\012p4\012tp5\012sVt\012p6\012((t(I1\012tp7\012(I1\012I2\012tp8"
     "\012(I1\012I2\012I3\012tp9\012(I1\012I2\012I3\012I4\012tp10\012tp11\012sVs\012p12\012(lp13\012Vx\012"
     "p14\012asVu\012p15\012g13\012sVe\012p16\012(dp17\012s.",
     381},
    {"}q\000(X\001\000\000\000aq\001]q\002(K\001J\377\377\377\377K\377M\000\001Jp\021\001\000L2147483648L"
     "\012L1099511627776L\012L4611686018427387904L\012L9223372036854775807L\012L-9223372036854775808L\012L"
     "18446744073709551616L\012L-1000000000000000000000000000000L\012K\000eX\001\000\000\000bq\003(I01\012"
     "I00\012NG\077\370\000\000\000\000\000\000X\011\000\000\000\303\251\012\134'\360\237\230\200q\004tq"
     "\005X\001\000\000\000tq\006()(K\001tq\007(K\001K\002tq\010(K\001K\002K\003tq\011(K\001K\002K\003K"
     "\004tq\012tq\013X\001\000\000\000sq\014]q\015X\001\000\000\000xq\016aX\001\000\000\000uq\017h\015X"
     "\001\000\000\000eq\020}q\021u.",
     328},
    {"\200\002}q\000(X\001\000\000\000aq\001]q\002(K\001J\377\377\377\377K\377M\000\001Jp\021\001\000\212"
     "\005\000\000\000\200\000\212\006\000\000\000\000\000\001\212\010\000\000\000\000\000\000\000@\212"
     "\010\377\377\377\377\377\377\377\177\212\010\000\000\000\000\000\000\000\200\212\011\000\000\000\000"
     "\000\000\000\000\001\212\015\000\000\000\300\025\022\213\271/c\323`\363K\000eX\001\000\000\000bq\003"
     "(\210\211NG\077\370\000\000\000\000\000\000X\011\000\000\000\303\251\012\134'\360\237\230\200q\004tq"
     "\005X\001\000\000\000tq\006()K\001\205q\007K\001K\002\206q\010K\001K\002K\003\207q\011(K\001K\002K"
     "\003K\004tq\012tq\013X\001\000\000\000sq\014]q\015X\001\000\000\000xq\016aX\001\000\000\000uq\017h"
     "\015X\001\000\000\000eq\020}q\021u.",
     238},
    {"\200\003}q\000(X\001\000\000\000aq\001]q\002(K\001J\377\377\377\377K\377M\000\001Jp\021\001\000\212"
     "\005\000\000\000\200\000\212\006\000\000\000\000\000\001\212\010\000\000\000\000\000\000\000@\212"
     "\010\377\377\377\377\377\377\377\177\212\010\000\000\000\000\000\000\000\200\212\011\000\000\000\000"
     "\000\000\000\000\001\212\015\000\000\000\300\025\022\213\271/c\323`\363K\000eX\001\000\000\000bq\003"
     "(\210\211NG\077\370\000\000\000\000\000\000X\011\000\000\000\303\251\012\134'\360\237\230\200q\004tq"
     "\005X\001\000\000\000tq\006()K\001\205q\007K\001K\002\206q\010K\001K\002K\003\207q\011(K\001K\002K"
     "\003K\004tq\012tq\013X\001\000\000\000sq\014]q\015X\001\000\000\000xq\016aX\001\000\000\000uq\017h"
     "\015X\001\000\000\000eq\020}q\021u.",
     238},
    {"\200\004\225\302\000\000\000\000\000\000\000}\224(\214\001a\224]\224(K\001J\377\377\377\377K\377M"
     "\000\001Jp\021\001\000\212\005\000\000\000\200\000\212\006\000\000\000\000\000\001\212\010\000\000"
     "\000\000\000\000\000@\212\010\377\377\377\377\377\377\377\177\212\010\000\000\000\000\000\000\000"
     "\200\212\011\000\000\000\000\000\000\000\000\001\212\015\000\000\000\300\025\022\213\271/c\323`\363K"
     "\000e\214\001b\224(\210\211NG\077\370\000\000\000\000\000\000\214\011\303\251\012\134'\360\237\230"
     "\200\224t\224\214\001t\224()K\001\205\224K\001K\002\206\224K\001K\002K\003\207\224(K\001K\002K\003K"
     "\004t\224t\224\214\001s\224]\224\214\001x\224a\214\001u\224h\015\214\001e\224}\224u.",
     205},
    {"\200\005\225\302\000\000\000\000\000\000\000}\224(\214\001a\224]\224(K\001J\377\377\377\377K\377M"
     "\000\001Jp\021\001\000\212\005\000\000\000\200\000\212\006\000\000\000\000\000\001\212\010\000\000"
     "\000\000\000\000\000@\212\010\377\377\377\377\377\377\377\177\212\010\000\000\000\000\000\000\000"
     "\200\212\011\000\000\000\000\000\000\000\000\001\212\015\000\000\000\300\025\022\213\271/c\323`\363K"
     "\000e\214\001b\224(\210\211NG\077\370\000\000\000\000\000\000\214\011\303\251\012\134'\360\237\230"
     "\200\224t\224\214\001t\224()K\001\205\224K\001K\002\206\224K\001K\002K\003\207\224(K\001K\002K\003K"
     "\004t\224t\224\214\001s\224]\224\214\001x\224a\214\001u\224h\015\214\001e\224}\224u.",
     205},
};

static const struct bytes snapshots[] = {
    {"ccopy_reg\012_reconstructor\012p0\012(ctracemalloc\012Snapshot\012p1\012c__builtin__\012object\012p2"
     "\012Ntp3\012Rp4\012(dp5\012Vtraces\012p6\012g0\012(ctracemalloc\012_Traces\012p7\012g2\012Ntp8\012Rp"
     "9\012(dp10\012V_traces\012p11\012((I0\012I10\012((Va.py\012p12\012I3\012tp13\012tp14\012I1\012tp15"
     "\012tp16\012sbsVtraceback_limit\012p17\012I1\012sb.",
     238},
    {"ccopy_reg\012_reconstructor\012q\000(ctracemalloc\012Snapshot\012q\001c__builtin__\012object\012q"
     "\002Ntq\003Rq\004}q\005(X\006\000\000\000tracesq\006h\000(ctracemalloc\012_Traces\012q\007h\002Ntq"
     "\010Rq\011}q\012X\007\000\000\000_tracesq\013((K\000K\012((X\004\000\000\000a.pyq\014K\003tq\015tq"
     "\016K\001tq\017tq\020sbX\017\000\000\000traceback_limitq\021K\001ub.",
     214},
    {"\200\002ctracemalloc\012Snapshot\012q\000)\201q\001}q\002(X\006\000\000\000tracesq\003ctracemalloc"
     "\012_Traces\012q\004)\201q\005}q\006X\007\000\000\000_tracesq\007(K\000K\012X\004\000\000\000a.pyq"
     "\010K\003\206q\011\205q\012K\001tq\013\205q\014sbX\017\000\000\000traceback_limitq\015K\001ub.",
     152},
    {"\200\003ctracemalloc\012Snapshot\012q\000)\201q\001}q\002(X\006\000\000\000tracesq\003ctracemalloc"
     "\012_Traces\012q\004)\201q\005}q\006X\007\000\000\000_tracesq\007(K\000K\012X\004\000\000\000a.pyq"
     "\010K\003\206q\011\205q\012K\001tq\013\205q\014sbX\017\000\000\000traceback_limitq\015K\001ub.",
     152},
    {"\200\004\225x\000\000\000\000\000\000\000\214\013tracemalloc\224\214\010Snapshot\224\223\224)\201"
     "\224}\224(\214\006traces\224h\000\214\007_Traces\224\223\224)\201\224}\224\214\007_traces\224(K\000K"
     "\012\214\004a.py\224K\003\206\224\205\224K\001t\224\205\224sb\214\017traceback_limit\224K\001ub.",
     131},
    {"\200\005\225x\000\000\000\000\000\000\000\214\013tracemalloc\224\214\010Snapshot\224\223\224)\201"
     "\224}\224(\214\006traces\224h\000\214\007_Traces\224\223\224)\201\224}\224\214\007_traces\224(K\000K"
     "\012\214\004a.py\224K\003\206\224\205\224K\001t\224\205\224sb\214\017traceback_limit\224K\001ub.",
     131},
};

/* clang-format on */

enum { PROTOCOLS = 6 };

static const char whole[] = "{'a' [1 -1 255 256 70000 2147483648 1099511627776 4611686018427387904 9223372036854775807 "
                            "-9223372036854775808 9223372036854775807 -9223372036854775808 0] "
                            "'b' (T F N 1.5 '\u00e9\n\\'\U0001F600') 't' (() (1) (1 2) (1 2 3) (1 2 3 4)) "
                            "'s' ['x'] 'u' same 'e' {}}";

static const char *const names[] = {"tracemalloc Snapshot", "tracemalloc _Traces", NULL};

/* What a test reads with; TEXT shows the value. */
struct reading {
    struct pr_source *src;
    struct pr_strings strings;
    struct pr_damage damage;
    struct pr_error err;
    struct pr_pickle p;
    pr_pickled seen[64];
    size_t seen_count;
    struct pr_buf text;
};

static void show(struct reading *r, pr_pickled value, unsigned depth);

static void show_items(struct reading *r, pr_pickled value, const char *brackets, unsigned depth)
{
    uint32_t count;
    for (size_t i = 0; i < r->seen_count; i++) {
        if (r->seen[i] == value) {
            pr_buf_text(&r->text, "same");
            return;
        }
    }
    if (r->seen_count < 64)
        r->seen[r->seen_count++] = value;
    const pr_pickled *items = pr_pickle_items(&r->p, value, &count);
    pr_buf_byte(&r->text, (unsigned char)brackets[0]);
    for (uint32_t i = 0; i < count && depth < 8; i++) {
        if (i)
            pr_buf_byte(&r->text, ' ');
        show(r, items[i], depth + 1);
    }
    pr_buf_byte(&r->text, (unsigned char)brackets[1]);
}

static void show(struct reading *r, pr_pickled value, unsigned depth)
{
    int64_t integer;
    double real;
    pr_str string;
    uint32_t number;
    switch (pr_pickle_kind(&r->p, value)) {
    case PR_PICKLE_ABSENT: pr_buf_text(&r->text, "absent"); return;
    case PR_PICKLE_NONE: pr_buf_text(&r->text, "N"); return;
    case PR_PICKLE_BOOL:
        assert_true(pr_pickle_integer(&r->p, value, &integer));
        pr_buf_text(&r->text, integer ? "T" : "F");
        return;
    case PR_PICKLE_INT:
        assert_true(pr_pickle_integer(&r->p, value, &integer));
        pr_buf_printf(&r->text, "%" PRId64, integer);
        return;
    case PR_PICKLE_FLOAT:
        assert_true(pr_pickle_real(&r->p, value, &real));
        pr_buf_printf(&r->text, "%g", real);
        return;
    case PR_PICKLE_STRING:
    case PR_PICKLE_BYTES:
        assert_true(pr_pickle_string(&r->p, value, &string));
        pr_buf_printf(&r->text, "'%s'", pr_strings_get(&r->strings, string).bytes);
        return;
    case PR_PICKLE_CLASS: pr_buf_printf(&r->text, "<%s>", pr_pickle_class(&r->p, value).bytes); return;
    case PR_PICKLE_HANDLE:
        assert_true(pr_pickle_is_handle(value, &number));
        pr_buf_printf(&r->text, "#%" PRIu32, number);
        return;
    case PR_PICKLE_TUPLE: show_items(r, value, "()", depth); return;
    case PR_PICKLE_LIST: show_items(r, value, "[]", depth); return;
    case PR_PICKLE_SET: show_items(r, value, "~~", depth); return;
    case PR_PICKLE_DICT: show_items(r, value, "{}", depth); return;
    case PR_PICKLE_OBJECT: show_items(r, value, "!!", depth); return;
    }
}

/* Reads LENGTH bytes. False: out of memory. Owned by the caller: forget. */
static bool take_in(struct reading *r, const struct pr_pickle_rules *rules, const char *bytes, size_t length)
{
    *r = (struct reading){0};
    if (pr_strings_init(&r->strings, &r->err) == PR_FAILED ||
        pr_source_open_memory("test", bytes, length, NULL, &r->src, &r->err) == PR_FAILED)
        return false;
    pr_pickle_begin(&r->p, r->src, &r->strings, rules, &r->damage, &r->err);
    const pr_pickled root = pr_pickle_read(&r->p);
    show(r, root, 0);
    return pr_pickle_status(&r->p) != PR_FAILED;
}

static void forget(struct reading *r)
{
    pr_pickle_end(&r->p);
    pr_source_close(r->src);
    pr_strings_clear(&r->strings);
    pr_buf_clear(&r->text);
}

static const struct pr_pickle_rules all_kept = {.classes = names};

static void assert_reads(const char *bytes, size_t length, const char *expected)
{
    struct reading r;
    assert_true(take_in(&r, &all_kept, bytes, length));
    if (pr_pickle_status(&r.p) != PR_OK)
        fail_msg("%s at %" PRIu64, r.err.text, r.err.offset);
    assert_string_equal(r.text.bytes, expected);
    forget(&r);
}

static void assert_refused(const char *bytes, size_t length, enum pr_error_code code, const char *why)
{
    struct reading r;
    assert_true(take_in(&r, &all_kept, bytes, length));
    assert_int_equal(pr_pickle_status(&r.p), PR_CUT);
    assert_int_equal(r.err.code, code);
    if (!strstr(r.err.text, why))
        fail_msg("'%s' has no '%s'", r.err.text, why);
    forget(&r);
}

#define READS(literal, expected) assert_reads(literal, sizeof literal - 1, expected)
#define REFUSED(literal, code, why) assert_refused(literal, sizeof literal - 1, code, why)

static void every_protocol_gives_the_same_data(void **state)
{
    (void)state;
    for (int i = 0; i < PROTOCOLS; i++)
        assert_reads(documents[i].bytes, documents[i].length, whole);
}

static void integers_beyond_64_bits_are_bounded_and_counted(void **state)
{
    (void)state;
    for (int i = 0; i < PROTOCOLS; i++) {
        struct reading r;
        assert_true(take_in(&r, &all_kept, documents[i].bytes, documents[i].length));
        assert_int_equal(r.damage.kind[PR_DAMAGE_BOUNDED].count, 2);
        forget(&r);
    }
}

static void an_object_is_its_class_and_its_state(void **state)
{
    (void)state;
    for (int i = 0; i < PROTOCOLS; i++) {
        struct reading r;
        assert_true(take_in(&r, &all_kept, snapshots[i].bytes, snapshots[i].length));
        assert_int_equal(pr_pickle_status(&r.p), PR_OK);
        assert_non_null(strstr(r.text.bytes, "!<tracemalloc Snapshot> "));
        assert_non_null(strstr(r.text.bytes, "'_traces' ((0 10 (('a.py' 3)) 1))"));
        forget(&r);
    }
}

static void what_is_not_data_is_refused(void **state)
{
    (void)state;
    REFUSED("cos\nsystem\n(S'id'\ntR.", PR_ERR_UNSUPPORTED, "'os system'");
    REFUSED("\200\4\214\2os\214\6system\223\214\2id\205R.", PR_ERR_UNSUPPORTED, "'os system'");
    REFUSED("(ios\nsystem\n.", PR_ERR_UNSUPPORTED, "'os system'");
    REFUSED("cbuiltins\neval\n.", PR_ERR_UNSUPPORTED, "'builtins eval'");
    REFUSED("Pid\n.", PR_ERR_UNSUPPORTED, "not in it");
    REFUSED("\202\1.", PR_ERR_UNSUPPORTED, "not in it");
    REFUSED("\200\6N.", PR_ERR_UNSUPPORTED, "protocol 6");
}

static void what_no_pickler_writes_is_damage(void **state)
{
    (void)state;
    REFUSED(".", PR_ERR_DAMAGED, "without a value");
    REFUSED("h\0.", PR_ERR_DAMAGED, "leads to no value");
    REFUSED("Nr\377\377\377\177.", PR_ERR_DAMAGED, "too high");
    REFUSED("t.", PR_ERR_DAMAGED, "mark is missing");
    REFUSED("(t\205\205\206.", PR_ERR_DAMAGED, "value is missing");
    REFUSED("(NNs.", PR_ERR_DAMAGED, "has none");
    REFUSED("}(Nu.", PR_ERR_DAMAGED, "no value");
    REFUSED("(Nd.", PR_ERR_DAMAGED, "no value");
    REFUSED("]NNb.", PR_ERR_DAMAGED, "not an object");
    REFUSED("NNR.", PR_ERR_DAMAGED, "no class");
    REFUSED("I12x\n.", PR_ERR_DAMAGED, "digits");
    REFUSED("Sx\n.", PR_ERR_DAMAGED, "quotes");
    REFUSED("\377.", PR_ERR_DAMAGED, "0xff");
    REFUSED("X\377\377\377\377x", PR_ERR_LIMIT, "");
    REFUSED("(N(](2", PR_ERR_DAMAGED, "value is missing"); /* nothing above the last mark is reached below it */
}

static void rare_opcodes_do_what_they_do_in_python(void **state)
{
    (void)state;
    READS("(NN1I5\n.", "5");
    READS("I5\n(0.", "5");
    READS("]2a.", "[same]");
    READS("]q\0h\0a.", "[same]");
    READS("S'a\\x41\\n\\q'\n.", "'aA\n\\q'");
    READS("S\"it's\"\n.", "'it's'");
    READS("V\\u00e9\\U0001f600\\u12\n.", "'\u00e9\U0001F600\\u12'");
    READS("\217(I1\nI2\n\220.", "~1 2~");
    READS("(I1\n\221.", "~1~");
    READS("C\2ab.", "'ab'");
    READS("\226\2\0\0\0\0\0\0\0ab.", "'ab'");
    READS("Fnan\n0F1e3\n.", "1000");
    READS("\213\2\0\0\0\377\177.", "32767");
    READS("\212\0.", "0");
    READS("\212\12\377\377\377\377\377\377\377\377\377\377.", "-1");
    READS("}(NI1\nX\1\0\0\0kI2\nu.", "{N 1 'k' 2}");
}

/* Takes [n, ...] lists of records as their first number, counts them, and keeps stacks: lists of strings. */
struct taker {
    struct pr_pickle *p;
    unsigned records;
    uint32_t stacks;
};

static pr_pickled take(void *context, pr_pickled container, pr_pickled value)
{
    struct taker *t = context;
    uint32_t count;
    const pr_pickled *items = pr_pickle_items(t->p, value, &count);
    if (pr_pickle_kind(t->p, value) == PR_PICKLE_LIST && count &&
        pr_pickle_kind(t->p, items[0]) == PR_PICKLE_STRING)
        return pr_pickle_handle(t->stacks++);
    if (pr_pickle_kind(t->p, value) == PR_PICKLE_DICT && container != PR_PICKLE_NOTHING) {
        t->records++;
        return PR_PICKLE_NOTHING;
    }
    return value;
}

static void what_is_taken_once_is_known_wherever_it_is_referred_to(void **state)
{
    (void)state;
    /* a list of records that share a stack: [{"s": L}, {"s": L}, {"s": M}, L] */
    static const char bytes[] = "]q\0}q\1X\1\0\0\0sq\2]q\3X\1\0\0\0fq\4asa}q\5h\2h\3sa}q\6h\2]q\7h\4asah\3a.";
    struct reading r = {0};
    struct taker t = {.p = &r.p};
    const struct pr_pickle_rules rules = {.take = take, .context = &t};
    assert_true(take_in(&r, &rules, bytes, sizeof bytes - 1));
    assert_int_equal(pr_pickle_status(&r.p), PR_OK);
    assert_int_equal(t.records, 3);
    assert_int_equal(t.stacks, 2);
    assert_string_equal(r.text.bytes, "[#0]");
    assert_true(r.p.object_count == 3); /* the places of records are used again */
    forget(&r);
}

/* A list, then COUNT records above one mark. */
static void add_list(struct pr_buf *bytes, unsigned count)
{
    pr_buf_text(bytes, "](");
    for (unsigned i = 0; i < count; i++)
        pr_buf_text(bytes, "}(I1\nI2\nu");
}

/* BYTES, which are cleared, and END. */
static void take_bytes(struct reading *r, struct taker *t, struct pr_buf *bytes, const char *end)
{
    const struct pr_pickle_rules rules = {.take = take, .context = t};
    pr_buf_text(bytes, end);
    assert_false(bytes->failed);
    assert_true(take_in(r, &rules, bytes->bytes, bytes->length));
    pr_buf_clear(bytes);
}

static void take_many(struct reading *r, struct taker *t, unsigned count, const char *end)
{
    struct pr_buf bytes = {0};
    add_list(&bytes, count);
    take_bytes(r, t, &bytes, end);
}

static void parts_that_a_list_gets_at_once_are_taken_before_its_end(void **state)
{
    enum { MANY = 200 * 1000, IN_MEMORY = 70 * 1000 };
    (void)state;
    struct reading r = {0};
    struct taker t = {.p = &r.p};
    take_many(&r, &t, MANY, "e.");
    assert_int_equal(pr_pickle_status(&r.p), PR_OK);
    assert_int_equal(t.records, MANY);
    assert_string_equal(r.text.bytes, "[]");
    assert_true(r.p.object_count < IN_MEMORY);
    forget(&r);
}

static void parts_that_were_taken_for_a_list_are_no_tuple(void **state)
{
    enum { MANY = 200 * 1000 };
    (void)state;
    struct reading r = {0};
    struct taker t = {.p = &r.p};
    take_many(&r, &t, MANY, "t.");
    assert_int_equal(pr_pickle_status(&r.p), PR_CUT);
    assert_int_equal(r.err.code, PR_ERR_LIMIT);
    forget(&r);
}

static void parts_of_a_list_in_another_list_do_not_hide_that(void **state)
{
    enum { MANY = 100 * 1000 };
    (void)state;
    struct reading r = {0};
    struct taker t = {.p = &r.p};
    struct pr_buf bytes = {0};
    add_list(&bytes, MANY);
    add_list(&bytes, MANY);
    take_bytes(&r, &t, &bytes, "et.");
    assert_int_equal(pr_pickle_status(&r.p), PR_CUT);
    assert_int_equal(r.err.code, PR_ERR_LIMIT);
    forget(&r);
}

static void a_cut_gives_everything_before_it(void **state)
{
    (void)state;
    for (int i = 0; i < PROTOCOLS; i++) {
        size_t most = 0;
        for (size_t length = 0; length < documents[i].length; length++) {
            struct reading r;
            if (!length)
                continue; /* an empty input is no source */
            assert_true(take_in(&r, &all_kept, documents[i].bytes, length));
            assert_int_equal(pr_pickle_status(&r.p), PR_CUT);
            assert_int_equal(r.err.code, PR_ERR_TRUNCATED);
            most = r.text.length > most ? r.text.length : most;
            if (length > documents[i].length - 2)
                assert_string_equal(r.text.bytes, whole);
            forget(&r);
        }
        assert_true(most == sizeof whole - 1);
    }
}

/* An input whose window has MORE bytes than were asked for. */
struct dripping {
    struct bytes all;
    size_t more;
};

static void drip(struct pr_source *src, size_t want)
{
    const struct dripping *dripping = src->state;
    const uint8_t *last = (const uint8_t *)dripping->all.bytes + dripping->all.length;
    const size_t left = (size_t)(last - src->at), shown = want + dripping->more;
    src->at_eof = shown >= left;
    const uint8_t *end = src->at_eof ? last : src->at + shown;
    src->end_offset += (uint64_t)(end - src->end);
    src->end = end;
}

static void assert_reads_dripping(struct bytes all, size_t more)
{
    static const struct pr_source_class class = {.fill = drip};
    struct dripping dripping = {all, more};
    const uint8_t *at = (const uint8_t *)all.bytes;
    struct pr_source src = {.at = at, .end = at, .name = "test", .class = &class, .state = &dripping};
    struct reading r = {0};
    assert_int_equal(pr_strings_init(&r.strings, &r.err), PR_OK);
    pr_pickle_begin(&r.p, &src, &r.strings, &all_kept, &r.damage, &r.err);
    show(&r, pr_pickle_read(&r.p), 0);
    assert_int_equal(pr_pickle_status(&r.p), PR_OK);
    assert_string_equal(r.text.bytes, whole);
    forget(&r);
}

static void windows_may_end_anywhere(void **state)
{
    (void)state;
    for (int i = 0; i < PROTOCOLS; i++)
        for (size_t more = 0; more < 40; more++)
            assert_reads_dripping(documents[i], more);
}

static void a_container_that_is_taken_as_its_own_part_is_gone(void **state)
{
    enum { MANY = 1000 };
    (void)state;
    struct reading r = {0};
    struct taker t = {.p = &r.p};
    struct pr_buf bytes = {0};
    pr_buf_text(&bytes, "}p0\n(I0\ng0\n");
    for (unsigned i = 0; i < MANY; i++)
        pr_buf_text(&bytes, "I1\nI2\n");
    take_bytes(&r, &t, &bytes, "u.");
    assert_int_equal(pr_pickle_status(&r.p), PR_OK);
    assert_int_equal(t.records, 1);
    assert_string_equal(r.text.bytes, "absent");
    forget(&r);
}

static void nesting_costs_no_stack(void **state)
{
    enum { DEEP = 1 << 20 };
    (void)state;
    char *bytes = malloc(2 * DEEP + 2);
    assert_non_null(bytes);
    memset(bytes, ']', DEEP);
    memset(bytes + DEEP, 'a', DEEP - 1);
    bytes[2 * DEEP - 1] = '.';
    struct reading r;
    assert_true(take_in(&r, &all_kept, bytes, 2 * DEEP));
    assert_int_equal(pr_pickle_status(&r.p), PR_OK);
    assert_int_equal(r.p.object_count, DEEP);
    forget(&r);
    free(bytes);
}

static void no_memory_is_an_error(void **state)
{
    (void)state;
    for (unsigned long n = 1;; n++) {
        struct reading r;
        alloc_fail_at(n);
        const bool read = take_in(&r, &all_kept, documents[5].bytes, documents[5].length);
        const bool failed = alloc_fail_stop();
        assert_true(failed ? !read || r.text.failed : read);
        forget(&r);
        if (!failed)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_protocol_gives_the_same_data),
        cmocka_unit_test(integers_beyond_64_bits_are_bounded_and_counted),
        cmocka_unit_test(an_object_is_its_class_and_its_state),
        cmocka_unit_test(what_is_not_data_is_refused),
        cmocka_unit_test(what_no_pickler_writes_is_damage),
        cmocka_unit_test(rare_opcodes_do_what_they_do_in_python),
        cmocka_unit_test(what_is_taken_once_is_known_wherever_it_is_referred_to),
        cmocka_unit_test(parts_that_a_list_gets_at_once_are_taken_before_its_end),
        cmocka_unit_test(parts_that_were_taken_for_a_list_are_no_tuple),
        cmocka_unit_test(parts_of_a_list_in_another_list_do_not_hide_that),
        cmocka_unit_test(a_cut_gives_everything_before_it),
        cmocka_unit_test(windows_may_end_anywhere),
        cmocka_unit_test(a_container_that_is_taken_as_its_own_part_is_gone),
        cmocka_unit_test(nesting_costs_no_stack),
        cmocka_unit_test(no_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
