"""`webbuild serve`: serve a folder on localhost, or with a certificate on other addresses, until Ctrl-C."""

from __future__ import annotations

import webbrowser

import click

from webbuild.browser.server import Server
from webbuild.browser.tls import tls_context
from webbuild.commands.options.serve import ServeArguments
from webbuild.errors import CLEAN, INTERRUPTED


def run(arguments: ServeArguments) -> int:
    """Serve a bundle. Prints its address on stdout; returns when interrupted.

    Raises:
        WebbuildError: see `Server` and `tls_context`.
    """
    with Server(
        arguments.directory,
        host=arguments.host,
        port=arguments.port,
        tls=tls_context(arguments.cert, arguments.key),
        allowed_hosts=arguments.allowed_hosts,
    ) as server:
        try:
            click.echo(server.url)
            click.echo(f"serving {arguments.directory}; stop it with Ctrl-C", err=True)
            if not (arguments.directory / "index.html").is_file():
                click.echo(
                    f"warning: {arguments.directory} has no index.html: is it the folder that webbuild pack wrote?",
                    err=True,
                )
            if arguments.open_page:
                webbrowser.open(server.url)
            server.serve_forever()
        except KeyboardInterrupt:
            return INTERRUPTED
    return CLEAN
