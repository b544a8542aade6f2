/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/base/redact_names.h"
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
        "file", "path", "dir", "folder", "stdin", "env", "var", "name", "names", "type", "length", "len", "count",
        "size",
        "limit", "url", "uri", "endpoint", "host", "manager", "store", "ttl", "expiry", "expires", "expiration", "age",
        "policy", "prompt", "field", "column", "header", "prefix", "suffix", "version", "algorithm", "provider",
        "helper", "backend", "class", "mode", "min", "max", "enabled", "id", "arn", "index", "idx", "hint",
        "reset", "strength", "rotation", "error", "errors", "exception", "manage", "format", "scope", "scopes",
        "expired", "mismatch", "invalid", "missing", "incorrect", "wrong", "exists", "failed", "failure", "denied",
        "warning", "required", "notfound", "found"};
    static const char *const first[] = {"no", "ask", "has", "is", "use", "max", "min", "num", "show", "allow", "enable",
                                        "disable", "require", "needs", "prompt", "skip", "list", "check"};
    static const char *const before_token[] = {
        "next", "page", "eos", "bos", "pad", "unk", "mask", "sep", "cls", "special", "stop", "end", "start", "first",
        "last", "continuation", "per", "image", "unexpected", "invalid", "current", "prev", "previous", "by", "each"};
    static const char *const before_key[] = {"sort", "primary", "foreign", "partition", "cache", "public", "group",
                                             "shard", "lookup", "row", "range", "unique", "join", "routing", "order",
                                             "sorting"};
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
        "token", "pwd", "apikey", "accesskey", "privatekey", "accountkey", "secretkey", "encryptionkey", "signingkey",
        "masterkey", "licensekey", "storagekey", "sharedkey", "authkey", "subscriptionkey", "functionkey",
        "functionskey",
        "sessionkey", "deploykey", "servicekey", "clientkey", "appkey", "amzsignature", "googsignature", "pswd",
        "requirepass", "passwort", "authstring", "identifiedby", "xauthkey", "kennwort", "motdepasse", "contrasena",
        "storepass", "keypass"};
    static const char *const weak[] = {"key", "auth", "pass", "pw", "sig", "signature", "sid", "session", "sessionid",
                                       "jwt", "otp", "pin", "bearer"};
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
    static const char *const words[] = {
        "none", "null", "nil", "true", "false", "undefined", "nan", "yes", "no", "on", "off", "ok", "set", "unset",
        "str",
        "string", "bytes", "int", "bool", "any", "object", "dict", "optional", "missing", "required", "invalid",
        "valid",
        "wrong", "incorrect", "correct", "expired", "empty", "unknown", "not", "too", "a", "an", "the", "this", "that",
        "your", "in", "at", "of", "to", "for", "from", "and", "or", "is", "was", "needed", "used", "unused", "denied",
        "rejected", "accepted", "changed", "protected", "encrypted", "hashed", "stored", "absent", "present", "given",
        "hidden", "masked", "weak", "strong", "short", "long", "old", "new", "same", "different", "never", "only",
        "being",
        "authentication", "error", "failed", "failure", "mismatch", "refused", "revoked", "longer", "deprecated",
        "ignored", "disabled", "enabled", "unavailable", "available", "out", "about", "already", "now", "still", "also",
        "malformed", "bad", "got", "expected", "found", "must", "should", "cannot", "exactly", "at least",
        "case-sensitive"};
    while (value.length && memchr(".,;:!?)]}", value.bytes[value.length - 1], 9))
        value.length--;
    return value.length == 0 || is_one_of(value.bytes, value.length, words, COUNT_OF(words)) || is_placeholder(value);
}

/* ---- letters ---------------------------------------------------------------------------------------------------- */

const struct pr_password_letters pr_password_letters[] = {
    {"mysql", "", "p", ""},       {"mariadb", "", "p", ""},   {"mydumper", "p", "p", ""}, {"myloader", "p", "p", ""},
    {"sshpass", "p", "p", ""},    {"7z", "", "p", ""},        {"rar", "", "p", ""},       {"unrar", "", "p", ""},
    {"zip", "P", "P", ""},        {"unzip", "P", "P", ""},    {"mongo", "p", "p", ""},    {"redis-cli", "a", "a", ""},
    {"ldap", "w", "w", ""},       {"sqlcmd", "P", "P", ""},   {"bcp", "P", "P", ""},      {"cqlsh", "p", "p", ""},
    {"ipmitool", "P", "P", ""},   {"rabbitmq", "p", "p", ""}, {"az", "p", "", ""},        {"beeline", "p", "p", ""},
    {"curl", "b", "b", "uU"},     {"wget", "", "", ""},       {"http", "", "", "a"},      {"docker", "", "", ""},
    {"podman", "", "", ""},       {"nerdctl", "", "", ""},    {"kubectl", "", "", ""},    {"runuser", "", "", ""},
    {"chown", "", "", ""},        {"install", "", "", ""},    {"login", "p", "p", ""},  {"smb", "", "", "U"},
    {"twine", "p", "p", ""},      {"openssl", "kK", "", ""},    {"rpcclient", "", "", "U"}, {NULL, NULL, NULL, NULL}};

unsigned pr_password_letters_of(struct pr_text program)
{
    const char *slash = program.length ? memrchr(program.bytes, '/', program.length) : NULL;
    const size_t skipped = slash ? (size_t)(slash + 1 - program.bytes) : 0;
    const struct pr_text name = {program.bytes + skipped, program.length - (uint32_t)skipped};
    for (unsigned i = 0; pr_password_letters[i].program; i++) {
        const char *wanted = pr_password_letters[i].program;
        const size_t length = strlen(wanted);
        const bool may_go_on = length > 3 || strcmp(wanted, "smb") == 0; /* mysqldump, ldapsearch, but not azure */
        if (name.length >= length && memcmp(name.bytes, wanted, length) == 0 &&
            (name.length == length || (may_go_on && !memchr(name.bytes, '.', name.length)) ||
             (length == 2 && name.length == 3 && wanted[0] == '7')))
            return i + 1;
    }
    return 0;
}

/* ---- tokens ----------------------------------------------------------------------------------------------------- */

/* Which bytes follow the beginning of a token. */
enum alphabet { PLAIN, DASHED, DOTTED };

static bool is_in(enum alphabet alphabet, char c)
{
    if (pr_is_alphanumeric(c))
        return true;
    if (c == '-' || c == '_')
        return alphabet != PLAIN || c == '_';
    return alphabet == DOTTED && memchr(".+/=~:", c, 6) != NULL;
}

static const struct {
    const char *start;
    unsigned least; /* bytes after it */
    enum alphabet alphabet;
} tokens[] = {
    /* GitHub, GitLab */
    {"ghp_", 30, PLAIN}, {"gho_", 30, PLAIN}, {"ghu_", 30, PLAIN}, {"ghs_", 30, DOTTED}, {"ghr_", 30, PLAIN},
    {"github_pat_", 30, PLAIN}, {"glpat-", 16, DOTTED}, {"gldt-", 16, DASHED}, {"glrt-", 16, DOTTED},
    {"glptt-", 16, DASHED}, {"glft-", 16, DASHED}, {"glsoat-", 16, DASHED}, {"glimt-", 16, DASHED},
    {"glagent-", 16, DASHED}, {"glcbt-", 16, DASHED}, {"glffct-", 16, DASHED}, {"GR1348941", 16, DASHED},
    /* Slack */
    {"xoxa-", 10, DASHED}, {"xoxb-", 10, DASHED}, {"xoxp-", 10, DASHED}, {"xoxr-", 10, DASHED}, {"xoxs-", 10, DASHED},
    {"xoxe-", 10, DASHED}, {"xoxe.", 10, DOTTED}, {"xoxc-", 10, DASHED}, {"xoxd-", 10, DOTTED}, {"xapp-", 10, DASHED},
    {"xwfp-", 10, DASHED}, {"hooks.slack.com/services/", 10, DOTTED}, {"hooks.slack.com/workflows/", 10, DOTTED},
    {"discord.com/api/webhooks/", 10, DOTTED}, {"discordapp.com/api/webhooks/", 10, DOTTED},
    {"IncomingWebhook/", 10, DOTTED}, {"hooks.zapier.com/hooks/", 10, DOTTED}, {"api.telegram.org/bot", 20, DOTTED},
    /* payments, mail, telephony */
    {"sk_live_", 10, PLAIN}, {"sk_test_", 10, PLAIN}, {"sk_prod_", 10, PLAIN}, {"rk_live_", 10, PLAIN},
    {"rk_test_", 10, PLAIN}, {"rk_prod_", 10, PLAIN}, {"whsec_", 16, DOTTED}, {"key-", 32, PLAIN},
    {"sq0atp-", 16, DASHED},
    {"sq0csp-", 16, DASHED}, {"SG.", 20, DOTTED}, {"xkeysib-", 20, DASHED}, {"shpat_", 20, PLAIN},
    {"shpca_", 20, PLAIN},
    {"shppa_", 20, PLAIN}, {"shpss_", 20, PLAIN}, {"FLWSECK", 12, DASHED},
    /* clouds */
    {"AKIA", 16, PLAIN}, {"ASIA", 16, PLAIN}, {"ABIA", 16, PLAIN}, {"ACCA", 16, PLAIN}, {"ABSK", 40, DOTTED},
    {"AIza", 30, DASHED}, {"ya29.", 16, DOTTED}, {"GOCSPX-", 20, DASHED}, {"1//0", 20, DASHED}, {"LTAI", 16, PLAIN},
    {"dop_v1_", 20, PLAIN}, {"doo_v1_", 20, PLAIN}, {"dor_v1_", 20, PLAIN}, {"dp.pt.", 20, DOTTED},
    {"dp.st.", 20, DOTTED}, {"dp.ct.", 20, DOTTED}, {"hvs.", 20, DASHED}, {"hvb.", 20, DASHED}, {"hvr.", 20, DASHED},
    {"atlasv1.", 20, DASHED}, {"tskey-", 12, DASHED}, {"pul-", 30, PLAIN}, {"nfp_", 20, PLAIN}, {"fo1_", 20, PLAIN},
    {"fm2_", 20, DOTTED}, {"dapi", 32, DASHED}, {"pscale_tkn_", 20, DOTTED}, {"pscale_pw_", 20, DOTTED},
    {"pscale_oauth_", 20, DOTTED}, {"sbp_", 30, PLAIN}, {"CCIPAT_", 20, PLAIN}, {"dckr_pat_", 20, DASHED},
    {"dckr_oat_", 20, DASHED}, {"AKCp", 60, PLAIN}, {"cmVmd", 50, PLAIN},
    /* models */
    {"sk-ant-", 16, DASHED}, {"sk-proj-", 16, DASHED}, {"sk-svcacct-", 16, DASHED}, {"sk-or-", 16, DASHED},
    {"sk-", 20, DASHED}, {"hf_", 28, PLAIN}, {"api_org_", 28, PLAIN}, {"gsk_", 30, PLAIN}, {"xai-", 40, PLAIN},
    {"r8_", 30, PLAIN}, {"nvapi-", 30, DASHED}, {"pplx-", 30, PLAIN}, {"jina_", 40, PLAIN}, {"tvly-", 20, DASHED},
    {"wandb_v1_", 20, DASHED},
    /* packages */
    {"npm_", 30, PLAIN}, {"pypi-", 16, DASHED}, {"rubygems_", 30, PLAIN}, {"cio", 32, PLAIN}, {"oy2", 43, PLAIN},
    {"CLOJARS_", 40, PLAIN},
    /* observing, planning, writing */
    {"glc_", 24, DOTTED}, {"glsa_", 24, PLAIN}, {"NRAK-", 20, PLAIN}, {"sntrys_", 30, DOTTED}, {"sntryu_", 30, PLAIN},
    {"lin_api_", 30, PLAIN}, {"ntn_", 30, PLAIN}, {"figd_", 30, DASHED}, {"PMAK-", 24, DASHED}, {"ATATT3", 40, DOTTED},
    {"ATCTT3", 40, DOTTED}, {"ATBB", 28, PLAIN}, {"rdme_", 30, PLAIN}, {"sgp_", 30, PLAIN}, {"ops_eyJ", 40, DOTTED},
    {"p8e-", 30, PLAIN}, {"EAACEdEose0cBA", 10, PLAIN}, {"AGE-SECRET-KEY-1", 40, PLAIN}, {"ico-", 30, PLAIN},
    {"waka_", 30, DASHED}, {"pnu_", 30, PLAIN}, {"dt0c01.", 24, DOTTED}};

static bool has_digit_and_letter(const char *bytes, size_t length)
{
    bool digit = false, letter = false;
    for (size_t i = 0; i < length; i++) {
        digit = digit || pr_is_digit(bytes[i]);
        letter = letter || pr_is_letter(bytes[i]);
    }
    return digit && letter;
}

/* Some beginnings are also those of words, such as "sk-learn-contrib" or "npm_config_user"; a token is not a word. */
static bool looks_random(const char *start, const char *bytes, size_t length)
{
    static const char *const common[] = {"npm_", "key-", "pul-", "ico-", "xai-", "ntn_", "dapi", "p8e-"};
    bool is_mixed = false;
    for (size_t i = 1; i < length; i++)
        is_mixed = is_mixed || pr_is_upper(bytes[i]) != pr_is_upper(bytes[i - 1]);
    const bool is_common = strlen(start) <= 3 || is_one_of(start, strlen(start), common, COUNT_OF(common));
    return !is_common || is_mixed || has_digit_and_letter(bytes, length);
}

/* Three parts of base64url, of which the first is JSON: {" is eyJ. */
static size_t web_token(struct pr_text text)
{
    enum { LEAST = 20, MOST_HEADER = 1024 };
    size_t length = 3;
    if (text.length < LEAST || memcmp(text.bytes, "eyJ", 3) != 0)
        return 0;
    while (length < text.length && length < MOST_HEADER && is_in(DASHED, text.bytes[length]))
        length++;
    const size_t header = length;
    while (length < text.length && (is_in(DASHED, text.bytes[length]) || text.bytes[length] == '.'))
        length++;
    while (text.bytes[length - 1] == '.')
        length--;
    return length > header && text.bytes[header] == '.' && length >= LEAST ? length : 0;
}

/* 123456789:AA and 33 more: a bot of Telegram. */
static size_t bot_token(struct pr_text text)
{
    enum { LEAST_DIGITS = 8, MOST_DIGITS = 10, REST = 33 };
    size_t at = 0;
    while (at < text.length && at <= MOST_DIGITS && pr_is_digit(text.bytes[at]))
        at++;
    if (at < LEAST_DIGITS || at > MOST_DIGITS || text.length < at + 3 + REST || memcmp(text.bytes + at, ":AA", 3) != 0)
        return 0;
    for (at += 3; at < text.length && is_in(DASHED, text.bytes[at]);)
        at++;
    return at >= LEAST_DIGITS + 3 + REST ? at : 0;
}

/* %s, {}, {name} or $name: where a template, such as that of printf, gets the rest of a token. */
static bool begins_placeholder(struct pr_text text, size_t at)
{
    return at + 1 < text.length && ((memchr("%$", text.bytes[at], 2) && !memchr(" \t\n\"'", text.bytes[at + 1], 5)) ||
                                    text.bytes[at] == '{');
}

/* A token of which a template contains only the beginning; a word in small letters is none: pypi-mirror-%s. */
static bool is_begun_token(struct pr_text text, size_t start, size_t length)
{
    enum { LEAST_START = 4, LEAST = 3 };
    bool is_word = true;
    for (size_t i = start; i < length; i++)
        is_word = is_word && !pr_is_upper(text.bytes[i]) && !pr_is_digit(text.bytes[i]);
    return start >= LEAST_START && length >= start + LEAST && !is_word && begins_placeholder(text, length);
}

size_t pr_secret_token(struct pr_text text)
{
    for (size_t i = 0; i < COUNT_OF(tokens); i++) {
        if (!text.length || *tokens[i].start != *text.bytes)
            continue;
        const size_t start = strlen(tokens[i].start);
        if (text.length < start || memcmp(text.bytes, tokens[i].start, start) != 0)
            continue;
        size_t length = start;
        while (length < text.length && is_in(tokens[i].alphabet, text.bytes[length]))
            length++;
        while (length > start && memchr(".:/", text.bytes[length - 1], 3))
            length--;
        if (length >= start + tokens[i].least && looks_random(tokens[i].start, text.bytes + start, length - start))
            return length;
        if (is_begun_token(text, start, length))
            return length;
    }
    const size_t length = web_token(text);
    return length ? length : bot_token(text);
}
