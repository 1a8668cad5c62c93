"""`webbuild explain`: a pass, or what an inspection or a search finds, in its own words."""

from __future__ import annotations

import inspect

import click

from webbuild.bisect.codes import EXPLAINED
from webbuild.errors import CLEAN, USAGE, WebbuildError
from webbuild.inspection.rules._base import known
from webbuild.passes._base import all_passes


def run(code: str | None) -> int:
    """Print the docstring of a pass or a finding, or the list of both.

    Raises:
        WebbuildError: `unknown-code`.
    """
    passes = {kind.code: inspect.getdoc(kind) or "" for kind in all_passes()}
    findings = {rule.code: inspect.getdoc(rule) or "" for rule in known()}
    if code is None:
        for title, texts in (("passes", passes), ("findings", findings), ("bisect", EXPLAINED)):
            click.echo(f"{title}:")
            for name, text in sorted(texts.items()):
                click.echo(f"  {name:28} {text.splitlines()[0]}")
        return CLEAN
    if (told := findings.get(code) or EXPLAINED.get(code)) is not None:
        click.echo(f"{code}\n\n{told}")
        return CLEAN
    if code not in passes:
        raise WebbuildError(
            "unknown-code",
            f"'{code}' is no pass and no finding",
            f"choose one of: {', '.join(sorted({**passes, **findings, **EXPLAINED}))}",
            exit_code=USAGE,
        )
    target = next(kind.target for kind in all_passes() if kind.code == code)
    click.echo(f"{code}\n\n{passes[code]}\n\nGraphs: {target or 'every target'}")
    return CLEAN
