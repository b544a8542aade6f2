/* SPDX-License-Identifier: Apache-2.0 */
/* Units of time in one another. Signed, as times are. */
#ifndef PR_CAPTURE_BASE_TIME_H
#define PR_CAPTURE_BASE_TIME_H

#include <stdint.h>

#define PR_NS_PER_MS INT64_C(1000000)
#define PR_NS_PER_S INT64_C(1000000000)

#endif
