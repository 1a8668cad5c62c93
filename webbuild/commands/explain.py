"""`webbuild explain`: a pass in its own words."""

from __future__ import annotations

import inspect

import click

from webbuild.errors import CLEAN, USAGE, WebbuildError
from webbuild.passes._base import all_passes


def run(code: str | None) -> int:
    """Print one pass's docstring, or the list of passes.

    Raises:
        WebbuildError: `unknown-code`.
    """
    passes = {kind.code: kind for kind in all_passes()}
    if code is None:
        for name, kind in sorted(passes.items()):
            click.echo(f"{name:24} {(inspect.getdoc(kind) or '').splitlines()[0]}")
        return CLEAN
    if code not in passes:
        raise WebbuildError(
            "unknown-code", f"'{code}' is no pass", f"choose one of: {', '.join(sorted(passes))}", exit_code=USAGE
        )
    kind = passes[code]
    click.echo(f"{code}\n\n{inspect.getdoc(kind)}\n\nGraphs: {kind.target or 'every target'}")
    return CLEAN
