# SPDX-License-Identifier: Apache-2.0
"""What this extension adds to Metaflow."""

STEP_DECORATORS_DESC = [("profile_card", ".profile_card.ProfileCard")]
