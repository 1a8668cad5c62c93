"""Arguments and options of `webbuild site`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from webbuild.commands.dataclass_command import argument, option


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SiteArguments:
    """Build one static site from several bundles: a gallery, with shared files stored once.

    Example: webbuild site dist/yolo-pose dist/depth -o dist/site
    """

    directories: tuple[Path, ...] = argument()
    out: Path = option("-o", "--out", default=Path("dist/site"), help="Folder to write.")
    title: str = option(default="Models in your browser", help="Title of the gallery.")
    force: bool = option(default=False, help="Replace an existing site.")
