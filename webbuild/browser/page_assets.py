"""Files of the pages that Python drives: their own scripts, and shared ones."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files

from webbuild.browser.media_types import media_type

_SHARED_SCRIPTS = ("arrays.js", "base64.js", "calls.js", "counters.js", "counting.js", "shaders.js", "worker-rpc.js")
_INDEX = """<!doctype html>
<meta charset="utf-8">
<title>webbuild</title>
<link rel="icon" href="data:,">
<script type="module" src="{script}"></script>
"""


def load_page_assets(package: str, names: Sequence[str], url_prefix: str) -> dict[str, tuple[str, bytes]]:
    """Return media types and contents of a page and its scripts.

    Args:
        package: the package with the scripts in its folder `page`.
        names: names of its scripts; `index.html` runs the first.
        url_prefix: the path of all files on the server.
    """
    scripts = {name: files(package).joinpath("page", name) for name in names}
    scripts |= {name: files("webbuild.browser").joinpath("page", name) for name in _SHARED_SCRIPTS}
    index = _INDEX.format(script=names[0]).encode()
    return {
        f"{url_prefix}index.html": (media_type("index.html"), index),
        **{url_prefix + name: (media_type(name), script.read_bytes()) for name, script in scripts.items()},
    }
