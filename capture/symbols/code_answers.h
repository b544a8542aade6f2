/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions at many addresses, found by several threads: one file of code is asked by one thread only, as elfutils
 * shares no state between files, but locks nothing within one.
 *
 *     struct pr_code_answers answers = {.files = {.words = 1}};
 *     pr_code_answers_ask(&answers, elf, address);        // question 0, then 1, ...
 *     pr_code_answers_find(&answers, threads);
 *     const struct pr_code_answer *answer = pr_code_answers_get(&answers, 0);
 *     for (uint32_t i = 0; answer && i < answer->count; i++)
 *         use(pr_code_answers_function(&answers, answer, i));     // outermost first
 *     pr_code_answers_clear(&answers);
 *
 * What is not answered, as a file has very many functions or memory ran out, can still be asked for by itself; not
 * where it ran out in elfutils, as such a file gives no more answers.
 */
#ifndef PR_CAPTURE_SYMBOLS_CODE_ANSWERS_H
#define PR_CAPTURE_SYMBOLS_CODE_ANSWERS_H

#include "capture/base/idset.h"
#include "capture/symbols/elf_file.h"
#include "profrender/buf.h"

/* A function at an address, as it is shown. */
struct pr_code_function {
    const char *name; /* demangled; [name_length], without a NUL */
    size_t name_length;
    const char *file; /* NULL = unknown; borrowed until its file of code is closed */
    int32_t line;     /* 0 = unknown */
    bool runs_python; /* the interpreter's loop */
};

struct pr_code_answer {
    uint32_t asker;
    uint32_t first; /* of its functions among those of the asker */
    uint32_t count; /* PR_NO_ID: not found out */
};

struct pr_code_question {
    uint64_t address;
    uint32_t asker;
};

struct pr_code_asker; /* one for each file */

struct pr_code_answers {
    struct pr_code_question *question; /* [count] */
    struct pr_code_answer *answer;     /* [count] */
    size_t count, question_capacity, answer_capacity;
    struct pr_idset files;       /* by their pointer */
    struct pr_code_asker *asker; /* [files.count] */
    size_t asker_capacity;
    uint32_t *order; /* [count] questions by asker, then as they were asked */
};

/* Notes a question to ELF, which is borrowed; NULL has no functions. False: out of memory, and it is not noted. */
bool pr_code_answers_ask(struct pr_code_answers *answers, struct pr_elf *elf, uint64_t address);

/* Answers all questions, by at most THREADS threads with the caller's. Once; nothing else uses the files meanwhile. */
void pr_code_answers_find(struct pr_code_answers *answers, unsigned threads);

/* The answer to question NUMBER, in the order of pr_code_answers_ask. NULL: none. */
const struct pr_code_answer *pr_code_answers_get(const struct pr_code_answers *answers, size_t number);

/* Function INDEX of ANSWER; its name is borrowed from ANSWERS. */
struct pr_code_function pr_code_answers_function(const struct pr_code_answers *answers,
                                                 const struct pr_code_answer *answer, uint32_t index);

/* The function as it is shown, from one of elf_file.h; its name is appended to NAMES, which may fail. */
struct pr_code_function pr_code_function_of(const struct pr_elf_frame *frame, struct pr_buf *names);

void pr_code_answers_clear(struct pr_code_answers *answers);

#endif
