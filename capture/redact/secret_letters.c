/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/redact/secret_letters.h"

#include <string.h>

const struct pr_password_letters pr_password_letters[] = {
    {"mysql", "", "p", "", NULL},     {"mariadb", "", "p", "", NULL},   {"mydumper", "p", "p", "", NULL},
    {"myloader", "p", "p", "", NULL}, {"sshpass", "p", "p", "", NULL},  {"7z", "", "p", "", NULL},
    {"rar", "", "p", "", NULL},       {"unrar", "", "p", "", NULL},     {"zip", "P", "P", "", NULL},
    {"unzip", "P", "P", "", NULL},    {"mongo", "p", "p", "", NULL},    {"redis-cli", "a", "a", "", NULL},
    {"ldap", "w", "w", "", NULL},     {"sqlcmd", "P", "P", "", NULL},   {"bcp", "P", "P", "", NULL},
    {"cqlsh", "p", "p", "", NULL},    {"ipmitool", "P", "P", "", NULL}, {"rabbitmq", "p", "p", "", NULL},
    {"az", "p", "", "", NULL},        {"beeline", "p", "p", "", NULL},  {"curl", "b", "b", "uU", NULL},
    {"wget", "", "", "", NULL},       {"http", "", "", "a", NULL},      {"docker", "", "", "", NULL},
    {"podman", "", "", "", NULL},     {"nerdctl", "", "", "", NULL},    {"kubectl", "", "", "", NULL},
    {"runuser", "", "", "", NULL},    {"chown", "", "", "", NULL},      {"install", "", "", "", NULL},
    {"login", "p", "p", "", NULL},    {"smb", "", "", "U", NULL},       {"twine", "p", "p", "", NULL},
    {"openssl", "kK", "", "", NULL},  {"rpcclient", "", "", "U", NULL}, {"lftp", "", "", "u", ",:"},
    {"useradd", "p", "", "", NULL},   {"usermod", "p", "", "", NULL},   {"ssh-keygen", "NP", "", "", NULL},
    {"rdesktop", "p", "p", "", NULL}, {"xfreerdp", "", "", "", NULL},   {"wlfreerdp", "", "", "", NULL},
    {"sdl-freerdp", "", "", "", NULL}, {NULL, NULL, NULL, NULL, NULL}};

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

size_t pr_password_prefix(unsigned program, struct pr_text word)
{
    static const struct {
        const char *program, *prefix;
    } prefixes[] = {{"rar", "-hp"},          {"xfreerdp", "/p:"},   {"xfreerdp", "/gp:"},   {"wlfreerdp", "/p:"},
                    {"wlfreerdp", "/gp:"}, {"sdl-freerdp", "/p:"}, {"sdl-freerdp", "/gp:"}};
    for (size_t i = 0; program && i < sizeof prefixes / sizeof *prefixes; i++) {
        const size_t length = strlen(prefixes[i].prefix);
        if (strcmp(prefixes[i].program, pr_password_letters[program - 1].program) == 0 && word.length > length &&
            memcmp(word.bytes, prefixes[i].prefix, length) == 0)
            return length;
    }
    return 0;
}
