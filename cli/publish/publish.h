/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the parts of `profrender publish` share. The path of a run: found below the folder (publish_find.c), compared
 * with what the site has (publish_site.c), made into a card by a process of its own (publish_pool.c, publish_make.c),
 * listed (publish_site.c), sent (publish_send.c).
 *
 * A site is a folder:
 *     index.html       the list, for people
 *     runs.json        the list, for programs and for the next time: schemas/runs.schema.json
 *     cards/          a card each; the name is made from the path of the source, so it stays the same
 */
#ifndef PR_CLI_PUBLISH_PUBLISH_H
#define PR_CLI_PUBLISH_PUBLISH_H

#include "cli/args/code_options.h"
#include "cli/args/command.h"
#include "cli/publish/publish_entries.h"
#include "cli/publish/site_folder.h"

#include <jansson.h>

enum pr_publish_kind {
    PR_PUBLISH_FILE, /* maybe a capture or profile: the reader decides */
    PR_PUBLISH_RUN,  /* a folder with run.json or timeline.jsonl */
    PR_PUBLISH_CARD  /* a card that was made before */
};

struct pr_publish_item {
    char *path;         /* for messages */
    char *source;       /* below the folder that is published; "." is that folder itself */
    char *listed;       /* the source as the site may name it: itself, or hashes (--redact names) */
    bool hides_names;   /* it is hashes */
    char *shown_source; /* what is listed, as the list has it: every character is visible */
    enum pr_publish_kind kind;
    char card[128]; /* address in the site; says which entry of runs.json it is, too */
    char key[17];   /* changes when the source, the options or the program change */
    bool shares_card; /* another source has that address */
    uint64_t size_bytes;
    json_t *entry; /* owned: its object in runs.json; NULL until known */
};

struct pr_publish_items {
    struct pr_publish_item *items;
    size_t count, capacity;
    size_t left_out; /* links, and what could not be looked at: these were reported */
    size_t unseen;   /* those of them that may hold runs not known now */
    int folder_fd;   /* the input; sources are opened beneath it */
};

struct pr_publish_settings {
    struct pr_common common;
    const char *title;
    int theme; /* enum pr_theme */
    struct pr_code_options code;
    const struct pr_card_options *how; /* what follows from these for all cards */
    uint64_t jobs, time_limit_s; /* 0 = one for each processor; no limit */
    bool prune;
    const char *to, *endpoint, *region;
    const char *commit_url; /* NULL: commits are not linked */
    struct pr_site site;
};

/* ---- publish_find.c ---------------------------------------------------------------------------------------------- */

/* Opens the folder that is published. Returns 0 or an exit status with the reason reported; ITEMS is then empty. */
int pr_publish_open_input(const struct pr_publish_settings *settings, struct pr_publish_items *items);

/*
 * Fills ITEMS, by source, with everything below the input that may be a run; hidden files, links and the site itself
 * are left out. Returns 0 or an exit status with the reason reported; pr_publish_items_clear also after an error.
 */
int pr_publish_find(const struct pr_publish_settings *settings, struct pr_publish_items *items);

/* Marks all but one of the items that share an address. False: out of memory. */
bool pr_publish_tell_cards_apart(struct pr_publish_items *items);

/*
 * train.html is the card of train.bin next to it: both begin with "train.". True: the card CARD of ITEMS has a capture
 * that is known by now, so the card made from that is shown.
 */
bool pr_publish_has_capture(const struct pr_publish_items *items, size_t card);

void pr_publish_items_clear(struct pr_publish_items *items);

/* ---- publish_make.c ---------------------------------------------------------------------------------------------- */

/*
 * Makes the card of ITEM, which is below INPUT_FD; *FACTS, owned by the caller, becomes what the index shows of it. For
 * what is not a capture at all it is {"ignored": true}. "passing" is true in it when the problem may be gone next time:
 * no memory, no descriptors, an error of the disk. Returns 0, or PR_EXIT_OUTPUT when the site cannot be written.
 */
int pr_publish_make(const struct pr_publish_settings *settings, int input_fd, const struct pr_publish_item *item,
                    json_t **facts);

/* The facts of something that cannot be read. PASSING: next time it may be readable. */
json_t *pr_publish_unreadable(const struct pr_publish_item *item, const char *problem, bool passing);

/* ---- publish_pool.c ---------------------------------------------------------------------------------------------- */

/*
 * Makes the cards of all items without an entry, several at once, each in a process of its own, so that a reader that
 * crashes takes none of the others down; what is made is saved now and then. Returns 0, or PR_EXIT_OUTPUT.
 */
int pr_publish_make_all(const struct pr_publish_settings *settings, struct pr_publish_items *items, json_t *known);

/* ---- publish_site.c ---------------------------------------------------------------------------------------------- */

/* What the site has so far: checked entries by address of card. Empty for a new one. Returns 0 or an exit status. */
int pr_publish_read_site(const struct pr_publish_settings *settings, json_t **known);

/* Gives unchanged items their entries; the entries that are left in KNOWN no longer have a source. */
void pr_publish_reuse(const struct pr_publish_settings *settings, struct pr_publish_items *items, json_t *known);

/* Writes runs.json alone, so that what was made is not made again should the rest be interrupted. */
int pr_publish_remember(const struct pr_publish_settings *settings, const struct pr_publish_items *items,
                        json_t *known);

/* Writes index.html and runs.json; with --prune, removes the cards of KNOWN. Returns 0 or PR_EXIT_OUTPUT. */
int pr_publish_write_site(const struct pr_publish_settings *settings, const struct pr_publish_items *items,
                          json_t *known);

/* ---- publish_before.c -------------------------------------------------------------------------------------------- */

/*
 * Has each card say how its figures differ from those of the runs before, as far as it does not yet. INDEX has the
 * entries of RUNS, in their order. Returns 0, or PR_EXIT_OUTPUT with the reason reported.
 */
int pr_publish_tell_before(const struct pr_publish_settings *settings, const struct pr_index *index, json_t *runs);

/* In the entry of a card that may say so already, of the runs of another site. */
#define PR_PUBLISH_BEFORE_OTHERS "0000000000000000"

/* ---- publish_send.c ---------------------------------------------------------------------------------------------- */

/* Reports what is wrong with --to, before work is done for it. Returns 0 or PR_EXIT_USAGE. */
int pr_publish_check_to(const struct pr_command *command, const struct pr_publish_settings *settings);

/*
 * Sends what is listed to where --to says, with the user's own tool: what is missing there or differs, the index last,
 * so that it never leads to a card that is not there. Deletes nothing. Returns 0, or PR_EXIT_OUTPUT with the reason
 * reported.
 */
int pr_publish_send(const struct pr_publish_settings *settings, const struct pr_publish_items *items, json_t *known);

#endif
