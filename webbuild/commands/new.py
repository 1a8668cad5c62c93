"""`webbuild new`: a small app for a bundle."""

from __future__ import annotations

import click

from webbuild.bundle.new_app import write_app
from webbuild.commands.options.new import NewArguments
from webbuild.errors import CLEAN
from webbuild.reporting.write import shell_quote
from webbuild.verify.bundle_reader import open_bundle


def run(arguments: NewArguments) -> int:
    """Write the app and print what to run next.

    Raises:
        WebbuildError: see `open_bundle` and `write_app`.
    """
    manifest = open_bundle(arguments.model).manifest
    write_app(arguments.model, manifest, arguments.directory, arguments.template)
    click.echo(f"written: {arguments.directory}, an app that shows {manifest.name}", err=True)
    if arguments.template == "plain":
        click.echo(f"next: webbuild serve {shell_quote(arguments.directory)}", err=True)
    else:
        click.echo(f"next: cd {shell_quote(arguments.directory)} && npm install && npm run dev", err=True)
    return CLEAN
