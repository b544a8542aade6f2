/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/redact/secret_names.h"
#include "capture/base/text.h"

#include "capture/base/ascii.h"

#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static bool is_one_of(const char *word, size_t length, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(words[i]) == length && pr_ascii_same(words[i], word, length))
            return true;
    return false;
}

/* ---- names ------------------------------------------------------------------------------------------------------ */

/* A name in lower case, as words and without their separators. */
struct words {
    char plain[PR_SECRET_NAME_MAX + 1]; /* "accountkey" */
    size_t length, last;                /* where the last word begins, and the one before it */
    size_t before_last;
};

static struct words split(struct pr_text name)
{
    struct words words = {.length = 0};
    for (size_t i = 0; i < name.length && words.length < PR_SECRET_NAME_MAX; i++) {
        const char c = name.bytes[i];
        const bool is_part = pr_is_alphanumeric(c);
        const bool begins =
            is_part && i > 0 &&
            (!pr_is_alphanumeric(name.bytes[i - 1]) || (pr_is_upper(c) && !pr_is_upper(name.bytes[i - 1])));
        if (begins && words.length > words.last) {
            words.before_last = words.last;
            words.last = words.length;
        }
        if (is_part)
            words.plain[words.length++] = pr_ascii_lower(c);
    }
    return words;
}

static bool ends_with(const struct words *words, const char *const *ends, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(ends[i]);
        if (words->length >= length && memcmp(words->plain + words->length - length, ends[i], length) == 0)
            return true;
    }
    return false;
}

/* What these words name is about a secret, but not a secret itself. */
static bool is_about_a_secret(const struct words *words)
{
    static const char *const last[] = {
        "file",   "path",    "dir",    "folder",  "stdin",    "env",      "var",        "name",      "names",
        "type",   "length",  "len",    "count",   "size",     "limit",    "url",        "uri",       "endpoint",
        "host",   "manager", "store",  "ttl",     "expiry",   "expires",  "expiration", "age",       "policy",
        "prompt", "field",   "column", "header",  "prefix",   "suffix",   "version",    "algorithm", "provider",
        "helper", "backend", "class",  "mode",    "min",      "max",      "enabled",    "id",        "arn",
        "index",  "idx",     "hint",   "reset",   "strength", "rotation", "error",      "errors",    "exception",
        "manage", "format",  "scope",  "scopes",  "expired",  "mismatch", "invalid",    "missing",   "incorrect",
        "wrong",  "exists",  "failed", "failure", "denied",   "warning",  "required",   "notfound",  "found"};
    static const char *const first[] = {"no",      "ask",   "has",    "is",    "use",    "max",
                                        "min",     "num",   "show",   "allow", "enable", "disable",
                                        "require", "needs", "prompt", "skip",  "list",   "check"};
    static const char *const before_token[] = {
        "next",       "page",    "eos",     "bos",   "pad",      "unk",  "mask",         "sep", "cls",
        "special",    "stop",    "end",     "start", "first",    "last", "continuation", "per", "image",
        "unexpected", "invalid", "current", "prev",  "previous", "by",   "each"};
    static const char *const before_key[] = {"sort",  "primary", "foreign", "partition", "cache", "public",
                                             "group", "shard",   "lookup",  "row",       "range", "unique",
                                             "join",  "routing", "order",   "sorting"};
    const size_t first_end = words->last && words->before_last == 0 ? words->last : words->before_last;
    const size_t before_length = words->last - words->before_last;
    if (words->last && strcmp(words->plain + words->last, "key") == 0 &&
        is_one_of(words->plain + words->before_last, before_length, before_key, COUNT_OF(before_key)))
        return true;
    if (strncmp(words->plain + words->last, "secretar", 8) == 0) /* a person */
        return true;
    if (is_one_of(words->plain + words->last, words->length - words->last, last, COUNT_OF(last)))
        return true;
    if (words->last && strcmp(words->plain + words->last, "token") == 0 &&
        is_one_of(words->plain + words->before_last, before_length, before_token, COUNT_OF(before_token)))
        return true;
    return words->last && is_one_of(words->plain, first_end, first, COUNT_OF(first));
}

enum pr_secrecy pr_secrecy_of(struct pr_text name)
{
    static const char *const headers[] = {"authorization", "cookie", "setcookie"};
    static const char *const anywhere[] = {"password", "passwd", "passphrase", "passcode", "secret", "credential"};
    static const char *const ends[] = {
        "token",           "pwd",          "apikey",        "accesskey",  "privatekey",  "accountkey", "secretkey",
        "encryptionkey",   "signingkey",   "masterkey",     "licensekey", "storagekey",  "sharedkey",  "authkey",
        "subscriptionkey", "functionkey",  "functionskey",  "sessionkey", "deploykey",   "servicekey", "clientkey",
        "appkey",          "amzsignature", "googsignature", "pswd",       "requirepass", "passwort",   "authstring",
        "identifiedby",    "xauthkey",     "kennwort",      "motdepasse", "contrasena",  "storepass",  "keypass",
        "phpsessid",       "jsessionid",   "psk",           "ghpat",      "githubpat",   "gitlabpat",  "devopspat"};
    static const char *const weak[] = {"key",     "auth",      "pass", "pw",  "sig", "signature", "sid",
                                       "session", "sessionid", "jwt",  "otp", "pin", "bearer"};
    if (name.length == 0 || name.length > PR_SECRET_NAME_MAX)
        return PR_SECRECY_NONE;
    const struct words words = split(name);
    if (words.length == 0 || is_about_a_secret(&words))
        return PR_SECRECY_NONE;
    if (ends_with(&words, headers, COUNT_OF(headers)))
        return PR_SECRECY_HEADER;
    for (size_t i = 0; i < COUNT_OF(anywhere); i++)
        if (strstr(words.plain, anywhere[i]))
            return PR_SECRECY_STRONG;
    if (ends_with(&words, ends, COUNT_OF(ends)))
        return PR_SECRECY_STRONG;
    const bool is_weak = is_one_of(words.plain + words.last, words.length - words.last, weak, COUNT_OF(weak)) ||
                         strcmp(words.plain, "code") == 0; /* of an address: what a login is exchanged for */
    return is_weak ? PR_SECRECY_WEAK : PR_SECRECY_NONE;
}

bool pr_secrecy_is_of_code(struct pr_text name)
{
    size_t from = 0;
    while (from < name.length && name.bytes[from] == '-')
        from++;
    return name.length - from == 4 && pr_ascii_same(name.bytes + from, "code", 4);
}

/* ---- what is not a value ---------------------------------------------------------------------------------------- */

/* A name in brackets or after a dollar sign, as in templates; stars and dots that hide one already. */
static bool is_placeholder(struct pr_text value)
{
    size_t from = 0, to = value.length;
    static const char masks[] = "*.xX-_";
    while (from < to && memchr("$%{<(", value.bytes[from], 5))
        from++;
    const bool opened = from > 0;
    while (to > from && memchr("}>)%", value.bytes[to - 1], 4))
        to--;
    bool is_name = to > from, is_mask = value.length > 0;
    for (size_t i = from; i < to; i++) {
        const char c = value.bytes[i];
        is_name = is_name && (pr_is_alphanumeric(c) || c == '_' || c == '.' || c == '-' || c == ' ');
    }
    for (size_t i = 0; i < value.length; i++)
        is_mask = is_mask && value.bytes[i] == *value.bytes && memchr(masks, value.bytes[i], sizeof masks - 1);
    return (is_mask && value.length >= 3) ||
           (opened && is_name && (*value.bytes != '$' || !pr_is_digit(value.bytes[from])));
}

bool pr_secrecy_is_no_value(struct pr_text value)
{
    static const char *const words[] = {"none",
                                        "null",
                                        "nil",
                                        "true",
                                        "false",
                                        "undefined",
                                        "nan",
                                        "yes",
                                        "no",
                                        "on",
                                        "off",
                                        "ok",
                                        "set",
                                        "unset",
                                        "str",
                                        "string",
                                        "bytes",
                                        "int",
                                        "bool",
                                        "any",
                                        "object",
                                        "dict",
                                        "optional",
                                        "missing",
                                        "required",
                                        "invalid",
                                        "valid",
                                        "wrong",
                                        "incorrect",
                                        "correct",
                                        "expired",
                                        "empty",
                                        "unknown",
                                        "not",
                                        "too",
                                        "a",
                                        "an",
                                        "the",
                                        "this",
                                        "that",
                                        "your",
                                        "in",
                                        "at",
                                        "of",
                                        "to",
                                        "for",
                                        "from",
                                        "and",
                                        "or",
                                        "is",
                                        "was",
                                        "needed",
                                        "used",
                                        "unused",
                                        "denied",
                                        "rejected",
                                        "accepted",
                                        "changed",
                                        "protected",
                                        "encrypted",
                                        "hashed",
                                        "stored",
                                        "absent",
                                        "present",
                                        "given",
                                        "hidden",
                                        "masked",
                                        "weak",
                                        "strong",
                                        "short",
                                        "long",
                                        "old",
                                        "new",
                                        "same",
                                        "different",
                                        "never",
                                        "only",
                                        "being",
                                        "authentication",
                                        "error",
                                        "failed",
                                        "failure",
                                        "mismatch",
                                        "refused",
                                        "revoked",
                                        "longer",
                                        "deprecated",
                                        "ignored",
                                        "disabled",
                                        "enabled",
                                        "unavailable",
                                        "available",
                                        "out",
                                        "about",
                                        "already",
                                        "now",
                                        "still",
                                        "also",
                                        "malformed",
                                        "bad",
                                        "got",
                                        "expected",
                                        "found",
                                        "must",
                                        "should",
                                        "cannot",
                                        "exactly",
                                        "at least",
                                        "case-sensitive"};
    while (value.length && memchr(".,;:!?)]}", value.bytes[value.length - 1], 9))
        value.length--;
    return value.length == 0 || is_one_of(value.bytes, value.length, words, COUNT_OF(words)) || is_placeholder(value);
}
