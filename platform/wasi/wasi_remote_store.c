/* SPDX-License-Identifier: Apache-2.0 */
/* For cli/check/remote_store.c: no other program can be started here. */
#include "cli/check/remote_store.h"

#include "cli/io/exit.h"
#include "cli/io/say.h"

bool pr_remote_is_address(const char *text)
{
    (void)text;
    return false;
}

int pr_remote_fetch(const char *address, const char *branch, char folder[PATH_MAX])
{
    (void)branch;
    folder[0] = '\0';
    pr_say("%s: no tool can be started here", address);
    return PR_EXIT_INPUT;
}

int pr_remote_send(const char *address, const char *branch, const char *name, const void *bytes, size_t length)
{
    (void)branch, (void)name, (void)bytes, (void)length;
    pr_say("%s: no tool can be started here", address);
    return PR_EXIT_OUTPUT;
}

void pr_remote_forget(const char *folder)
{
    (void)folder;
}
