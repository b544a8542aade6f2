/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names as people write them: "java/util/HashMap$Node" is java.util.HashMap$Node, "[B" is byte[].
 *
 * Classes that the JVM makes up at run time have an address or a number in their names that no two runs share:
 * "Work$$Lambda$96+0x00007f55", "LambdaForm$MH/0x00000080". They are left out, so that runs can be compared.
 *
 * A recording has no names of source files. The file is what javac would have compiled: that of the outermost class.
 *
 * Source: The Java Virtual Machine Specification 4.2.1, 4.3.2; OpenJDK src/hotspot/share/classfile/classFileParser.cpp,
 * mangle_hidden_class_name.
 */
#ifndef PR_CAPTURE_JFR_JFR_NAMES_H
#define PR_CAPTURE_JFR_JFR_NAMES_H

#include "capture/jfr/jfr.h"

/* Appends the text of a field: a string, a key of a string, or of a constant whose first field is a string. */
void pr_jfr_add_text(const struct pr_jfr *r, uint32_t type, uint32_t field, const struct pr_jfr_value *values,
                     struct pr_buf *out);

/* The same as a string of the profile; 0: it has none. */
pr_str pr_jfr_text(struct pr_jfr *r, uint32_t type, uint32_t field, const struct pr_jfr_value *values);

/* Appends the class NAME, as the JVM has it, in Java's form. */
void pr_jfr_add_class(struct pr_text name, struct pr_buf *out);

/* Appends the file that the class NAME, as the JVM has it, comes from. */
void pr_jfr_add_file(struct pr_text name, struct pr_buf *out);

#endif
