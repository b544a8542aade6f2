/* SPDX-License-Identifier: Apache-2.0 */
/* memray 12 and 13: code objects by their ids, and the frame for each instruction in them that was seen. */
#include "capture/base/checked.h"
#include "capture/memray/memray.h"

#include <stdlib.h>

enum pr_status pr_memray_codes_add(struct pr_memray_codes *codes, struct pr_stack_table *builder, uint64_t id,
                                   const struct pr_memray_code *code, uint64_t offset, struct pr_error *err)
{
    uint32_t known = codes->ids.count;
    codes->ids.words = 1;
    codes->ids.limit = builder->frames.limit;
    if (!pr_grow(&codes->code, &codes->capacity, known + (size_t)1, sizeof *codes->code))
        return pr_fail_memory(err);
    uint32_t number = pr_idset_add(&codes->ids, &id, 1);
    if (number == PR_NO_ID)
        return codes->ids.count < codes->ids.limit
                   ? pr_fail_memory(err)
                   : pr_cut(err, PR_ERR_LIMIT, offset, "code object record", "too many code objects");
    if (number == known) /* ids are not reused: of a second definition, which only damage makes, the first one counts */
        codes->code[number] = *code;
    return PR_OK;
}

pr_frame_id pr_memray_codes_frame(struct pr_memray_codes *codes, struct pr_stack_table *builder, uint64_t id,
                                  int64_t offset)
{
    uint32_t number = pr_idset_find(&codes->ids, &id, 1);
    if (number == PR_NO_ID)
        return pr_stacks_frame(builder, 0, 0, 0, PR_FRAME_PYTHON);
    uint32_t known = codes->sites.count;
    codes->sites.words = 2;
    const uint64_t site[2] = {number, (uint64_t)offset};
    if (!pr_grow(&codes->site_frame, &codes->site_capacity, known + (size_t)1, sizeof *codes->site_frame))
        return PR_NO_ID;
    uint32_t index = pr_idset_add(&codes->sites, site, 2);
    if (index == PR_NO_ID)
        return PR_NO_ID;
    if (index == known) {
        struct pr_memray_code *code = &codes->code[number];
        const int32_t line = pr_memray_line(codes->python_version, code->table, code->table_length, code->first_line,
                                            offset, &code->marks);
        const bool is_line = code->first_line > 0 && code->first_line <= PR_MAX_DEFINITION_LINE;
        const int32_t begins = is_line ? code->first_line : 0;
        codes->site_frame[index] =
            pr_stacks_defined_frame(builder, code->function, code->file, line, PR_FRAME_PYTHON, begins);
    }
    return codes->site_frame[index];
}

void pr_memray_codes_clear(struct pr_memray_codes *codes)
{
    for (uint32_t i = 0; i < codes->ids.count; i++)
        free(codes->code[i].marks.mark);
    pr_idset_clear(&codes->ids);
    pr_idset_clear(&codes->sites);
    free(codes->code);
    free(codes->site_frame);
}
