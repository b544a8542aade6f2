/* SPDX-License-Identifier: Apache-2.0 */
/* Secrets announced in other languages, by words that are no names: "Mot de passe : X", "contraseña: X". */
#include "capture/redact/secret_names.h"
#include "capture/redact/secret_rules.h"

#include <string.h>

/* Past one of WORDS at AT; AT: none of them is there. Letters beyond ASCII are compared as they are. */
static size_t skip_one_of(struct pr_text text, size_t at, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (pr_scan_starts(text, at, words[i]))
            return at + strlen(words[i]);
    return at;
}

/* Blanks, and those that do not break a line, as French has them before a colon. */
static size_t skip_blanks(struct pr_text text, size_t at)
{
    static const char *const blanks[] = {" ", "\t", "\u00a0", "\u202f", "\u3000"};
    for (unsigned i = 0; i < PR_SCAN_MOST_GAP; i++)
        at = skip_one_of(text, at, blanks, sizeof blanks / sizeof *blanks);
    return at;
}

/* "mot de passe : invalide", "contraseña: no es correcta": a word of small letters that says something, or goes on. */
static bool is_sentence(struct pr_text text, const struct pr_hit *hit)
{
    static const char *const told[] = {"incor",  "inval",  "expir", "erron",   "ongeldig", "obligat",
                                       "requis", "requer", "manqu", "onjuist", "verplicht"};
    const size_t rest = skip_blanks(text, hit->to);
    for (size_t i = hit->from; i < hit->to; i++)
        if (!pr_is_lower(text.bytes[i]))
            return false;
    return (rest > hit->to && pr_is_letter(pr_scan_at(text, rest))) ||
           skip_one_of(text, hit->from, told, sizeof told / sizeof *told) > hit->from;
}

/* What is one word of ASCII, as passwort and kennwort, is a name like any other: secret_names.c. */
bool pr_find_foreign(const struct pr_secret_scan *scan, size_t at, struct pr_hit *hit)
{
    static const char *const words[] = {
        "mot de passe", "mots de passe", "phrase secr\u00e8te", "contrase\u00f1a", "palavra-passe", "senha",
        "wachtwoord",   "has\u0142o",
        "\u043f\u0430\u0440\u043e\u043b\u044c", "\u041f\u0430\u0440\u043e\u043b\u044c", /* Russian */
        "\u5bc6\u7801", "\u5bc6\u78bc", "\u30d1\u30b9\u30ef\u30fc\u30c9", "\ube44\ubc00\ubc88\ud638"};
    static const char *const separators[] = {":", "=", "\uff1a", "\uff1d"};
    const struct pr_text text = scan->text;
    if (!pr_scan_begins_name(text, at))
        return false;
    const size_t end = skip_one_of(text, at, words, sizeof words / sizeof *words);
    if (end == at)
        return false;
    const size_t separator = skip_blanks(text, end + pr_scan_is_quote(pr_scan_at(text, end)));
    const size_t value = skip_one_of(text, separator, separators, sizeof separators / sizeof *separators);
    return value > separator && pr_scan_value(scan, skip_blanks(text, value), hit) && !is_sentence(text, hit);
}
