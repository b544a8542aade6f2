/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/unit.h"

#include "capture/base/sha256.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* FIPS 180-4, examples of NIST: lengths around the ends of blocks. */
static void hashes_are_those_of_the_standard(void **state)
{
    char hex[PR_SHA256_HEX];
    (void)state;
    pr_sha256("abc", 3, hex);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    pr_sha256(NULL, 0, hex);
    assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    pr_sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56, hex);
    assert_string_equal(hex, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

/* RFC 4231, test cases 1 and 2: their keys, shorter than a hash, are padded with zeros as longer keys would not be. */
static void codes_are_those_of_the_rfc(void **state)
{
    static const struct {
        const char *key, *text, *code;
    } cases[] = {
        {"\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b", "Hi There",
         "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
        {"Jefe", "what do ya want for nothing?",
         "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned char key[PR_SHA256_SIZE] = {0}, code[PR_SHA256_SIZE];
        char hex[PR_SHA256_HEX];
        memcpy(key, cases[i].key, strlen(cases[i].key));
        pr_hmac_sha256(key, cases[i].text, strlen(cases[i].text), code);
        for (size_t k = 0; k < sizeof code; k++)
            snprintf(hex + 2 * k, 3, "%02x", code[k]);
        assert_string_equal(hex, cases[i].code);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(hashes_are_those_of_the_standard),
                                       cmocka_unit_test(codes_are_those_of_the_rfc)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
