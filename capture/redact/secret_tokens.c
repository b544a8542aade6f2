/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/redact/secret_tokens.h"

#include "capture/base/ascii.h"
#include "capture/redact/secret_scan.h"

#include <string.h>

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
    {"ghp_", 30, PLAIN},
    {"gho_", 30, PLAIN},
    {"ghu_", 30, PLAIN},
    {"ghs_", 30, DOTTED},
    {"ghr_", 30, PLAIN},
    {"github_pat_", 30, PLAIN},
    {"glpat-", 16, DOTTED},
    {"gldt-", 16, DASHED},
    {"glrt-", 16, DOTTED},
    {"glptt-", 16, DASHED},
    {"glft-", 16, DASHED},
    {"glsoat-", 16, DASHED},
    {"glimt-", 16, DASHED},
    {"glagent-", 16, DASHED},
    {"glcbt-", 16, DASHED},
    {"glffct-", 16, DASHED},
    {"GR1348941", 16, DASHED},
    /* Slack */
    {"xoxa-", 10, DASHED},
    {"xoxb-", 10, DASHED},
    {"xoxp-", 10, DASHED},
    {"xoxr-", 10, DASHED},
    {"xoxs-", 10, DASHED},
    {"xoxe-", 10, DASHED},
    {"xoxe.", 10, DOTTED},
    {"xoxc-", 10, DASHED},
    {"xoxd-", 10, DOTTED},
    {"xapp-", 10, DASHED},
    {"xwfp-", 10, DASHED},
    {"hooks.slack.com/services/", 10, DOTTED},
    {"hooks.slack.com/workflows/", 10, DOTTED},
    {"discord.com/api/webhooks/", 10, DOTTED},
    {"discordapp.com/api/webhooks/", 10, DOTTED},
    {"IncomingWebhook/", 10, DOTTED},
    {"hooks.zapier.com/hooks/", 10, DOTTED},
    {"api.telegram.org/bot", 20, DOTTED},
    /* payments, mail, telephony */
    {"sk_live_", 10, PLAIN},
    {"sk_test_", 10, PLAIN},
    {"sk_prod_", 10, PLAIN},
    {"rk_live_", 10, PLAIN},
    {"rk_test_", 10, PLAIN},
    {"rk_prod_", 10, PLAIN},
    {"whsec_", 16, DOTTED},
    {"key-", 32, PLAIN},
    {"sq0atp-", 16, DASHED},
    {"sq0csp-", 16, DASHED},
    {"SG.", 20, DOTTED},
    {"xkeysib-", 20, DASHED},
    {"shpat_", 20, PLAIN},
    {"shpca_", 20, PLAIN},
    {"shppa_", 20, PLAIN},
    {"shpss_", 20, PLAIN},
    {"FLWSECK", 12, DASHED},
    /* clouds */
    {"AKIA", 16, PLAIN},
    {"ASIA", 16, PLAIN},
    {"ABIA", 16, PLAIN},
    {"ACCA", 16, PLAIN},
    {"ABSK", 40, DOTTED},
    {"AIza", 30, DASHED},
    {"ya29.", 16, DOTTED},
    {"GOCSPX-", 20, DASHED},
    {"1//0", 20, DASHED},
    {"LTAI", 16, PLAIN},
    {"dop_v1_", 20, PLAIN},
    {"doo_v1_", 20, PLAIN},
    {"dor_v1_", 20, PLAIN},
    {"dp.pt.", 20, DOTTED},
    {"dp.st.", 20, DOTTED},
    {"dp.ct.", 20, DOTTED},
    {"hvs.", 20, DASHED},
    {"hvb.", 20, DASHED},
    {"hvr.", 20, DASHED},
    {"atlasv1.", 20, DASHED},
    {"tskey-", 12, DASHED},
    {"pul-", 30, PLAIN},
    {"nfp_", 20, PLAIN},
    {"fo1_", 20, PLAIN},
    {"fm2_", 20, DOTTED},
    {"dapi", 32, DASHED},
    {"pscale_tkn_", 20, DOTTED},
    {"pscale_pw_", 20, DOTTED},
    {"pscale_oauth_", 20, DOTTED},
    {"sbp_", 30, PLAIN},
    {"CCIPAT_", 20, PLAIN},
    {"dckr_pat_", 20, DASHED},
    {"dckr_oat_", 20, DASHED},
    {"AKCp", 60, PLAIN},
    {"cmVmd", 50, PLAIN},
    /* models */
    {"sk-ant-", 16, DASHED},
    {"sk-proj-", 16, DASHED},
    {"sk-svcacct-", 16, DASHED},
    {"sk-or-", 16, DASHED},
    {"sk-", 20, DASHED},
    {"hf_", 28, PLAIN},
    {"api_org_", 28, PLAIN},
    {"gsk_", 30, PLAIN},
    {"xai-", 40, PLAIN},
    {"r8_", 30, PLAIN},
    {"nvapi-", 30, DASHED},
    {"pplx-", 30, PLAIN},
    {"jina_", 40, PLAIN},
    {"tvly-", 20, DASHED},
    {"wandb_v1_", 20, DASHED},
    /* packages */
    {"npm_", 30, PLAIN},
    {"pypi-", 16, DASHED},
    {"rubygems_", 30, PLAIN},
    {"cio", 32, PLAIN},
    {"oy2", 43, PLAIN},
    {"CLOJARS_", 40, PLAIN},
    /* observing, planning, writing */
    {"glc_", 24, DOTTED},
    {"glsa_", 24, PLAIN},
    {"NRAK-", 20, PLAIN},
    {"sntrys_", 30, DOTTED},
    {"sntryu_", 30, PLAIN},
    {"lin_api_", 30, PLAIN},
    {"ntn_", 30, PLAIN},
    {"figd_", 30, DASHED},
    {"PMAK-", 24, DASHED},
    {"ATATT3", 40, DOTTED},
    {"ATCTT3", 40, DOTTED},
    {"ATBB", 28, PLAIN},
    {"rdme_", 30, PLAIN},
    {"sgp_", 30, PLAIN},
    {"ops_eyJ", 40, DOTTED},
    {"p8e-", 30, PLAIN},
    {"EAACEdEose0cBA", 10, PLAIN},
    {"AGE-SECRET-KEY-1", 40, PLAIN},
    {"ico-", 30, PLAIN},
    {"waka_", 30, DASHED},
    {"pnu_", 30, PLAIN},
    {"dt0c01.", 24, DOTTED}};

/* Some beginnings are also those of words, such as "sk-learn-contrib" or "npm_config_user"; a token is not a word. */
static bool looks_random(const char *start, struct pr_text rest)
{
    static const char *const common[] = {"npm_", "key-", "pul-", "ico-", "xai-", "ntn_", "dapi", "p8e-"};
    bool is_mixed = false, is_common = strlen(start) <= 3;
    for (size_t i = 1; i < rest.length; i++)
        is_mixed = is_mixed || pr_is_upper(rest.bytes[i]) != pr_is_upper(rest.bytes[i - 1]);
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        is_common = is_common || strcmp(start, common[i]) == 0;
    return !is_common || is_mixed || pr_scan_has_digit_and_letter(rest);
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
    if (header == text.length || text.bytes[header] != '.')
        return 0; /* not read to its end, from each of many */
    while (length < text.length && (is_in(DASHED, text.bytes[length]) || text.bytes[length] == '.'))
        length++;
    while (text.bytes[length - 1] == '.')
        length--;
    return length > header && length >= LEAST ? length : 0;
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
    return at + 1 < text.length &&
           ((memchr("%$", text.bytes[at], 2) && !memchr(" \t\n\"'", text.bytes[at + 1], 5)) || text.bytes[at] == '{');
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

static size_t end_of(enum alphabet alphabet, struct pr_text text, size_t from, size_t most)
{
    while (from < text.length && from < most && is_in(alphabet, text.bytes[from]))
        from++;
    return from;
}

static size_t without_dots(struct pr_text text, size_t start, size_t length)
{
    while (length > start && memchr(".:/", text.bytes[length - 1], 3))
        length--;
    return length;
}

/*
 * The length of the token that begins with the START bytes of row I of the tokens; 0: it is none. It is judged by its
 * first bytes: a megabyte of "sk-sk-sk-" is not read to its end from each of them.
 */
static size_t token_of(struct pr_text text, size_t i, size_t start)
{
    enum { JUDGED = 256 };
    const enum alphabet alphabet = tokens[i].alphabet;
    const size_t end = end_of(alphabet, text, start, start + JUDGED), length = without_dots(text, start, end);
    const bool is_longer = end == start + JUDGED;
    if (length >= start + tokens[i].least && looks_random(tokens[i].start, pr_text_part(text, start, length)))
        return is_longer ? without_dots(text, start, end_of(alphabet, text, end, text.length)) : length;
    return !is_longer && is_begun_token(text, start, length) ? length : 0;
}

size_t pr_secret_token(struct pr_text text)
{
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) {
        if (!text.length || *tokens[i].start != *text.bytes)
            continue;
        const size_t start = pr_text_starts(text, tokens[i].start) ? strlen(tokens[i].start) : 0;
        const size_t length = start ? token_of(text, i, start) : 0;
        if (length)
            return length;
    }
    const size_t length = web_token(text);
    return length ? length : bot_token(text);
}
