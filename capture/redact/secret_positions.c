/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/redact/secret_positions.h"

#include "capture/redact/secret_names.h"

enum form {
    WHOLE,      /* all of the word */
    SETTING,    /* all of it, unless it is NAME=VALUE */
    VALUE,      /* X of NAME=X */
    AFTER_SLASH /* USER/X, USER/X@DATABASE, and userid=USER/X */
};

/* Rows of one program are next to each other. */
static const struct position {
    const char *program, *command; /* NULL: the program has one command; with a slash at its end: what begins so */
    char letter;                   /* only with this option; '\0': always */
    unsigned position;             /* of words that are no options, after the command, from 1; 0: all of them */
    enum form form;
} rows[] = {{"vault", "login", '\0', 1, SETTING},     {"vault", "write", '\0', 0, VALUE},
            {"vault", "kv", '\0', 0, VALUE},         {"htpasswd", NULL, 'b', 3, WHOLE},
            {"sqlplus", NULL, '\0', 1, AFTER_SLASH},  {"sqlldr", NULL, '\0', 1, AFTER_SLASH},
            {"expdp", NULL, '\0', 1, AFTER_SLASH},    {"impdp", NULL, '\0', 1, AFTER_SLASH},
            {"exp", NULL, '\0', 1, AFTER_SLASH},      {"imp", NULL, '\0', 1, AFTER_SLASH},
            {"rman", "target", '\0', 1, AFTER_SLASH}, {"rman", "catalog", '\0', 1, AFTER_SLASH},
            {"openssl", "passwd", '\0', 1, WHOLE},    {"mysqladmin", "password", '\0', 1, WHOLE},
            {"redis-cli", "auth", '\0', 0, WHOLE},    {"smbclient", "//", '\0', 1, WHOLE},
            {"rclone", "obscure", '\0', 1, WHOLE},    {"ansible-vault", "encrypt_string", '\0', 1, WHOLE},
            {"wandb", "login", '\0', 1, WHOLE},       {"snyk", "auth", '\0', 1, WHOLE},
            {"ngrok", "authtoken", '\0', 1, WHOLE},   {"rabbitmqctl", "add_user", '\0', 2, WHOLE},
            {"rabbitmqctl", "change_password", '\0', 2, WHOLE},
            {"mosquitto_passwd", NULL, 'b', 3, WHOLE}, {"oathtool", NULL, '\0', 1, WHOLE},
            {"net", "use", '\0', 2, WHOLE},           {"net", "user", '\0', 2, WHOLE}};

enum { ROWS = sizeof rows / sizeof *rows };

static bool is_program(unsigned row, struct pr_text name)
{
    return row < ROWS && pr_text_is(name, rows[row].program);
}

static bool is_command(struct pr_text word, const char *command)
{
    const size_t length = strlen(command);
    return pr_scan_starts(word, 0, command) && (word.length == length || command[length - 1] == '/');
}

/* The number + 1 of the row for a program's COMMAND; 0: its words are not secret. */
static unsigned row_of(unsigned first, struct pr_text command)
{
    const struct pr_text program = pr_text_of(rows[first].program);
    for (unsigned row = first; is_program(row, program); row++)
        if (!rows[row].command || is_command(command, rows[row].command))
            return row + 1;
    return 0;
}

/* htpasswd -nb has no file. */
static void note_options(struct pr_positions *positions, struct pr_text word)
{
    const struct pr_text letters = pr_text_from(word, 1);
    if (!letters.length || *letters.bytes == '-')
        return;
    const char letter = rows[positions->program - 1].letter;
    positions->has_letter = positions->has_letter || (letter && memchr(letters.bytes, letter, letters.length));
    positions->skips = positions->skips || (letter && memchr(letters.bytes, 'n', letters.length));
}

static bool find_secret(enum form form, struct pr_text word, struct pr_hit *hit)
{
    *hit = (struct pr_hit){0, word.length};
    const char *equals = memchr(word.bytes, '=', word.length);
    if (form == SETTING && equals)
        return false;
    if (form == VALUE) {
        hit->from = equals ? (size_t)(equals + 1 - word.bytes) : word.length;
        if (hit->from < word.length && word.bytes[hit->from] == '@') /* a file */
            return false;
    }
    if (form == AFTER_SLASH) {
        const char *slash = memchr(word.bytes, '/', word.length);
        const bool is_setting = equals && slash && equals < slash && !pr_scan_starts(word, 0, "userid=");
        if (!slash || slash == word.bytes || is_setting || *word.bytes == '@')
            return false;
        hit->from = (size_t)(slash + 1 - word.bytes);
        const char *at = memrchr(slash, '@', hit->to - hit->from + 1);
        hit->to = at ? (size_t)(at - word.bytes) : hit->to;
    }
    return hit->to > hit->from && !pr_secrecy_is_no_value(pr_text_part(word, hit->from, hit->to));
}

bool pr_secret_position(struct pr_positions *positions, struct pr_text word, struct pr_hit *hit)
{
    for (unsigned row = 0; row < ROWS; row++)
        if (is_program(row, pr_text_file_name(word))) {
            *positions = (struct pr_positions){.program = row + 1};
            return false;
        }
    if (!positions->program || !word.length)
        return false;
    if (*word.bytes == '-') {
        note_options(positions, word);
        return false;
    }
    if (!positions->row) {
        positions->row = row_of(positions->program - 1, word);
        if (!positions->row)
            *positions = (struct pr_positions){0};
        if (!positions->row || rows[positions->row - 1].command)
            return false;
    }
    const struct position *row = &rows[positions->row - 1];
    positions->seen++;
    if ((row->letter && !positions->has_letter) ||
        (row->position && positions->seen != row->position - (positions->skips ? 1 : 0)))
        return false;
    return find_secret(row->form, word, hit);
}
