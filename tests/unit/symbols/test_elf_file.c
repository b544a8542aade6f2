/* SPDX-License-Identifier: Apache-2.0 */
/* Files of code: which are opened, and what they contain about addresses. The program itself is the good one. */
#include "tests/support/unit.h"

#include "capture/symbols/elf_file.h"
#include "tests/support/self_code.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct pr_elf_loaded recorded(const struct self_code *self)
{
    _Static_assert(sizeof(struct capture_segment) == sizeof(struct pr_elf_segment), "the same two numbers");
    return (struct pr_elf_loaded){0, (const char *)self->segments, (uint32_t)self->count};
}

static struct pr_elf *open_recorded(const char *path, const struct pr_elf_loaded *file, enum pr_elf_trouble *trouble)
{
    return pr_elf_open(path, &(struct pr_elf_origin){.recorded = file}, false, trouble);
}

static void refuses(const char *path, enum pr_elf_trouble wanted)
{
    const struct self_code self = self_code();
    const struct pr_elf_loaded file = recorded(&self);
    enum pr_elf_trouble trouble;
    assert_null(open_recorded(path, &file, &trouble));
    assert_int_equal(trouble, wanted);
}

static void an_address_has_its_functions(void **state)
{
    (void)state;
    const struct self_code self = self_code();
    const struct pr_elf_loaded file = recorded(&self);
    enum pr_elf_trouble trouble;
    struct pr_elf_frame frames[PR_ELF_FRAMES];
    struct pr_elf *elf = open_recorded(self.path, &file, &trouble);
    assert_non_null(elf);
    assert_int_equal(trouble, PR_ELF_GOOD);
    int count = pr_elf_frames(elf, self.return_address - 1 - self.bias, frames);
    assert_string_equal(frames[count - 1].function, "self_outer");
    if (count > 1) { /* else compiled without debug information */
        assert_int_equal(count, 2);
        assert_string_equal(frames[0].function, "self_inlined");
        assert_int_equal(frames[0].line, self.inlined_line);
        assert_int_equal(frames[1].line, self.outer_line);
        assert_non_null(strstr(frames[0].file, "tests/support/self_code.c"));
        assert_non_null(strstr(frames[1].file, "tests/support/self_code.c"));
    }
    const uint64_t nothing[] = {0, 1, UINT64_MAX, self.segments[self.count - 1].address};
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++)
        assert_int_equal(pr_elf_frames(elf, nothing[i], frames), 0);
    pr_elf_close(elf);
}

static void another_build_is_recognised_by_its_segments(void **state)
{
    (void)state;
    struct self_code self = self_code();
    struct pr_elf_loaded file = recorded(&self);
    enum pr_elf_trouble trouble;
    file.segment_count--;
    assert_null(open_recorded(self.path, &file, &trouble));
    assert_int_equal(trouble, PR_ELF_OTHER_BUILD);
    file.segment_count++;
    self.segments[0].address += 4096;
    assert_null(open_recorded(self.path, &file, &trouble));
    assert_int_equal(trouble, PR_ELF_OTHER_BUILD);
    self.segments[0].address -= 4096;
    self.segments[self.count] = (struct capture_segment){1 << 30, 10};
    file.segment_count++;
    assert_null(open_recorded(self.path, &file, &trouble));
    assert_int_equal(trouble, PR_ELF_OTHER_BUILD);
}

/* A mapping of the program's code, or of SPARE bytes more, with BUILD_ID. */
static struct pr_elf *open_mapped(const struct self_code *self, uint64_t spare, const char *build_id,
                                  enum pr_elf_trouble *trouble)
{
    const struct pr_elf_mapping mapping = {
        self->code_offset, self->code_size + spare, {build_id, (uint32_t)strlen(build_id)}};
    return pr_elf_open(self->path, &(struct pr_elf_origin){.mapping = &mapping}, false, trouble);
}

static void a_mapping_is_code_of_the_file(void **state)
{
    (void)state;
    const struct self_code self = self_code();
    enum pr_elf_trouble trouble;
    uint64_t address;
    struct pr_elf *elf = open_mapped(&self, 0, "", &trouble);
    assert_non_null(elf);
    assert_true(pr_elf_address(elf, self.return_address - self.code_start + self.code_offset, &address));
    assert_int_equal(address, self.return_address - self.bias);
    assert_false(pr_elf_address(elf, self.code_offset + self.code_size, &address));
    assert_false(pr_elf_address(elf, UINT64_MAX, &address));
    pr_elf_close(elf);
}

static void another_build_is_recognised_by_its_mapping_or_build_id(void **state)
{
    (void)state;
    const struct self_code self = self_code();
    static const char *const build_ids[] = {"0123456789abcdef0123456789abcdef01234567", "x", "é"};
    enum pr_elf_trouble trouble;
    assert_null(open_mapped(&self, 4096, "", &trouble));
    assert_int_equal(trouble, PR_ELF_OTHER_BUILD);
    for (size_t i = 0; i < sizeof build_ids / sizeof *build_ids; i++) {
        assert_null(open_mapped(&self, 0, build_ids[i], &trouble));
        assert_int_equal(trouble, PR_ELF_OTHER_BUILD);
    }
}

static void only_regular_files_are_opened(void **state)
{
    (void)state;
    char folder[] = "/tmp/profrender-elf-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    refuses(folder, PR_ELF_ABSENT);
    snprintf(path, sizeof path, "%s/fifo", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    refuses(path, PR_ELF_ABSENT); /* and does not wait for a writer */
    unlink(path);
    assert_int_equal(symlink("/dev/zero", path), 0);
    refuses(path, PR_ELF_ABSENT);
    unlink(path);
    rmdir(folder);
    refuses("/dev/zero", PR_ELF_ABSENT);
    refuses("/nowhere/at/all.so", PR_ELF_ABSENT);
    refuses("", PR_ELF_ABSENT);
}

static void relative_paths_mean_nothing_here(void **state)
{
    (void)state;
    char *folder = getcwd(NULL, 0);
    assert_int_equal(chdir("/proc/self"), 0);
    refuses("exe", PR_ELF_ABSENT);
    assert_int_equal(chdir(folder), 0);
    free(folder);
}

static void write_file(const char *path, const void *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static void files_without_code_are_refused(void **state)
{
    (void)state;
    char path[] = "/tmp/profrender-elf-XXXXXX";
    unsigned char header[64] = "\x7f" "ELF\2\1\1";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    refuses(path, PR_ELF_NO_CODE); /* empty */
    write_file(path, "#!/bin/sh\necho hello, this is a program too\n", 45);
    refuses(path, PR_ELF_NO_CODE);
    header[16] = 1; /* an object file */
    write_file(path, header, sizeof header);
    refuses(path, PR_ELF_NO_CODE);
    header[16] = 4; /* a core file */
    write_file(path, header, sizeof header);
    refuses(path, PR_ELF_NO_CODE);
    header[16] = 3; /* a library, cut after its header */
    memset(header + 32, 0xff, 32);
    write_file(path, header, sizeof header);
    struct self_code self = self_code();
    struct pr_elf_loaded file = recorded(&self);
    enum pr_elf_trouble trouble;
    assert_null(open_recorded(path, &file, &trouble));
    assert_true(trouble == PR_ELF_NO_CODE || trouble == PR_ELF_OTHER_BUILD);
    refuses("/proc/self/maps", PR_ELF_NO_CODE); /* a regular file, according to the system */
    unlink(path);
}

/* Each beginning of a library, and each with a few bytes changed: an answer or none, and nothing else. */
static void damaged_files_do_no_harm(void **state)
{
    (void)state;
    const struct self_code self = self_code();
    const struct pr_elf_loaded file = recorded(&self);
    char path[] = "/tmp/profrender-elf-XXXXXX";
    int fd = mkstemp(path);
    FILE *good = fopen(self.path, "rb");
    assert_true(fd >= 0 && good);
    close(fd);
    fseek(good, 0, SEEK_END);
    size_t length = (size_t)ftell(good);
    rewind(good);
    unsigned char *bytes = malloc(length), *damaged = malloc(length);
    assert_int_equal(fread(bytes, 1, length, good), length);
    fclose(good);
    uint32_t random = 1;
    for (int round = 0; round < 60; round++) {
        memcpy(damaged, bytes, length);
        for (int i = 0; i < 200 * (round % 3); i++) {
            random = random * 1664525 + 1013904223;
            damaged[4096 + random % (length - 4096)] ^= (unsigned char)(1u << (random >> 29));
        }
        write_file(path, damaged, round % 3 ? length : length * (size_t)round / 60);
        enum pr_elf_trouble trouble;
        struct pr_elf_frame frames[PR_ELF_FRAMES];
        struct pr_elf *elf = open_recorded(path, &file, &trouble);
        for (uint64_t at = 0; elf && at < 400; at++)
            assert_true(pr_elf_frames(elf, self.return_address - self.bias + at * 16, frames) >= 0);
        pr_elf_close(elf);
    }
    free(bytes);
    free(damaged);
    unlink(path);
}

static int open_files(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

static void nothing_stays_open(void **state)
{
    (void)state;
    const struct self_code self = self_code();
    struct pr_elf_loaded file = recorded(&self);
    enum pr_elf_trouble trouble;
    struct pr_elf_frame frames[PR_ELF_FRAMES];
    int before = open_files();
    for (int i = 0; i < 3; i++) {
        struct pr_elf *elf = open_recorded(self.path, &file, &trouble);
        assert_non_null(elf);
        assert_true(pr_elf_frames(elf, self.return_address - 1 - self.bias, frames) > 0);
        pr_elf_close(elf);
        file.segment_count ^= 1;
        pr_elf_close(open_recorded(self.path, &file, &trouble));
        file.segment_count ^= 1;
    }
    assert_int_equal(open_files(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_has_its_functions),
        cmocka_unit_test(another_build_is_recognised_by_its_segments),
        cmocka_unit_test(a_mapping_is_code_of_the_file),
        cmocka_unit_test(another_build_is_recognised_by_its_mapping_or_build_id),
        cmocka_unit_test(only_regular_files_are_opened),
        cmocka_unit_test(relative_paths_mean_nothing_here),
        cmocka_unit_test(files_without_code_are_refused),
        cmocka_unit_test(damaged_files_do_no_harm),
        cmocka_unit_test(nothing_stays_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
