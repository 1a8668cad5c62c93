"""`webbuild site`: several bundles as one static site."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from webbuild.bundle.site import build_site
from webbuild.errors import CLEAN
from webbuild.verify.opened import open_bundle


def run(directories: Sequence[Path], out: Path, title: str, *, force: bool) -> int:
    """Write the site, say where it is.

    Raises:
        WebbuildError: see `open_bundle` and `build_site`.
    """
    bundles = [(directory, open_bundle(directory).manifest) for directory in directories]
    build_site(bundles, out, title=title, force=force)
    click.echo(f"{out}/index.html is ready: webbuild serve {out}", err=True)
    return CLEAN
