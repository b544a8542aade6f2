/* SPDX-License-Identifier: Apache-2.0 */
/* An item of the crew is a file with all of its questions; it writes to its own lists only. */
#include "capture/symbols/code_answers.h"

#include "capture/base/checked.h"
#include "capture/base/crew.h"
#include "capture/symbols/demangle.h"

#include <stdlib.h>
#include <string.h>

/* As struct pr_code_function, but names move as they become more. */
struct known {
    size_t name_at, name_length; /* in `names` */
    const char *file;
    int32_t line;
    bool runs_python;
};

struct pr_code_asker {
    struct pr_elf *elf;
    uint32_t count; /* of its questions */
    uint32_t from;  /* the first of them in `order` */
    struct known *known;
    size_t known_count, known_capacity;
    struct pr_buf names;
};

/* The number of the asker of ELF. PR_NO_ID: out of memory. */
static uint32_t asker_of(struct pr_code_answers *answers, struct pr_elf *elf)
{
    const uint64_t key = (uintptr_t)elf;
    const uint32_t count = answers->files.count;
    if (!pr_grow(&answers->asker, &answers->asker_capacity, count + (size_t)1, sizeof *answers->asker))
        return PR_NO_ID;
    const uint32_t number = pr_idset_add(&answers->files, &key, 1);
    if (number == count)
        answers->asker[number] = (struct pr_code_asker){.elf = elf};
    return number;
}

bool pr_code_answers_ask(struct pr_code_answers *answers, struct pr_elf *elf, uint64_t address)
{
    const size_t count = answers->count;
    if (count >= UINT32_MAX ||
        !pr_grow(&answers->question, &answers->question_capacity, count + 1, sizeof *answers->question) ||
        !pr_grow(&answers->answer, &answers->answer_capacity, count + 1, sizeof *answers->answer))
        return false;
    const uint32_t asker = asker_of(answers, elf);
    if (asker == PR_NO_ID)
        return false;
    answers->question[count] = (struct pr_code_question){address, asker};
    answers->answer[count] = (struct pr_code_answer){asker, 0, PR_NO_ID};
    answers->asker[asker].count++;
    answers->count++;
    return true;
}

/* ---- by one thread ----------------------------------------------------------------------------------------------- */

static bool runs_python(const char *symbol)
{
    return strstr(symbol, "_PyEval_EvalFrameDefault") || !strncmp(symbol, "_TAIL_CALL_", strlen("_TAIL_CALL_"));
}

struct pr_code_function pr_code_function_of(const struct pr_elf_frame *frame, struct pr_buf *names)
{
    const size_t before = names->length;
    pr_demangle(frame->function, names);
    return (struct pr_code_function){
        .name = names->failed ? "" : names->bytes + before,
        .name_length = names->length - before,
        .file = frame->file,
        .line = frame->line,
        .runs_python = runs_python(frame->function),
    };
}

static bool note(struct pr_code_asker *asker, const struct pr_elf_frame *frame)
{
    if (!pr_grow(&asker->known, &asker->known_capacity, asker->known_count + 1, sizeof *asker->known))
        return false;
    const size_t at = asker->names.length;
    const struct pr_code_function function = pr_code_function_of(frame, &asker->names);
    asker->known[asker->known_count++] =
        (struct known){at, function.name_length, function.file, function.line, function.runs_python};
    return !asker->names.failed;
}

/* False: out of memory. */
static bool find(struct pr_code_asker *asker, uint64_t address, struct pr_code_answer *answer)
{
    struct pr_elf_frame frames[PR_ELF_FRAMES];
    const size_t first = asker->known_count;
    const int count = asker->elf ? pr_elf_frames(asker->elf, address, frames) : 0;
    for (int i = count; i-- > 0;)
        if (!note(asker, &frames[i]))
            return false;
    if (count < 0 || first > UINT32_MAX)
        return false;
    answer->first = (uint32_t)first;
    answer->count = (uint32_t)count;
    return true;
}

/* Of the functions that one file has; what is not answered then is found by itself. */
enum { MOST_NAME_BYTES = 1 << 20, MOST_KNOWN = 1 << 16 };

static bool find_all(void *context, unsigned worker, size_t item)
{
    (void)worker;
    struct pr_code_answers *answers = context;
    struct pr_code_asker *asker = &answers->asker[item];
    for (uint32_t i = 0; i < asker->count; i++) {
        const uint32_t number = answers->order[asker->from + i];
        if (asker->names.length >= MOST_NAME_BYTES || asker->known_count >= MOST_KNOWN ||
            !find(asker, answers->question[number].address, &answers->answer[number]))
            break;
    }
    return true;
}

/* ---- by all of them ---------------------------------------------------------------------------------------------- */

/* Sorts the questions by asker. False: out of memory. */
static bool put_in_order(struct pr_code_answers *answers)
{
    uint32_t from = 0;
    answers->order = malloc((answers->count + 1) * sizeof *answers->order);
    if (!answers->order)
        return false;
    for (uint32_t i = 0; i < answers->files.count; i++) {
        answers->asker[i].from = from;
        from += answers->asker[i].count;
        answers->asker[i].count = 0;
    }
    for (size_t i = 0; i < answers->count; i++) {
        struct pr_code_asker *asker = &answers->asker[answers->question[i].asker];
        answers->order[asker->from + asker->count++] = (uint32_t)i;
    }
    return true;
}

void pr_code_answers_find(struct pr_code_answers *answers, unsigned threads)
{
    if (!put_in_order(answers))
        return;
    struct pr_crew *crew = pr_crew_new(threads < answers->files.count ? threads : answers->files.count);
    pr_crew_run(crew, answers->files.count, find_all, answers);
    pr_crew_free(crew);
}

const struct pr_code_answer *pr_code_answers_get(const struct pr_code_answers *answers, size_t number)
{
    return number < answers->count && answers->answer[number].count != PR_NO_ID ? &answers->answer[number] : NULL;
}

struct pr_code_function pr_code_answers_function(const struct pr_code_answers *answers,
                                                 const struct pr_code_answer *answer, uint32_t index)
{
    const struct pr_code_asker *asker = &answers->asker[answer->asker];
    const struct known *known = &asker->known[answer->first + index];
    return (struct pr_code_function){asker->names.bytes + known->name_at, known->name_length, known->file, known->line,
                                     known->runs_python};
}

void pr_code_answers_clear(struct pr_code_answers *answers)
{
    for (uint32_t i = 0; i < answers->files.count; i++) {
        free(answers->asker[i].known);
        pr_buf_clear(&answers->asker[i].names);
    }
    pr_idset_clear(&answers->files);
    free(answers->asker);
    free(answers->question);
    free(answers->answer);
    free(answers->order);
    *answers = (struct pr_code_answers){.files = {.words = 1}};
}
