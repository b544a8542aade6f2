/* SPDX-License-Identifier: Apache-2.0 */
/* Beneath a folder only its own regular files are opened, with openat2 and without. */
#include "tests/support/unit.h"

#include "capture/base/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SYS_openat2
#define SYS_openat2 437
#endif

static char place[] = "/tmp/pr-beneath-XXXXXX";
static int folder;

static void make_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* root/ with a file, a folder, and every way out of it that a file system has; secret is next to it. */
static int make_tree(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(place));
    assert_int_equal(chdir(place), 0);
    make_file("secret", "secret");
    assert_int_equal(mkdir("root", 0777) | mkdir("root/pkg", 0777) | mkdir("root/pkg/deep", 0777), 0);
    make_file("root/a.py", "a");
    make_file("root/pkg/b.py", "b");
    assert_int_equal(symlink("../secret", "root/out") | symlink("a.py", "root/inside") | symlink("..", "root/up") |
                         symlink("pkg", "root/folder") | symlink("/proc/self/fd", "root/magic") |
                         symlink("nowhere", "root/dangling") | mkfifo("root/pipe", 0666),
                     0);
    folder = pr_beneath_open_folder("root");
    return folder < 0;
}

static int remove_tree(void **state)
{
    (void)state;
    char command[64];
    close(folder);
    snprintf(command, sizeof command, "rm -r %s", place);
    return chdir("/") || system(command);
}

/* "" and errno, or the file's contents. */
static const char *content_of(const char *path)
{
    static char text[16];
    memset(text, 0, sizeof text);
    const int fd = pr_open_beneath(folder, path);
    if (fd >= 0 && read(fd, text, sizeof text - 1) < 0)
        strcpy(text, "unreadable");
    close(fd);
    return text;
}

static int error_of(const char *path)
{
    errno = 0;
    const int fd = pr_open_beneath(folder, path), error = errno;
    if (fd >= 0)
        close(fd);
    return fd >= 0 ? 0 : error;
}

static void files_of_the_folder_are_opened(void **state)
{
    (void)state;
    assert_string_equal(content_of("a.py"), "a");
    assert_string_equal(content_of("pkg/b.py"), "b");
    assert_string_equal(content_of("./pkg//deep/../b.py"), "b");
    assert_string_equal(content_of("not-here/../pkg/b.py"), "b");
}

static void nothing_leads_out(void **state)
{
    static const char *const out[] = {"../secret",       "pkg/../../secret", "/etc/passwd", "..",
                                      "pkg/../../root/a.py", "//etc/passwd",     "./../secret"};
    (void)state;
    for (size_t i = 0; i < sizeof out / sizeof *out; i++)
        assert_int_equal(error_of(out[i]), EXDEV);
}

static void links_are_not_followed(void **state)
{
    static const char *const links[] = {"out", "inside", "dangling", "up/secret", "folder/b.py", "magic/0"};
    (void)state;
    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        assert_true(error_of(links[i]) == ELOOP || error_of(links[i]) == ENOTDIR);
    assert_int_equal(error_of("out"), ELOOP);
}

static void only_regular_files_are_opened(void **state)
{
    (void)state;
    assert_int_equal(error_of("pipe"), ENXIO);
    assert_int_equal(error_of("pkg"), ENXIO);
    assert_int_equal(error_of("."), ENOENT);
    assert_int_equal(error_of(""), ENOENT);
    assert_int_equal(error_of("none.py"), ENOENT);
}

static void names_are_bounded(void **state)
{
    static char deep[3 * PATH_MAX], wide[NAME_MAX + 3];
    (void)state;
    for (size_t i = 0; i + 3 < sizeof deep; i += 2)
        memcpy(deep + i, "a/", 3);
    assert_int_equal(error_of(deep), ENAMETOOLONG);
    memset(wide, 'x', NAME_MAX + 1);
    assert_int_equal(error_of(wide), ENAMETOOLONG);
    wide[0] = 'p';
    strcpy(wide + NAME_MAX, "y/");
    assert_int_equal(error_of(wide), ENAMETOOLONG);
}

/* From here on this process has no openat2, as in an old kernel (ENOSYS) or container (EPERM). */
static bool forget_openat2(unsigned error)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog filter = {sizeof code / sizeof *code, code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(files_of_the_folder_are_opened), cmocka_unit_test(nothing_leads_out),
    cmocka_unit_test(links_are_not_followed),         cmocka_unit_test(only_regular_files_are_opened),
    cmocka_unit_test(names_are_bounded),
};

/* The same tests in a process without the call. */
static void it_is_the_same_without_openat2(void **state)
{
    static const unsigned errors[] = {ENOSYS, EPERM};
    (void)state;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        int status;
        const pid_t child = fork();
        if (!child) {
            if (!forget_openat2(errors[i]))
                _exit(77);
            for (size_t k = 0; k < sizeof tests / sizeof *tests; k++)
                tests[k].test_func(NULL);
            _exit(syscall(SYS_openat2, AT_FDCWD, "/", NULL, 0) == -1 && errno == (int)errors[i] ? 0 : 1);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
            skip();
        assert_int_equal(status, 0);
    }
}

int main(void)
{
    const struct CMUnitTest all[] = {tests[0], tests[1], tests[2], tests[3], tests[4],
                                     cmocka_unit_test(it_is_the_same_without_openat2)};
    return cmocka_run_group_tests(all, make_tree, remove_tree);
}
