/* SPDX-License-Identifier: Apache-2.0 */
/* Exit statuses. */
#ifndef PR_CLI_IO_EXIT_H
#define PR_CLI_IO_EXIT_H

/* What the program returns; scripts rely on it. */
enum pr_exit {
    PR_EXIT_DONE = 0,
    PR_EXIT_NO = 1,     /* a check said no */
    PR_EXIT_USAGE = 2,  /* wrong usage */
    PR_EXIT_INPUT = 3,  /* an input could not be used */
    PR_EXIT_OUTPUT = 4, /* an output could not be written */
    PR_SHOW_HELP = 256  /* not a status: a command found --help among its options, and main shows its help */
};

/* What is returned, and what it means; ends with an entry without a text. */
struct pr_exit_meaning {
    int status; /* below 0: any other, "n" */
    const char *text;
};

#endif
