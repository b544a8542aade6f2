# SPDX-License-Identifier: Apache-2.0
"""pytest --profrender: a card for each test. `plugin` is what pytest loads."""
