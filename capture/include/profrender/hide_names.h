/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profile without the names of its user's code: to share how a program performs without what it is called inside.
 *
 *     struct pr_name_key key;
 *     if (pr_name_key_make(&key, secret, length, &err) == PR_FAILED ||
 *         pr_hide_names(profile, &key, NULL, 0, &err) == PR_FAILED)
 *         return complain(&err);
 *
 * Functions and files of the user's own code (profrender/owner.h), and native code that is not known to belong to a
 * runtime or a library, get pseudonyms: hashes under a key, without which nobody can guess names and try them.
 * Profiles treated with one key still match, so that a difference of them has the same rows. Names of libraries, the
 * standard library, the interpreter and the kernel stay readable.
 *
 * Text in which names could come out again is left out: the command line, messages of exceptions, tracebacks as
 * written, stderr, notes, and names of processes. Names of threads, flows and own exceptions become pseudonyms.
 *
 * Not hidden: figures, times, line numbers, the shape of the call tree, the names of metrics and libraries. Who knows
 * the program can recognise it by those.
 *
 * Experimental: may change in any release.
 */
#ifndef PR_API_HIDE_NAMES_H
#define PR_API_HIDE_NAMES_H

#include "profrender/buf.h"
#include "profrender/profile.h"

PR_DECLS_BEGIN

enum { PR_NAME_KEY_BYTES = 32, PR_NAME_KEY_LEAST = 16 };

struct pr_name_key {
    unsigned char bytes[PR_NAME_KEY_BYTES];
};

/*
 * Makes KEY from a secret of LENGTH bytes, as a file or an environment variable has it. Errors: PR_FAILED when it is
 * shorter than PR_NAME_KEY_LEAST bytes.
 */
PR_API enum pr_status pr_name_key_make(struct pr_name_key *key, const void *secret, size_t length,
                                       struct pr_error *err);

/*
 * Replaces the names in PROFILE. What lies below one of OWN, which may be NULL when OWN_COUNT is 0, is the user's own
 * code wherever it was installed. Treating a profile twice under one key changes nothing.
 *
 * Errors: PR_FAILED: out of memory; PROFILE can then only be freed.
 */
PR_API enum pr_status pr_hide_names(struct pr_profile *profile, const struct pr_name_key *key,
                                    const struct pr_text *own, uint32_t own_count, struct pr_error *err);

/* The path of a folder, such as one of OWN, or that of a file, as a profile has it afterwards: appended to OUT. */
PR_API void pr_hide_folder(const struct pr_name_key *key, struct pr_text path, struct pr_buf *out);
PR_API void pr_hide_file(const struct pr_name_key *key, struct pr_text path, struct pr_buf *out);

PR_DECLS_END

#endif
