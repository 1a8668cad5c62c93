"""What float16 on Dawn for Node takes, and whether it is here."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct

NODE, PACKAGE, DRIVERS = "WEBBUILD_NODE", "WEBBUILD_DAWN", "VK_ICD_FILENAMES"
"""Variables of the environment: Node.js, the folder of its package `webgpu`, and the Vulkan driver's description."""

INSTALL = (
    "npm install --no-save webgpu@0.6.2, and on Debian 12 apt-get install -t bookworm-backports mesa-vulkan-drivers"
)
_ICDS = tuple(Path(root) / "vulkan/icd.d" for root in ("/usr/share", "/usr/local/share", "/etc"))


class Parts(Struct, frozen=True):
    """Node.js, the entry of its package `webgpu`, and the variables that it is started with."""

    node: str
    webgpu: Path
    variables: dict[str, str]


def parts(environ: Mapping[str, str] = os.environ, here: Path | None = None) -> Parts | str:
    """Return the parts, or which is missing.

    Args:
        environ: the variables of the environment.
        here: where `node_modules` is looked for, besides the checkout; the current folder if not given.
    """
    node = environ.get(NODE) or shutil.which("node", path=environ.get("PATH"))
    if node is None or shutil.which(node) is None:
        return f"there is no Node.js{f' at {node}' if node else ''}; {NODE} names one"
    package = next((folder for folder in _packages(environ, here) if (folder / "index.js").is_file()), None)
    if package is None:
        return f"the npm package `webgpu` is not installed; {PACKAGE} names its folder"
    if DRIVERS in environ:
        return Parts(node, package / "index.js", {})
    icd = next((file for folder in _ICDS for file in sorted(folder.glob("lvp_icd*.json"))), None)
    if icd is None:
        return f"Mesa's lavapipe is not installed; {DRIVERS} names its ICD, or another driver's"
    return Parts(node, package / "index.js", {DRIVERS: str(icd)})


def _packages(environ: Mapping[str, str], here: Path | None) -> Iterator[Path]:
    if PACKAGE in environ:
        yield Path(environ[PACKAGE])
        return
    for folder in (here or Path.cwd(), Path(__file__).parents[3]):
        yield folder / "node_modules" / "webgpu"
