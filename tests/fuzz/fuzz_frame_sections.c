/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a description of sections, in a folder without files that it may read: it is refused with a reason, or
 * each section has what its kind shows; and no page has an element that the input chose.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "profrender/data_sections.h"
#include "render/frame/frame_card.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void check(const struct pr_data_sections *sections)
{
    const struct pr_frame_card_options how = {.title = "<script>alert(1)</script>"};
    struct pr_buf page = {0};
    must(sections->count > 0 && sections->count <= PR_MOST_SECTIONS);
    for (size_t i = 0; i < sections->count; i++) {
        const struct pr_data_section *section = &sections->sections[i];
        must(section->kind < PR_SECTION_KINDS && section->title.length > 0);
        must((section->frame != NULL) == (section->kind <= PR_SECTION_GANTT));
        must((section->media != NULL) == (section->kind == PR_SECTION_IMAGE));
    }
    must(pr_render_sections(sections, &how, &page, NULL) == PR_OK);
    must(!memmem(page.bytes, page.length, "<script", 7) && !memmem(page.bytes, page.length, "<iframe", 7));
    pr_buf_clear(&page);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct pr_data_sections *sections = NULL;
    struct pr_error err = {0};
    char path[64];
    const int fd = memfd_create("sections", MFD_CLOEXEC);
    if (fd < 0 || write(fd, bytes, length) != (ssize_t)length)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (pr_data_sections_read(path, NULL, &sections, &err) == PR_OK)
        check(sections);
    else
        must(err.code != PR_ERR_NONE && !sections);
    pr_data_sections_free(sections);
    close(fd);
    return 0;
}
