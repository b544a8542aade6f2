# SPDX-License-Identifier: Apache-2.0
"""A card within another page: a frame in which it can neither read that page nor act in the name of its reader."""

import base64
import hashlib
import html
import json

POLICY = "script-src "
OPEN = "location.hash ||= %s"


def opened(page, state):
    """PAGE, a card, that shows STATE first, which is what follows the # in its address: "tab=leaks".

    The address of a srcdoc frame cannot contain it, so the page sets it itself. A page without a script stays as it is.
    """
    script = OPEN % json.dumps(state)
    head, body, rest = page.partition("<body")
    if POLICY not in head or not body or "<" in script:
        return page
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    tag, end, rest = rest.partition(">")
    return f"{head}{body}{tag}{end}<script>{script}</script>{rest}".replace(POLICY, f"{POLICY}'sha256-{digest}' ", 1)


def embed(page, height="85vh", state=""):
    """HTML of a frame that shows PAGE, the text of a card; STATE first, if there is one."""
    page = opened(page, state) if state else page
    return ('<iframe title="profrender" sandbox="allow-scripts allow-downloads" '
            f'style="display:block;width:100%;height:{html.escape(height)};border:0" srcdoc="{html.escape(page)}">'
            '</iframe>')


# A frame's page has the theme of the element that it is in; without this it would have that of the reader's system.
THEMES = ('<style>[data-jp-theme-light="false"] iframe[title=profrender],.vscode-dark iframe[title=profrender]'
          '{color-scheme:dark}[data-jp-theme-light="true"] iframe[title=profrender],'
          '.vscode-light iframe[title=profrender]{color-scheme:light}</style>')


def in_notebook(page, height="85vh"):
    """The same for the output of a cell: dark where the notebook is dark."""
    return THEMES + embed(page, height)
