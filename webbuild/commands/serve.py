"""`webbuild serve`: a folder on localhost, or with a certificate for other machines too, until Ctrl-C."""

from __future__ import annotations

import webbrowser

import click

from webbuild.browser.server import Server
from webbuild.browser.tls import tls_context
from webbuild.commands.requests.serve import ServeRequest
from webbuild.errors import CLEAN, INTERRUPTED


def run(request: ServeRequest) -> int:
    """Serve a bundle. Prints its address on stdout; returns when interrupted.

    Raises:
        WebbuildError: see `Server` and `secure`.
    """
    with Server(
        request.directory, host=request.host, port=request.port, tls=tls_context(request.cert, request.key)
    ) as server:
        try:
            click.echo(server.url)
            click.echo(f"serving {request.directory}; Ctrl-C ends it", err=True)
            if request.open_page:
                webbrowser.open(server.url)
            server.serve_forever()
        except KeyboardInterrupt:
            return INTERRUPTED
    return CLEAN
