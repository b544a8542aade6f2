/* SPDX-License-Identifier: Apache-2.0 */
/* What a card is made of, in the order of the questions: what ran, did it fail, what to know, how much, when, where. */
#include "render/page/section.h"

extern const struct pr_section pr_section_header, pr_section_failure, pr_section_banner, pr_section_reading_notes,
    pr_section_findings, pr_section_notes, pr_section_totals, pr_section_timeline, pr_section_profile,
    pr_section_commands, pr_section_footer, pr_section_difference, pr_section_verdict, pr_section_runs,
    pr_section_few_totals, pr_section_sizes, pr_section_objects, pr_section_phases, pr_section_how_to_read,
    pr_section_difference_phases, pr_section_sides, pr_section_heat, pr_section_heat_below;

const struct pr_section *const pr_sections[PR_PAGE_SECTIONS + 1] = {
    &pr_section_header,
    &pr_section_few_totals,
    &pr_section_failure,
    &pr_section_banner,
    &pr_section_reading_notes,
    &pr_section_sides,
    &pr_section_verdict,
    &pr_section_findings,
    &pr_section_notes,
    &pr_section_totals,
    &pr_section_runs,
    &pr_section_timeline,
    &pr_section_phases,
    &pr_section_heat,
    &pr_section_profile,
    &pr_section_heat_below,
    &pr_section_difference,
    &pr_section_difference_phases,
    &pr_section_sizes,
    &pr_section_objects,
    &pr_section_commands,
    &pr_section_footer,
    &pr_section_how_to_read,
    NULL,
};

bool pr_section_is_last(const struct pr_section *section)
{
    return section == &pr_section_heat || section == &pr_section_heat_below || section == &pr_section_commands;
}
