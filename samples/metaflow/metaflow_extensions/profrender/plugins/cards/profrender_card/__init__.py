# SPDX-License-Identifier: Apache-2.0
"""The card type `profrender`: hands over a page that profrender has made, and makes it fit into the frame of the UI.

The page is one of @profile_card, or an attribute of the step: what profrender.frame() returns, or its text.
"""

import base64
import hashlib

from metaflow.cards import MetaflowCard

# The UI of Metaflow shows a card in a frame. From another origin it learns the card's height by this message only.
TELL_HEIGHT = """(() => {
  const tell = () => parent.postMessage(
    { name: window.name, type: 'PluginHeightCheck', height: document.documentElement.offsetHeight }, '*');
  if (parent === window) return;
  new ResizeObserver(tell).observe(document.documentElement);
  addEventListener('load', tell);
})();"""


def fitted(page):
    """PAGE with the script above, which its Content-Security-Policy then allows as well."""
    digest = base64.b64encode(hashlib.sha256(TELL_HEIGHT.encode()).digest()).decode()
    none, policy, script = "default-src 'none'", "script-src ", f"<script>{TELL_HEIGHT}</script>"
    if policy not in page:  # the page of a table has no script
        page = page.replace(none, f"{none}; {policy}", 1)
    head, found, rest = page.rpartition("</body>")
    if not found or policy not in page:
        return page
    return (head + script + found + rest).replace(policy, f"{policy}'sha256-{digest}' ", 1)


class ProfrenderCard(MetaflowCard):
    type = "profrender"

    def __init__(self, options=None, **_):
        self.path = (options or {}).get("page")
        self.attribute = (options or {}).get("attribute")

    def render(self, task):
        if self.attribute:
            page = task[self.attribute].data
            return fitted(getattr(page, "html", page))
        if not self.path:
            raise ValueError("this card is made by @profile_card; with options={'attribute': NAME} it shows the page "
                             "that is the attribute NAME of the step")
        with open(self.path, encoding="utf-8") as page:
            return fitted(page.read())


CARDS = [ProfrenderCard]
