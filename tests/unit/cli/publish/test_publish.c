/* SPDX-License-Identifier: Apache-2.0 */
/* Names, keys and entries of a site. tests/publish/ has whole sites. */
#include "tests/support/unit.h"

#include "cli/publish/publish.h"
#include "capture/base/sha256.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void names_of_cards_are_plain(void **state)
{
    static const char *const good[] = {"cards/a.html", "cards/-x_Y.9.html", "cards/a.b.html"};
    static const char *const wrong[] = {"",           "cards/",          "cards/.html",     "cards/..html",
                                        "a.html",     "cards/a.htm",     "cards/a/b.html",  "cards//a.html",
                                        "../a.html",  "cards/../a.html", "cards/a..b.html", "/cards/a.html",
                                        "cards/.a.html", "cards/a .html", "cards/a\n.html", "xcards/a.html",
                                        "cards/\xc3\xa4.html", "https://x/cards/a.html"};
    char longest[NAME_MAX + 16] = "cards/";
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(pr_site_is_card(good[i]));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(pr_site_is_card(wrong[i]));
    memset(longest + 6, 'x', NAME_MAX);
    memcpy(longest + 6 + NAME_MAX - 5, ".html", 6);
    assert_true(pr_site_is_card(longest));
    memcpy(longest + 6 + NAME_MAX - 4, ".html", 6);
    assert_false(pr_site_is_card(longest));
}

static void two_sources_never_share_a_card(void **state)
{
    struct pr_publish_item items[] = {{.card = "cards/b.html"}, {.card = "cards/a.html"}, {.card = "cards/b.html"},
                                      {.card = "cards/c.html"}, {.card = "cards/b.html"}};
    struct pr_publish_items all = {.items = items, .count = 5};
    size_t sharing = 0;
    (void)state;
    assert_true(pr_publish_tell_cards_apart(&all));
    for (size_t i = 0; i < 5; i++)
        sharing += items[i].shares_card;
    assert_int_equal(sharing, 2);
    assert_false(items[1].shares_card || items[3].shares_card);
}

/* A file of the site, a link to it and a folder: only the first may be sent. */
static void only_regular_files_are_staged(void **state)
{
    char path[] = "/tmp/test_publish-XXXXXX", name[PATH_MAX];
    struct pr_site site;
    (void)state;
    assert_non_null(mkdtemp(path));
    assert_int_equal(pr_site_open(&site, path), 0);
    assert_int_equal(pr_site_write(&site, "cards/a.html", "x", 1), 0);
    assert_int_equal(symlinkat("a.html", site.cards_fd, "link.html"), 0);
    assert_int_equal(mkdirat(site.cards_fd, "folder.html", 0700), 0);
    assert_int_equal(pr_site_open_stage(&site), 0);
    assert_int_equal(pr_site_stage(&site, "cards/a.html"), PR_SITE_FOUND);
    static const char *const others[] = {"cards/link.html", "cards/folder.html", "cards/absent.html", "runs.json"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_int_equal(pr_site_stage(&site, others[i]), PR_SITE_UNREADABLE);
    snprintf(name, sizeof name, "%s/" PR_SITE_STAGE "/cards/link.html", path);
    assert_int_not_equal(faccessat(AT_FDCWD, name, F_OK, AT_SYMLINK_NOFOLLOW), 0);
    pr_site_remove_stage(&site);
    assert_int_not_equal(faccessat(site.folder_fd, PR_SITE_STAGE, F_OK, AT_SYMLINK_NOFOLLOW), 0);
    unlinkat(site.cards_fd, "a.html", 0);
    unlinkat(site.cards_fd, "link.html", 0);
    unlinkat(site.cards_fd, "folder.html", AT_REMOVEDIR);
    unlinkat(site.folder_fd, "cards", AT_REMOVEDIR);
    pr_site_close(&site);
    assert_int_equal(rmdir(path), 0);
}

static json_t *entry_of(const char *text, const char **why)
{
    json_t *raw = json_loads(text, JSON_ALLOW_NUL, NULL);
    assert_non_null(raw);
    json_t *entry = pr_publish_entry(raw, why);
    json_decref(raw);
    return entry;
}

static void numbers_stay_within_what_they_count(void **state)
{
    const char *why;
    json_t *entry = entry_of("{\"card\":\"cards/a.html\",\"status\":\"ok\",\"name\":\"n\",\"source\":\"s\","
                             "\"start_ms\":253402300799999,\"end_ms\":253402300800000,\"cpu_ns\":9223372036854775807,"
                             "\"peak_heap_bytes\":-9223372036854775808,\"peak_rss_bytes\":0}", &why);
    (void)state;
    assert_non_null(entry);
    const struct pr_index_run row = pr_publish_row(entry);
    assert_true(row.start_ms.known && row.cpu_ns.known && row.rss_bytes.known);
    assert_false(row.end_ms.known || row.heap_bytes.known);
    assert_string_equal(row.card, "cards/a.html");
    json_decref(entry);
}

static void of_other_files_only_card_and_key_are_kept(void **state)
{
    const char *why;
    json_t *entry = entry_of("{\"card\":\"cards/a.html\",\"ignored\":true,\"key\":\"0123456789abcdef\","
                             "\"name\":\"x\",\"source\":5}", &why);
    (void)state;
    assert_non_null(entry);
    assert_int_equal(json_object_size(entry), 3);
    assert_false(pr_publish_has_card(entry));
    json_decref(entry);
    assert_null(entry_of("{\"card\":\"cards/a.html\\u0000\",\"ignored\":true}", &why));
    assert_non_null(why);
}

static void statuses_and_their_words_agree(void **state)
{
    (void)state;
    for (int status = PR_RUN_RECORDED; status <= PR_RUN_UNREADABLE; status++) {
        json_t *entry = json_pack("{s:s}", "status", pr_publish_status_word((enum pr_run_status)status));
        assert_int_equal(pr_publish_status(entry), status);
        assert_int_equal(pr_publish_has_card(entry), status != PR_RUN_UNREADABLE);
        json_decref(entry);
    }
}

/* FIPS 180-4 and its examples; lengths around the end of a block. */
static void hashes_are_those_of_the_standard(void **state)
{
    static const struct {
        size_t length; /* of letters "a" */
        const char *hex;
    } known[] = {
        {0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {1, "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"},
        {55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
        {56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"},
        {63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"},
        {64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
        {65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0"},
        {1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
    };
    char hex[PR_SHA256_HEX], *letters = malloc(1000000);
    (void)state;
    assert_non_null(letters);
    memset(letters, 'a', 1000000);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        pr_sha256(letters, known[i].length, hex);
        assert_string_equal(hex, known[i].hex);
    }
    pr_sha256("abc", 3, hex);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    free(letters);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_cards_are_plain),
        cmocka_unit_test(two_sources_never_share_a_card),
        cmocka_unit_test(only_regular_files_are_staged),
        cmocka_unit_test(numbers_stay_within_what_they_count),
        cmocka_unit_test(of_other_files_only_card_and_key_are_kept),
        cmocka_unit_test(statuses_and_their_words_agree),
        cmocka_unit_test(hashes_are_those_of_the_standard),
    };
    return cmocka_run_group_tests_name("publish", tests, NULL, NULL);
}
