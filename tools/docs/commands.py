"""A page for each command, from its help."""

from __future__ import annotations

import inspect
from pathlib import Path

import click

from tools.docs import markdown
from webbuild.cli import cli
from webbuild.reporting.quantities import first_sentence

_EXIT_CODES = [
    ("0", "clean"),
    ("1", "the model or the bundle failed: a rewrite is not proven, an answer differs, an inspection found an error"),
    ("2", "usage or environment: a wrong option, a missing file, no Chromium"),
    ("3", "a bug in webbuild"),
    ("130", "interrupted"),
]


def write(out: Path) -> None:
    """Write `reference/commands/NAME.md` for every command, and the list of them."""
    folder = out / "reference" / "commands"
    context = click.Context(cli, info_name="webbuild")
    rows = []
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        summary = first_sentence(inspect.cleandoc(command.help or ""))
        rows.append((f"[`webbuild {name}`]({name}.md)", markdown.prose(summary)))
        body = _body(command, click.Context(command, info_name=name, parent=context))
        markdown.page(folder / f"{name}.md", f"webbuild {name}", body, description=summary)
    body = "\n\n".join(
        [
            markdown.table(("command", ""), rows),
            "Data goes to stdout, messages go to stderr. `--json` prints a report as JSON on stdout.",
            "## Exit codes",
            markdown.table(("exit code", "meaning"), _EXIT_CODES),
        ]
    )
    markdown.page(folder / "index.md", "Commands", body, description="The commands of webbuild and their exit codes.")


def _body(command: click.Command, context: click.Context) -> str:
    usage = " ".join(["webbuild", context.info_name or "", *command.collect_usage_pieces(context)])
    rows = [
        (_cell(f"`{record[0]}`"), _cell(markdown.prose(record[1])))
        for parameter in command.get_params(context)
        if isinstance(parameter, click.Option) and (record := parameter.get_help_record(context)) is not None
    ]
    return "\n\n".join(
        [markdown.fenced(usage), _help(command), "## Options", markdown.table(("option", ""), rows)],
    )


def _cell(text: str) -> str:
    """Return text escaped for a table cell, also within code."""
    return _code_cell(text) if text.startswith("`") else text.replace("|", "&#124;")


def _code_cell(text: str) -> str:
    return f"<code>{text.strip('`').replace('|', '&#124;').replace('<', '&lt;')}</code>"


def _help(command: click.Command) -> str:
    paragraphs = inspect.cleandoc(command.help or "").replace("\b\n", "").split("\n\n")
    return "\n\n".join(
        f"Example:\n\n{markdown.fenced(text.removeprefix('Example: '), 'console')}"
        if text.startswith("Example: ")
        else markdown.docstring(text)
        for text in paragraphs
    )
