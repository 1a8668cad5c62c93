"""`webbuild explain`: the page of a pass, a finding or an error."""

from __future__ import annotations

import difflib
import inspect
import shutil
import sys
import textwrap

import click

from webbuild.bisect.codes import EXPLANATIONS
from webbuild.commands.options.explain import ExplainArguments
from webbuild.errors import CLEAN, USAGE, WebbuildError, page_url
from webbuild.inspection.rules.base import all_rules
from webbuild.passes.registry import all_passes
from webbuild.reporting.errors import error_pages
from webbuild.reporting.quantities import first_sentence
from webbuild.targets import jsep

_MAX_NEAR = 4
"""Maximum number of codes suggested for an unknown code."""


def run(arguments: ExplainArguments) -> int:
    """Print the page of a code, or the list of all.

    Raises:
        WebbuildError: `unknown-code`.
    """
    groups = all_pages()
    if arguments.code is None:
        for title, pages in groups.items():
            click.echo(f"{title}:")
            for name, text in sorted(pages.items()):
                click.echo(_wrapped(f"  {name:28} {first_sentence(text)}", " " * 31))
        return CLEAN
    code = arguments.code.lower()
    matches = [(title, pages[code]) for title, pages in groups.items() if code in pages]
    if not matches:
        raise _unknown(arguments.code, sorted({name for pages in groups.values() for name in pages}))
    for title, text in matches:
        about = f" ({title})" if len(matches) > 1 else ""
        page = "\n\n".join(map(_wrapped_paragraph, text.split("\n\n")))
        click.echo(f"{code}{about}\n\n{page}\n")
    click.echo(f"See: {page_url(code)}")
    return CLEAN


def _wrapped_paragraph(text: str) -> str:
    """Return a paragraph wrapped; lists and examples keep their lines."""
    lines = text.split("\n")
    prose = not any(line.startswith((" ", "-", "|")) for line in lines)
    return (
        "\n".join(_wrapped(line, "" if prose else "  ") for line in ([" ".join(lines)] if prose else lines))
        if sys.stdout.isatty()
        else text
    )


def _wrapped(line: str, indent: str) -> str:
    """Return a line wrapped to the width of the terminal; unchanged if stdout is not a terminal."""
    if not sys.stdout.isatty():
        return line
    width = max(40, shutil.get_terminal_size().columns)
    return textwrap.fill(line, width, subsequent_indent=indent, break_long_words=False, replace_whitespace=False)


def all_pages() -> dict[str, dict[str, str]]:
    """Return every page by the title of its group and its code."""
    passes = {
        kind.code: f"{inspect.getdoc(kind) or ''}\n\nGraphs: {kind.target or 'every target'}" for kind in all_passes()
    }
    findings = {rule.code: rule.page for rule in all_rules()} | {jsep.CODE: jsep.EXPLAINED}
    errors = {area if area == "comparisons" else f"errors, {area}": pages for area, pages in error_pages().items()}
    return {"passes": passes, "findings": findings, "bisect": EXPLANATIONS, **errors}


def _unknown(code: str, codes: list[str]) -> WebbuildError:
    lower = code.lower()
    holding = [each for each in codes if lower in each]
    near = list(dict.fromkeys([*holding, *difflib.get_close_matches(lower, codes, n=_MAX_NEAR, cutoff=0.5)]))[
        :_MAX_NEAR
    ]
    fix = f"did you mean {' or '.join(near)}?" if near else "see every code with: webbuild explain"
    return WebbuildError("unknown-code", f"'{code}' is not a pass, finding or error", fix, exit_code=USAGE)
