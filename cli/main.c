/* SPDX-License-Identifier: Apache-2.0 */
/* The program: finds the command and hands over. What it does before guards whatever the command writes. */
#include "profrender/load.h"
#include "cli/help.h"
#include "cli/manual.h"
#include "cli/args/options.h"
#include "cli/io/output.h"
#include "cli/io/terminal_names.h"
#include "cli/io/unfinished.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/*
 * A closed standard descriptor would be the next one that open() returns, and messages would land in a card. Those that
 * are closed become ones that fail as closed ones do, and are closed again for a program that is started.
 */
static void keep_standard_descriptors(void)
{
    static const int modes[] = {O_WRONLY, O_RDONLY, O_WRONLY};
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            (void)!open("/dev/null", modes[fd] | O_CLOEXEC); /* the lowest free number: FD */
}

static int print_version(void)
{
    struct pr_output out;
    pr_output_open(&out, NULL);
    pr_output_printf(&out, "profrender %s\n", pr_version());
    return pr_output_finish(&out);
}

static const struct pr_command *find_command(const char *name)
{
    for (size_t i = 0; pr_commands[i]; i++)
        if (strcmp(pr_commands[i]->name, name) == 0)
            return pr_commands[i];
    return NULL;
}

static int unknown_command(const char *name)
{
    enum { MOST = 64 };
    const char *names[MOST + 1] = {NULL};
    for (size_t i = 0; i < MOST && pr_commands[i]; i++)
        names[i] = pr_commands[i]->name;
    const char *near = pr_nearest(name, names, sizeof *names);
    if (access(name, F_OK) == 0 && !near)
        return pr_wrong_usage(NULL, "which command? For a page: profrender card %s", name);
    if (strcmp(name, "version") == 0)
        near = "--version";
    if (near)
        return pr_wrong_usage(NULL, "there is no command '%s'; did you mean '%s'?", name, near);
    return pr_wrong_usage(NULL, "there is no command '%s'", name);
}

static bool is_in(const struct pr_option *table, const char *words)
{
    const size_t length = strcspn(words, "=");
    for (; table->name; table++) {
        const bool is_long = words[1] == '-' && strlen(table->name) == length - 2;
        if (is_long ? !strncmp(table->name, words + 2, length - 2) : words[1] != '-' && table->letter == words[1])
            return true;
    }
    return false;
}

/* An option where the command should be. */
static int option_first(const char *words)
{
    for (size_t i = 0; pr_commands[i]; i++)
        if (is_in(pr_commands[i]->options, words) || is_in(pr_options_common(pr_commands[i]), words))
            return pr_wrong_usage(NULL, "the command comes first: profrender COMMAND %s", words);
    return pr_wrong_usage(NULL, "there is no option %s", words);
}

/* `profrender help`, `profrender help card`, `profrender help --man card`. */
static int help(const char *name)
{
    if (!name || strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return pr_help_program();
    const struct pr_command *command = find_command(name);
    return command ? pr_help_command(command) : unknown_command(name);
}

static int manual(const char *name)
{
    if (!name)
        return pr_manual_program();
    const struct pr_command *command = find_command(name);
    return command ? pr_manual_command(command) : unknown_command(name);
}

static int run(const struct pr_command *command, int argc, char **argv)
{
    const int status = command->run_with_all ? command->run_with_all(command, pr_commands, argc, argv)
                                             : command->run(command, argc, argv);
    return status == PR_SHOW_HELP ? pr_help_command(command) : status;
}

int main(int argc, char **argv)
{
    keep_standard_descriptors();
    pr_unfinished_init();
    pr_text_init();
    const char *name = argc > 1 ? argv[1] : NULL;
    if (!name)
        return pr_wrong_usage(NULL, "which command?");
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        return print_version();
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return help(NULL);
    if (strcmp(name, "help") == 0)
        return argv[2] && strcmp(argv[2], "--man") == 0 ? manual(argv[3]) : help(argv[2]);
    if (name[0] == '-' && name[1])
        return option_first(name);
    const struct pr_command *command = find_command(name);
    return command ? run(command, argc - 1, argv + 1) : unknown_command(name);
}
