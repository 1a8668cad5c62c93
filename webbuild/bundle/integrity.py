"""Subresource integrity of the scripts and styles that a page loads itself."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path


def sri_hash(file: Path) -> str:
    """Return the value of an `integrity` attribute.

    Workers and dynamic imports cannot have one. If a script is preloaded with one, a later import gets the same script.
    The runtime checks the engine's scripts against the manifest.
    """
    return "sha384-" + base64.b64encode(hashlib.sha384(file.read_bytes()).digest()).decode()


def page_integrity(name: str, folder: Path, top: str = "./") -> dict[str, str]:
    """Return the integrity of the files that `index.html` of the bundle `name` loads, by address.

    `top` is the address of the folder with page and runtime.
    """
    addresses = (f"{top}page/page.css", f"{top}page/page.js", f"./{name}.js", f"{top}runtime/webbuild.js")
    return {address: sri_hash(folder / address) for address in addresses}
