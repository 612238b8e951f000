"""Which Chromium draws the pages, and which one is tried where it matters what is around a page."""

import os

PAGES = os.environ.get("ROOMFUL_CHROMIUM", "/usr/bin/chromium-headless-shell")
WHOLE = "/usr/bin/chromium"
