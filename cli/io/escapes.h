/* SPDX-License-Identifier: Apache-2.0 */
/* Texts in what build servers read: XML of JUnit, and commands of GitHub's workflows. */
#ifndef PR_CLI_IO_ESCAPES_H
#define PR_CLI_IO_ESCAPES_H

#include "profrender/buf.h"

#include <stdbool.h>
#include <stddef.h>

/* For an element or an attribute. What XML 1.0 does not allow becomes U+FFFD, as does what is not UTF-8. */
void pr_xml_text(struct pr_buf *buf, const char *bytes, size_t length);

/* For a message, or a property such as the title. */
void pr_workflow_text(struct pr_buf *buf, const char *bytes, size_t length, bool is_property);

#endif
