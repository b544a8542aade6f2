/* SPDX-License-Identifier: Apache-2.0 */
/* LZ4 frames: all options of the header, and blocks that are cut, damaged or malicious. */
#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "capture/input/source.h"
#include "tests/support/packing.h"
#include "tests/support/unit.h"

enum { KIB = 1024, FLG_LINKED = 0x40, FLG_INDEPENDENT = 0x60, BD_64_KIB = 0x40 };

static void every_choice_of_a_frame_unpacks(void **state)
{
    (void)state;
    struct bytes content = make_content(9000 * KIB);
    for (int choices = 0; choices < 16 * 4; choices++) {
        const struct lz4_choice choice = {.independent = choices & 1,
                                          .block_checksum = choices & 2,
                                          .content_checksum = choices & 4,
                                          .content_size = choices & 8,
                                          .block_size_id = 4 + choices / 16};
        struct bytes packed = pack_lz4_as(content, choice);
        struct pr_source *src = open_by(VIA_MEMORY, packed);
        assert_int_equal(drain(src, content), content.length);
        assert_int_equal(src->error.code, PR_ERR_NONE);
        close_by(VIA_MEMORY, src);
        bytes_free(&packed);
    }
    bytes_free(&content);
}

/* 60 KiB of noise repeated: every block consists of matches that reach into the previous one. */
static void linked_blocks_reach_back_while_the_window_moves(void **state)
{
    (void)state;
    struct bytes content = make_content(60 * KIB);
    for (size_t i = 0; i < content.length; i++)
        content.at[i] = (uint8_t)(XXH32(&i, sizeof i, 0));
    struct bytes all = {0};
    for (int i = 0; i < 50; i++)
        bytes_append(&all, content.at, content.length);
    struct bytes packed = pack_lz4_as(all, (struct lz4_choice){.block_size_id = 4, .level = 9});
    assert_true(packed.length < 100 * KIB);
    for (size_t step = 1; step < 300 * KIB; step = step * 3 + 1) {
        struct pr_source *src = open_by(VIA_MEMORY, packed);
        for (size_t at = 0; pr_source_need(src, step); at += step) {
            assert_memory_equal(src->at, all.at + at, step);
            pr_source_skip(src, step);
        }
        assert_int_equal(src->end_offset, all.length);
        close_by(VIA_MEMORY, src);
    }
    bytes_free(&packed);
    bytes_free(&all);
    bytes_free(&content);
}

static void put_le32(struct bytes *bytes, uint32_t value)
{
    const uint8_t le[] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24)};
    bytes_append(bytes, le, sizeof le);
}

/* A frame's header with MORE, its optional fields, and the checksum it must have. */
static struct bytes frame_header(uint8_t flg, uint8_t bd, const void *more, size_t more_length)
{
    struct bytes frame = bytes_of("\x04\x22\x4D\x18", 4);
    bytes_append(&frame, &flg, 1);
    bytes_append(&frame, &bd, 1);
    bytes_append(&frame, more, more_length);
    const uint8_t checksum = (uint8_t)(XXH32(frame.at + 4, frame.length - 4, 0) >> 8);
    bytes_append(&frame, &checksum, 1);
    return frame;
}

static void assert_header_refused(struct bytes frame, enum pr_error_code code, const char *text)
{
    struct pr_source *src;
    struct pr_error err = {0};
    char sentence[200];
    bytes_append(&frame, "\0\0\0\0", 4);
    snprintf(sentence, sizeof sentence, "the LZ4 frame header at byte 0 of the input %s", text);
    assert_int_equal(pr_source_open_memory("test", frame.at, frame.length, NULL, &src, &err), PR_FAILED);
    assert_int_equal(err.code, code);
    assert_string_equal(err.text, sentence);
    bytes_free(&frame);
}

static void headers_that_cannot_be_read_are_refused(void **state)
{
    (void)state;
    const char *unknown = "has options that this build does not know";
    assert_header_refused(frame_header(0x80, BD_64_KIB, NULL, 0), PR_ERR_UNSUPPORTED,
                          "has version 2, this build reads version 1");
    assert_header_refused(frame_header(FLG_LINKED | 0x02, BD_64_KIB, NULL, 0), PR_ERR_UNSUPPORTED, unknown);
    assert_header_refused(frame_header(FLG_LINKED, BD_64_KIB | 0x80, NULL, 0), PR_ERR_UNSUPPORTED, unknown);
    assert_header_refused(frame_header(FLG_LINKED, BD_64_KIB | 0x01, NULL, 0), PR_ERR_UNSUPPORTED, unknown);
    assert_header_refused(frame_header(FLG_LINKED, 0x30, NULL, 0), PR_ERR_UNSUPPORTED, unknown);
    assert_header_refused(frame_header(FLG_LINKED | 0x01, BD_64_KIB, "\x07\0\0\0", 4), PR_ERR_UNSUPPORTED,
                          "asks for dictionary 7, which is not in the file");
    struct bytes frame = frame_header(FLG_LINKED, BD_64_KIB, NULL, 0);
    frame.at[6] ^= 1;
    assert_header_refused(frame, PR_ERR_DAMAGED, "does not match its checksum");
}

static void the_legacy_format_is_named(void **state)
{
    (void)state;
    struct pr_source *src;
    struct pr_error err = {0};
    assert_int_equal(pr_source_open_memory("test", "\x02\x21\x4C\x18\1\0\0\0\0", 9, NULL, &src, &err), PR_FAILED);
    assert_int_equal(err.code, PR_ERR_UNSUPPORTED);
    assert_string_equal(err.text,
                        "the LZ4 frame at byte 0 of the input has the legacy format; unpack it with lz4 -d first");
}

#define STORED 0x80000000u
#define BLOCK(packed) packed, sizeof packed - 1

static void put_block(struct bytes *frame, uint32_t flag, const void *packed, size_t length)
{
    put_le32(frame, (uint32_t)length | flag);
    bytes_append(frame, packed, length);
}

/* TEXT comes out of FRAME, then this end; frees FRAME. */
static void assert_frame(struct bytes frame, const char *text, enum pr_error_code code, const char *sentence)
{
    struct bytes content = bytes_of(text, strlen(text));
    struct pr_source *src = open_by(VIA_MEMORY, frame);
    assert_int_equal(drain(src, content), content.length);
    assert_int_equal(src->error.code, code);
    assert_string_equal(src->error.text, sentence);
    if (code != PR_ERR_NONE)
        assert_int_equal(src->error.offset, content.length);
    close_by(VIA_MEMORY, src);
    bytes_free(&content);
    bytes_free(&frame);
}

/* A frame that begins with a stored block, "first\n", and goes on at byte 17. */
static struct bytes begin_frame(uint8_t flg)
{
    struct bytes frame = frame_header(flg, BD_64_KIB, NULL, 0);
    put_block(&frame, STORED, BLOCK("first\n"));
    return frame;
}

static void assert_good_block(const char *packed, size_t length, const char *text)
{
    struct bytes frame = begin_frame(FLG_LINKED);
    put_block(&frame, 0, packed, length);
    put_block(&frame, STORED, BLOCK(".\n"));
    put_le32(&frame, 0);
    assert_frame(frame, text, PR_ERR_NONE, "");
}

static void assert_damaged_block(const char *packed, size_t length, const char *text)
{
    struct bytes frame = begin_frame(FLG_LINKED);
    put_block(&frame, 0, packed, length);
    put_block(&frame, STORED, BLOCK("not reached\n"));
    put_le32(&frame, 0);
    assert_frame(frame, text, PR_ERR_DAMAGED, "the LZ4 block at byte 17 of the input is damaged");
}

static void blocks_made_by_hand_are_read_as_the_format_says(void **state)
{
    (void)state;
    assert_good_block(BLOCK("\x40" "abcd"), "first\nabcd.\n");
    assert_good_block(BLOCK("\xF0\x01" "abcdefghijklmnop"), "first\nabcdefghijklmnop.\n");
    assert_good_block(BLOCK("\x10-\x07\x00\x50vwxyz"), "first\n-firsvwxyz.\n"); /* a match in the block before */
    assert_good_block(BLOCK("\x14-\x01\x00\x50vwxyz"), "first\n---------vwxyz.\n"); /* a match with itself */
    assert_good_block(BLOCK("\x00"), "first\n.\n");
}

static void a_damaged_block_gives_the_sequences_before_the_damage(void **state)
{
    (void)state;
    assert_damaged_block(BLOCK("\x40" "abcd" "\x0B\x00\x50vwxyz"), "first\nabcd"); /* out of what is before `first` */
    assert_damaged_block(BLOCK("\xF0\x20" "abc"), "first\nabc"); /* fewer literals than announced */
    assert_damaged_block(BLOCK("\xF0\xFF\xFF"), "first\n");
    assert_damaged_block(BLOCK("\x40" "abcd\x01"), "first\nabcd"); /* half a distance */
    assert_damaged_block(BLOCK("\x4F" "abcd\x01\x00\xFF"), "first\nabcd"); /* half a length */
    assert_damaged_block(BLOCK("\x40" "abcd\x04\x00"), "first\nabcdabcd"); /* no literals at its end */
}

static void a_match_that_swells_over_the_size_of_blocks_is_damage(void **state)
{
    (void)state;
    struct bytes block = bytes_of("\x4F" "abcd\x01\x00", 7);
    for (int i = 0; i < 300; i++)
        bytes_append(&block, "\xFF", 1);
    bytes_append(&block, "\x00\x50vwxyz", 7);
    assert_damaged_block((const char *)block.at, block.length, "first\nabcd");
    bytes_free(&block);
}

static void literals_that_swell_over_the_size_of_blocks_are_damage(void **state)
{
    (void)state;
    char text[6 + 65531 + 1] = "first\n";
    memset(text + 6, '-', 65531);
    struct bytes block = bytes_of("\x1F-\x01\x00", 4); /* a literal, and 65530 bytes by a match: 5 are left */
    for (int i = 0; i < 256; i++)
        bytes_append(&block, "\xFF", 1);
    bytes_append(&block, "\xE7\x60uvwxyz", 8);
    assert_damaged_block((const char *)block.at, block.length, text);
    bytes_free(&block);
}

static void a_cut_block_gives_whole_matches_and_all_literals(void **state)
{
    (void)state;
    static const char block[] = "\x14-\x01\x00\x50vwxyz";
    static const char *const texts[] = {
        "first\n",          "first\n",          "first\n-",          "first\n-",           "first\n---------",
        "first\n---------", "first\n---------v", "first\n---------vw", "first\n---------vwx", "first\n---------vwxy",
    };
    for (size_t there = 0; there < sizeof texts / sizeof *texts; there++) {
        struct bytes frame = begin_frame(FLG_LINKED);
        put_le32(&frame, sizeof block - 1);
        bytes_append(&frame, block, there);
        assert_frame(frame, texts[there], PR_ERR_TRUNCATED, "the LZ4 block at byte 17 of the input is cut short");
    }
}

/* liblz4 lets it pass in a block that is whole. */
static void a_match_at_distance_0_ends_a_cut_block(void **state)
{
    (void)state;
    struct bytes frame = begin_frame(FLG_LINKED);
    put_le32(&frame, 100);
    bytes_append(&frame, BLOCK("\x40" "abcd\x00\x00\x50vwxyz"));
    assert_frame(frame, "first\nabcd", PR_ERR_TRUNCATED, "the LZ4 block at byte 17 of the input is cut short");
}

static void a_cut_stored_block_gives_what_there_is(void **state)
{
    (void)state;
    struct bytes frame = begin_frame(FLG_LINKED);
    put_le32(&frame, 6 | STORED);
    bytes_append(&frame, "seco", 4);
    assert_frame(frame, "first\nseco", PR_ERR_TRUNCATED, "the LZ4 block at byte 17 of the input is cut short");
}

static void a_large_block_gives_its_share_up_to_the_cut(void **state)
{
    (void)state;
    struct bytes content = make_content(4096 * KIB);
    for (int block_size_id = 4; block_size_id <= 7; block_size_id++) {
        const size_t length = (size_t)(16 * KIB) << 2 * (block_size_id - 3);
        struct bytes part = {content.at, length};
        struct bytes packed = pack_lz4_as(part, (struct lz4_choice){.block_size_id = block_size_id});
        packed.length /= 2;
        struct pr_source *src = open_by(VIA_MEMORY, packed);
        assert_true(drain(src, part) > length / 3);
        assert_int_equal(src->error.code, PR_ERR_TRUNCATED);
        close_by(VIA_MEMORY, src);
        bytes_free(&packed);
    }
    bytes_free(&content);
}

static void blocks_larger_than_the_frame_allows_are_damage(void **state)
{
    (void)state;
    struct bytes frame = begin_frame(FLG_LINKED);
    put_le32(&frame, 65537 | STORED);
    assert_frame(frame, "first\n", PR_ERR_DAMAGED,
                 "the LZ4 block at byte 17 of the input has 65537 bytes, more than the 65536 of its frame");
    frame = begin_frame(FLG_LINKED);
    put_le32(&frame, 0x7FFFFFFF);
    assert_frame(frame, "first\n", PR_ERR_DAMAGED,
                 "the LZ4 block at byte 17 of the input has 2147483647 bytes, more than the 65536 of its frame");
}

static void an_empty_stored_block_is_not_the_end(void **state)
{
    (void)state;
    struct bytes frame = begin_frame(FLG_LINKED);
    put_le32(&frame, STORED);
    put_block(&frame, STORED, BLOCK("last"));
    put_le32(&frame, 0);
    assert_frame(frame, "first\nlast", PR_ERR_NONE, "");
}

static void matches_reach_no_further_than_they_may(void **state)
{
    (void)state;
    struct bytes independent = begin_frame(FLG_INDEPENDENT);
    put_block(&independent, 0, BLOCK("\x10-\x07\x00\x50vwxyz"));
    assert_frame(independent, "first\n-", PR_ERR_DAMAGED, "the LZ4 block at byte 17 of the input is damaged");

    struct bytes second = begin_frame(FLG_LINKED), next = frame_header(FLG_LINKED, BD_64_KIB, NULL, 0);
    put_le32(&second, 0);
    bytes_append(&second, next.at, next.length);
    put_block(&second, 0, BLOCK("\x10-\x07\x00\x50vwxyz"));
    assert_frame(second, "first\n-", PR_ERR_DAMAGED, "the LZ4 block at byte 28 of the input is damaged");
    bytes_free(&next);
}

static void a_damaged_later_header_keeps_the_frames_before(void **state)
{
    (void)state;
    struct bytes frame = begin_frame(FLG_LINKED);
    put_le32(&frame, 0);
    bytes_append(&frame, "\x04\x22\x4D\x18\x60\x40\x00", 7);
    assert_frame(frame, "first\n", PR_ERR_DAMAGED,
                 "the LZ4 frame header at byte 21 of the input does not match its checksum");
}

static void a_size_that_was_promised_is_checked(void **state)
{
    (void)state;
    struct bytes frame = frame_header(FLG_LINKED | 0x08, BD_64_KIB, "\x07\0\0\0\0\0\0\0", 8);
    put_block(&frame, STORED, BLOCK("first\n"));
    put_le32(&frame, 0);
    assert_frame(frame, "first\n", PR_ERR_DAMAGED,
                 "the end of an LZ4 frame at byte 29 of the input comes after 6 bytes of content, its header promised "
                 "7");
}

static void checksums_are_checked(void **state)
{
    (void)state;
    struct bytes content = make_content(200 * KIB);
    struct bytes packed = pack_lz4_as(content, (struct lz4_choice){.block_size_id = 4, .content_checksum = true});
    packed.at[packed.length - 1] ^= 1;
    struct pr_source *src = open_by(VIA_MEMORY, packed);
    assert_int_equal(drain(src, content), content.length);
    assert_int_equal(src->error.code, PR_ERR_DAMAGED);
    assert_non_null(strstr(src->error.text, "the checksum of an LZ4 frame at byte "));
    close_by(VIA_MEMORY, src);
    bytes_free(&packed);

    packed = pack_lz4_as(content, (struct lz4_choice){.block_size_id = 4, .block_checksum = true});
    packed.at[packed.length - 5] ^= 1; /* the last block's */
    src = open_by(VIA_MEMORY, packed);
    assert_int_equal(drain(src, content), 192 * KIB);
    assert_int_equal(src->error.code, PR_ERR_DAMAGED);
    assert_non_null(strstr(src->error.text, "does not match its checksum"));
    close_by(VIA_MEMORY, src);
    bytes_free(&packed);
    bytes_free(&content);
}

/* With all that a frame may have; memray's plain frames are cut in test_source_packing. */
static void a_cut_anywhere_gives_what_came_before_it(void **state)
{
    (void)state;
    struct bytes content = make_content(150 * KIB);
    struct bytes packed = pack_lz4_as(content, (struct lz4_choice){.block_size_id = 4,
                                                                   .independent = true,
                                                                   .block_checksum = true,
                                                                   .content_checksum = true,
                                                                   .content_size = true});
    size_t before = 0;
    for (size_t cut = 4; cut < packed.length; cut += cut < 20 || cut + 103 > packed.length ? 1 : 83) {
        struct bytes part = bytes_of(packed.at, cut);
        struct pr_source *src;
        struct pr_error err = {0};
        if (pr_source_open_memory("test", part.at, part.length, NULL, &src, &err) == PR_OK) {
            const size_t came = drain(src, content);
            assert_true(came >= before);
            before = came;
            err = src->error;
        }
        assert_int_equal(err.code, PR_ERR_TRUNCATED);
        pr_source_close(src);
        bytes_free(&part);
    }
    assert_int_equal(before, content.length);
    bytes_free(&packed);
    bytes_free(&content);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_choice_of_a_frame_unpacks),
        cmocka_unit_test(linked_blocks_reach_back_while_the_window_moves),
        cmocka_unit_test(headers_that_cannot_be_read_are_refused),
        cmocka_unit_test(the_legacy_format_is_named),
        cmocka_unit_test(blocks_made_by_hand_are_read_as_the_format_says),
        cmocka_unit_test(a_damaged_block_gives_the_sequences_before_the_damage),
        cmocka_unit_test(a_match_that_swells_over_the_size_of_blocks_is_damage),
        cmocka_unit_test(literals_that_swell_over_the_size_of_blocks_are_damage),
        cmocka_unit_test(a_cut_block_gives_whole_matches_and_all_literals),
        cmocka_unit_test(a_match_at_distance_0_ends_a_cut_block),
        cmocka_unit_test(a_cut_stored_block_gives_what_there_is),
        cmocka_unit_test(a_large_block_gives_its_share_up_to_the_cut),
        cmocka_unit_test(blocks_larger_than_the_frame_allows_are_damage),
        cmocka_unit_test(an_empty_stored_block_is_not_the_end),
        cmocka_unit_test(matches_reach_no_further_than_they_may),
        cmocka_unit_test(a_damaged_later_header_keeps_the_frames_before),
        cmocka_unit_test(a_size_that_was_promised_is_checked),
        cmocka_unit_test(checksums_are_checked),
        cmocka_unit_test(a_cut_anywhere_gives_what_came_before_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
