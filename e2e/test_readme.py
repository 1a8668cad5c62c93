"""The README: short, with the real output of `pack`, and with every command."""

from __future__ import annotations

import re
from pathlib import Path

import click

from e2e.conftest import MODEL, Webbuild
from webbuild.cli import cli

README = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
MAX_LINES = 150


def steady(line: str) -> str:
    """Return a line without what differs between machines: times, and the adapter."""
    return re.sub(r"\([^()]*\)$", "(adapter)", re.sub(r"[\d,]+(\.\d+)? ms", "N ms", line))


def test_the_output_of_pack_is_the_real_one(webbuild: Webbuild, tmp_path: Path) -> None:
    done = webbuild("pack", MODEL, "-o", tmp_path / "yolo-pose")
    assert done.returncode == 0, done.stderr
    printed = done.stderr.replace(str(tmp_path), "dist").splitlines()
    _, _, shown = README.partition("<!-- pack:")
    quoted = shown.partition("```\n")[2].partition("```")[0].splitlines()
    assert [steady(line) for line in quoted] == [steady(line) for line in printed]


def test_it_is_short_and_names_every_command() -> None:
    assert len(README.splitlines()) <= MAX_LINES
    table = README.partition("## Commands")[2].partition("##")[0]
    names = cli.list_commands(click.Context(cli))
    assert [name for name in names if not re.search(rf"`(webbuild )?{name}\b", table)] == []
