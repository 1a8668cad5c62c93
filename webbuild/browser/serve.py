"""`webbuild serve`: a folder on localhost, or with a certificate for other machines too, until Ctrl-C."""

from __future__ import annotations

import webbrowser
from pathlib import Path

import click

from webbuild.browser.certificate import secure
from webbuild.browser.server import Server
from webbuild.errors import CLEAN, INTERRUPTED


def run(
    directory: Path,
    port: int = 0,
    open_url: bool = False,
    *,
    host: str = "127.0.0.1",
    cert: Path | None = None,
    key: Path | None = None,
) -> int:
    """Serve a bundle. Prints its address on stdout; returns when interrupted.

    Raises:
        WebbuildError: see `Server` and `secure`.
    """
    with Server(directory, host=host, port=port, tls=secure(cert, key)) as server:
        try:
            click.echo(server.url)
            click.echo(f"serving {directory}; Ctrl-C ends it", err=True)
            if open_url:
                webbrowser.open(server.url)
            server.serve_forever()
        except KeyboardInterrupt:
            return INTERRUPTED
    return CLEAN
