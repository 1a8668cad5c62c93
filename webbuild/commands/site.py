"""`webbuild site`: several bundles as one static site."""

from __future__ import annotations

import click

from webbuild.bundle.site import write_site
from webbuild.commands.requests.site import SiteRequest
from webbuild.errors import CLEAN
from webbuild.verify.bundle_reader import open_bundle


def run(request: SiteRequest) -> int:
    """Write the site and print where it is.

    Raises:
        WebbuildError: see `open_bundle` and `build_site`.
    """
    bundles = [(directory, open_bundle(directory).manifest) for directory in request.directories]
    write_site(bundles, request.out, title=request.title, force=request.force)
    click.echo(f"{request.out}/index.html is ready: webbuild serve {request.out}", err=True)
    return CLEAN
