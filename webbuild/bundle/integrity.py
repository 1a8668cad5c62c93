"""Subresource integrity: what a page says of the scripts and styles that it loads by itself."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path


def sri_hash(file: Path) -> str:
    """Return the value of an `integrity` attribute.

    Workers and dynamic imports cannot carry one. A script that is preloaded with one is the script that a later import
    gets; the engine's scripts are checked by the runtime, against the manifest.
    """
    return "sha384-" + base64.b64encode(hashlib.sha384(file.read_bytes()).digest()).decode()


def page_integrity(name: str, folder: Path, top: str = "./") -> dict[str, str]:
    """Return the integrity of what `index.html` of the bundle `name` loads, by its address.

    `top` is the address of the folder in which page and runtime lie.
    """
    addresses = (f"{top}page/page.css", f"{top}page/page.js", f"./{name}.js", f"{top}runtime/webbuild.js")
    return {address: sri_hash(folder / address) for address in addresses}
