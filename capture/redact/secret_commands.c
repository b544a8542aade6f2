/* SPDX-License-Identifier: Apache-2.0 */
/* Secrets known by the command that takes them: echo X | sudo -S. */
#include "capture/redact/secret_positions.h"
#include "capture/redact/secret_rules.h"

#include <string.h>

/* Whether a command of the words FROM to TO reads a password from its standard input. */
static bool reads_password(struct pr_text text, size_t from, size_t to)
{
    bool is_sudo = false, reads = false;
    while (from < to) {
        const size_t end = pr_scan_word_end(text, from);
        const struct pr_text word = pr_text_part(text, from, end < to ? end : to), name = pr_text_file_name(word);
        is_sudo = is_sudo || pr_text_is(name, "sudo") || pr_text_is(name, "su") || pr_text_is(name, "passwd");
        reads =
            reads || pr_text_is(word, "--password-stdin") || pr_text_is(name, "chpasswd") ||
            (pr_text_is(word, "--stdin") && is_sudo) ||
            (pr_text_starts(word, "--pass") && word.length > 6 && !memcmp(word.bytes + word.length - 6, "-stdin", 6));
        for (uint32_t i = 1;
             is_sudo && word.length > 1 && word.bytes[0] == '-' && word.bytes[1] != '-' && i < word.length; i++)
            reads = reads || word.bytes[i] == 'S';
        from = end + 1;
    }
    return reads;
}

/* Where the command at FROM ends: at the next pipe, semicolon or line. */
static size_t end_of_command(struct pr_text text, size_t from)
{
    size_t at = from;
    while (at < text.length && at < from + PR_SCAN_MOST_BEFORE && !memchr("\n;|&", text.bytes[at], 4))
        at++;
    return at;
}

/* echo X | sudo -S, printf '%s' X | docker login --password-stdin, sudo -S <<< X. */
bool pr_find_piped(const struct pr_secret_scan *scan, size_t at, struct pr_hit *hit)
{
    const struct pr_text text = scan->text;
    const bool is_echo = pr_scan_starts(text, at, "echo "), is_printf = pr_scan_starts(text, at, "printf ");
    if (pr_scan_starts(text, at, "<<<")) {
        return reads_password(text, pr_scan_command_start(text, at), at) &&
               pr_scan_word(text, pr_scan_skip(text, at + 3), hit);
    }
    if ((!is_echo && !is_printf) || !pr_scan_begins_word(text, at))
        return false;
    size_t value = pr_scan_skip(text, at + (is_echo ? 5 : 7));
    while (pr_scan_at(text, value) == '-' && value < text.length)
        value = pr_scan_skip(text, pr_scan_word_end(text, value));
    if (is_printf && pr_scan_is_quote(pr_scan_at(text, value)) && pr_scan_at(text, value + 1) == '%')
        value = pr_scan_skip(text, pr_scan_quoted_end(text, value + 1, text.bytes[value], false) + 1);
    if (value >= text.length || !pr_scan_word(text, value, hit))
        return false;
    const size_t pipe = pr_scan_skip(text, hit->to + pr_scan_is_quote(pr_scan_at(text, value)));
    return pr_scan_at(text, pipe) == '|' && reads_password(text, pipe + 1, end_of_command(text, pipe + 1));
}

/* Reads words up to AT, each once; a pipe, a semicolon and a line begin another command. */
static void read_command(struct pr_text text, struct pr_scan_command *command, size_t at)
{
    static const char separators[] = {'\n', ';', '|', '&'};
    while (command->next < at) {
        size_t end = command->next;
        while (end < at && !pr_scan_is_space(text.bytes[end]) &&
               !memchr(separators, text.bytes[end], sizeof separators))
            end++;
        struct pr_hit hit;
        if (end > command->next)
            pr_secret_position(&command->positions, pr_text_part(text, command->next, end), &hit);
        if (end < at && memchr(separators, text.bytes[end], sizeof separators))
            command->positions = (struct pr_positions){0};
        command->next = end + 1;
    }
}

/* vault login X, htpasswd -b FILE USER X: by the position in a command. */
bool pr_find_positional(const struct pr_secret_scan *scan, size_t at, struct pr_hit *hit)
{
    const struct pr_text text = scan->text;
    if (scan->place == PR_SCAN_ARGUMENT || at >= text.length || pr_scan_is_space(text.bytes[at]) ||
        !(at == 0 || pr_scan_is_space(text.bytes[at - 1])))
        return false;
    read_command(text, scan->command, at);
    struct pr_positions positions = scan->command->positions;
    if (!positions.program)
        return false;
    const bool is_quoted = pr_scan_is_quote(text.bytes[at]);
    const size_t from = at + is_quoted,
                 to = is_quoted ? pr_scan_quoted_end(text, from, text.bytes[at], false) : pr_scan_bare_end(text, at);
    if (!pr_secret_position(&positions, pr_text_part(text, from, to), hit))
        return false;
    hit->from += from;
    hit->to += from;
    return true;
}

bool pr_find_literal(struct pr_text text, size_t at, struct pr_hit *hit)
{
    size_t equals = at;
    while (equals < text.length && pr_scan_is_name(text.bytes[equals]))
        equals++;
    *hit = (struct pr_hit){equals + 1, text.length};
    return equals > at && pr_scan_at(text, equals) == '=' && hit->to > hit->from;
}

/* --from-literal=NAME=X: what kubectl makes a secret of. */
bool pr_find_literal_option(const struct pr_secret_scan *scan, size_t at, struct pr_hit *hit)
{
    static const char option[] = "--from-literal";
    const struct pr_text text = scan->text;
    if (!pr_scan_begins_word(text, at) || !pr_scan_starts(text, at, option))
        return false;
    size_t name = at + sizeof option - 1;
    if (pr_scan_at(text, name) != '=' && (scan->place == PR_SCAN_ARGUMENT || !pr_scan_is_blank(pr_scan_at(text, name))))
        return false;
    name = pr_scan_skip(text, name + 1);
    if (scan->place == PR_SCAN_ARGUMENT)
        return pr_find_literal(text, name, hit);
    const bool is_quoted = pr_scan_is_quote(pr_scan_at(text, name));
    const size_t end = is_quoted ? pr_scan_quoted_end(text, name + 1, text.bytes[name], false) : 0;
    if (is_quoted)
        return pr_find_literal(pr_text_part(text, 0, end), name + 1, hit);
    size_t value = name;
    while (value < text.length && pr_scan_is_name(text.bytes[value]))
        value++;
    if (value == name || pr_scan_at(text, value) != '=')
        return false;
    return pr_scan_word(text, value + 1, hit);
}
