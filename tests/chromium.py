"""The Chromium that opens pages in tests and benchmarks, if there is one."""

import shutil

BROWSERS = "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"
"""The first that is there is taken; the headless shell has no window to lay out and paint."""
CHROMIUM = next(filter(None, map(shutil.which, BROWSERS)), None)
WHY_NOT = "no Chromium is installed (Debian: apt-get install chromium)"
