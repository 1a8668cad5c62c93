"""`webbuild site`: several bundles as one static site."""

from __future__ import annotations

import click

from webbuild.bundle.site import write_site
from webbuild.commands.options.site import SiteArguments
from webbuild.errors import CLEAN
from webbuild.reporting.write import shell_quote
from webbuild.verify.bundle_reader import open_bundle


def run(arguments: SiteArguments) -> int:
    """Write the site and print where it is.

    Raises:
        WebbuildError: see `open_bundle` and `write_site`.
    """
    bundles = [(directory, open_bundle(directory).manifest) for directory in arguments.directories]
    write_site(bundles, arguments.out, title=arguments.title, force=arguments.force)
    click.echo(f"{arguments.out}/index.html is ready: webbuild serve {shell_quote(arguments.out)}", err=True)
    return CLEAN
