/* SPDX-License-Identifier: Apache-2.0 */
/* HMAC-SHA-256, cut to twelve letters, of a name; of a path, part by part. */
#include "capture/model/pseudonym.h"

#include "capture/base/sha256.h"
#include "capture/base/text.h"
#include "capture/model/code_path.h"

#include <string.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

enum { LETTERS = 12 }; /* of 5 bits: of a million names, two are the same with a chance of one in two million */

static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz234567";

/* Names and parts of paths are different kinds: a function is not recognised by the file of the same name. */
static const char name_kind[] = "f_", part_kind[] = "p_";

enum pr_status pr_name_key_make(struct pr_name_key *key, const void *secret, size_t length, struct pr_error *err)
{
    if (length < PR_NAME_KEY_LEAST)
        return pr_fail(err, PR_ERR_ABSENT, PR_NO_OFFSET, NULL, "a key has at least %d bytes, this one has %zu",
                       PR_NAME_KEY_LEAST, length);
    pr_sha256_bytes(secret, length, key->bytes);
    return PR_OK;
}

static bool is_pseudonym(const char *kind, struct pr_text text)
{
    const size_t head = strlen(kind);
    if (text.length != head + LETTERS || memcmp(text.bytes, kind, head) != 0)
        return false;
    for (size_t i = head; i < text.length; i++)
        if (!memchr(alphabet, text.bytes[i], sizeof alphabet - 1))
            return false;
    return true;
}

static void add_pseudonym(const struct pr_name_key *key, struct pr_buf *out, const char *kind, struct pr_text text)
{
    unsigned char code[PR_SHA256_SIZE];
    struct pr_buf message = {0};
    if (!text.length || is_pseudonym(kind, text)) {
        pr_buf_add(out, text.bytes, text.length);
        return;
    }
    pr_buf_text(&message, kind);
    pr_buf_add(&message, text.bytes, text.length);
    if (message.failed) {
        out->failed = true;
        return;
    }
    pr_hmac_sha256(key->bytes, message.bytes, message.length, code);
    pr_buf_clear(&message);
    pr_buf_text(out, kind);
    for (size_t i = 0; i < LETTERS; i++) {
        const size_t bit = 5 * i;
        const unsigned two = (unsigned)code[bit / 8] << 8 | code[bit / 8 + 1];
        pr_buf_byte(out, (unsigned char)alphabet[two >> (11 - bit % 8) & 31]);
    }
}

void pr_pseudonym_of_name(const struct pr_name_key *key, struct pr_buf *out, struct pr_text name)
{
    add_pseudonym(key, out, name_kind, name);
}

/* Folders that say how an environment is laid out: whose code a file is depends on them. */
static bool is_layout(struct pr_text part)
{
    static const char *const words[] = {
        ".",           "..",    "~",           "bin",          "lib",           "lib64",         "usr",
        "local",       "opt",   "venv",        ".venv",        "env",           ".env",          "virtualenv",
        ".virtualenv", "venvs", "virtualenvs", ".virtualenvs", "site-packages", "dist-packages"};
    return pr_part_is_python(part) || pr_text_is_one_of(part, words, COUNT(words));
}

/* Where the ending of a file's name begins that says what language it is in; the length of NAME: it has no such one. */
static uint32_t ending_of(struct pr_text name)
{
    static const char *const endings[] = {".py",   ".pyc", ".pyx", ".pyi",  ".ipynb", ".so",  ".c",   ".h",   ".cc",
                                          ".cpp",  ".cxx", ".hpp", ".hh",   ".rs",    ".go",  ".s",   ".S",   ".js",
                                          ".mjs",  ".cjs", ".ts",  ".java", ".rb",    ".php", ".bin", ".prz", ".json",
                                          ".html", ".txt", ".gz",  ".zst",  ".lz4"};
    const char *dot = name.length ? memrchr(name.bytes, '.', name.length) : NULL;
    const uint32_t at = dot ? (uint32_t)(dot - name.bytes) : name.length;
    return at && pr_text_is_one_of(pr_text_from(name, at), endings, COUNT(endings)) ? at : name.length;
}

static void add_file(const struct pr_name_key *key, struct pr_buf *out, struct pr_text name)
{
    static const char *const keep[] = {"__init__", "__main__", ".", "..", "~"};
    const uint32_t ending = ending_of(name);
    const struct pr_text stem = {name.bytes, ending};
    if (pr_text_is_one_of(stem, keep, COUNT(keep)))
        pr_buf_add(out, stem.bytes, stem.length);
    else
        add_pseudonym(key, out, part_kind, stem);
    pr_buf_add(out, name.bytes + ending, name.length - ending);
}

/* The parts up to END; the last one of a PATH that is not a folder is a file. */
static void add_parts(const struct pr_name_key *key, struct pr_buf *out, struct pr_text path, uint32_t end,
                      bool is_folder)
{
    for (uint32_t at = 0; at < end;) {
        uint32_t to = at;
        while (to < end && path.bytes[to] != '/' && path.bytes[to] != '\\')
            to++;
        const struct pr_text part = {path.bytes + at, to - at};
        const bool is_last = to == path.length && !is_folder;
        if (!is_last && is_layout(part))
            pr_buf_add(out, part.bytes, part.length);
        else if (is_last)
            add_file(key, out, part);
        else
            add_pseudonym(key, out, part_kind, part);
        if (to < end)
            pr_buf_byte(out, (unsigned char)path.bytes[to++]);
        at = to;
    }
}

void pr_pseudonym_of_path(const struct pr_name_key *key, struct pr_buf *out, struct pr_text path, uint32_t keep)
{
    const uint32_t end = keep ? keep : path.length;
    add_parts(key, out, path, end, false);
    pr_buf_add(out, path.bytes + end, path.length - end);
}

void pr_hide_folder(const struct pr_name_key *key, struct pr_text path, struct pr_buf *out)
{
    add_parts(key, out, path, path.length, true);
}

void pr_hide_file(const struct pr_name_key *key, struct pr_text path, struct pr_buf *out)
{
    pr_pseudonym_of_path(key, out, path, 0);
}
