"""`webbuild serve`: a folder on localhost until Ctrl-C."""

from __future__ import annotations

import webbrowser
from pathlib import Path

import click

from webbuild.browser.server import Server
from webbuild.errors import CLEAN, INTERRUPTED


def run(directory: Path, port: int = 0, open_url: bool = False, *, isolated: bool = True) -> int:
    """Serve a bundle. Prints its address on stdout; returns when interrupted.

    Raises:
        WebbuildError: see `Server`.
    """
    with Server(directory, port=port, isolated=isolated) as server:
        try:
            click.echo(server.url)
            click.echo(f"serving {directory}; Ctrl-C ends it", err=True)
            if open_url:
                webbrowser.open(server.url)
            server.serve_forever()
        except KeyboardInterrupt:
            return INTERRUPTED
    return CLEAN
