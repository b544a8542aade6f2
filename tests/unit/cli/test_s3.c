/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses in object stores, and the hash that is sent along. tests/publish/s3.py sends for real. */
#include "tests/support/unit.h"

#include "cli/publish/s3_address.h"
#include "cli/publish/sha256.h"

#include <stdlib.h>
#include <string.h>

static void assert_url(const char *to, const char *endpoint, const char *name, const char *expected)
{
    struct pr_s3_address address;
    const char *why;
    char url[PR_S3_URL];
    assert_true(pr_s3_address(to, endpoint, "eu-west-1", &address, &why));
    assert_null(why);
    assert_true(pr_s3_url(&address, name, url));
    assert_string_equal(url, expected);
}

static void buckets_are_hosts_at_aws_and_folders_elsewhere(void **state)
{
    (void)state;
    assert_url("s3://reports", NULL, "index.html", "https://reports.s3.eu-west-1.amazonaws.com/index.html");
    assert_url("s3://reports/", NULL, "a/b", "https://reports.s3.eu-west-1.amazonaws.com/a/b");
    assert_url("s3://my.reports/x", NULL, "a", "https://s3.eu-west-1.amazonaws.com/my.reports/x/a");
    assert_url("s3://reports/x/y//", "http://127.0.0.1:9000/", "a", "http://127.0.0.1:9000/reports/x/y/a");
}

static void keys_are_encoded_once(void **state)
{
    (void)state;
    assert_url("s3://reports/a b", "http://h", "x:y+z=%41~\xc3\xbc.html",
               "http://h/reports/a%20b/x%3Ay%2Bz%3D%2541~%C3%BC.html");
}

static void what_is_no_address_is_refused(void **state)
{
    static const struct {
        const char *to, *endpoint, *region, *why;
    } wrong[] = {
        {"gs://reports", NULL, "r", "it does not begin with s3://"},
        {"s3://", NULL, "r", "that is no name of a bucket"},
        {"s3://ab", NULL, "r", "that is no name of a bucket"},
        {"s3://a b c/x", NULL, "r", "that is no name of a bucket"},
        {"s3://-abc", NULL, "r", "that is no name of a bucket"},
        {"s3://reports", NULL, "", "the region is not known: --region, or AWS_REGION"},
        {"s3://reports", NULL, "eu.evil.example/", "the region is not known: --region, or AWS_REGION"},
        {"s3://reports", "file:///etc", "r", "the endpoint must begin with https:// or http://"},
    };
    struct pr_s3_address address;
    const char *why;
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_false(pr_s3_address(wrong[i].to, wrong[i].endpoint, wrong[i].region, &address, &why));
        assert_string_equal(why, wrong[i].why);
    }
}

static void what_is_too_long_is_refused(void **state)
{
    struct pr_s3_address address;
    const char *why;
    char url[PR_S3_URL], *to = malloc(6000), *name = malloc(6000);
    (void)state;
    assert_non_null(to);
    assert_non_null(name);
    memset(name, 0xff, 5999); /* three bytes each when encoded */
    name[5999] = '\0';
    assert_true(pr_s3_address("s3://reports", NULL, "r", &address, &why));
    for (size_t length = 1300; length < 1400; length++)
        (void)pr_s3_url(&address, name + 5999 - length, url); /* the end of the buffer is in there somewhere */
    assert_false(pr_s3_url(&address, name, url));
    memcpy(to, "s3://reports/", 13);
    memset(to + 13, 'x', 5000);
    to[5013] = '\0';
    assert_false(pr_s3_address(to, NULL, "r", &address, &why));
    assert_string_equal(why, "it is too long");
    memcpy(to, "http://", 7);
    assert_false(pr_s3_address("s3://reports", to, "r", &address, &why));
    free(to);
    free(name);
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
        cmocka_unit_test(buckets_are_hosts_at_aws_and_folders_elsewhere),
        cmocka_unit_test(keys_are_encoded_once),
        cmocka_unit_test(what_is_no_address_is_refused),
        cmocka_unit_test(what_is_too_long_is_refused),
        cmocka_unit_test(hashes_are_those_of_the_standard),
    };
    return cmocka_run_group_tests_name("s3", tests, NULL, NULL);
}
