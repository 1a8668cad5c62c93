"""The commands and options that fixes and messages tell people to type exist."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from webbuild.cli import cli

ROOT = Path(__file__).parents[1]
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")
COMMAND = re.compile(r"`webbuild (?P<command>[a-z]+)(?P<rest>[^`]*)`")
AGAIN = re.compile(r"pack (?:the model|it) again with (?P<what>\S+?)[,;.]?(?=\s|$|[\"'`])")
OTHERS = {
    "webbuild/browser/chromium_flags.py": "Chromium",
    "webbuild/browser/ensure_chromium.py": "Playwright and apt",
    "webbuild/browser/open_browser.py": "Chromium",
    "webbuild/bench/bench.py": "Chromium",
    "webbuild/browser/firefox.py": "Firefox",
    "webbuild/browser/webkit.py": "safaridriver",
    "webbuild/commands/publish.py": "hf",
    "webbuild/ortweb/build.py": "npm",
}
"""Files that start other programs, whose options are not webbuild's."""
VERSION = {"this"}
"""As in "pack the model again with this version of webbuild"."""


def options(command: click.Command | None) -> set[str]:
    assert command is not None
    own = {name for each in command.params for name in (*each.opts, *each.secondary_opts)}
    return own | {"--help"}


CONTEXT = click.Context(cli)
COMMANDS = {name: options(cli.get_command(CONTEXT, name)) for name in cli.list_commands(CONTEXT)}
KNOWN = set().union(*COMMANDS.values()) | options(cli)


def texts_of_python(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)


def texts() -> list[tuple[str, str]]:
    """Return every string of the tool, and every line of the runtime, with its file."""
    python = [(path, text) for path in ROOT.glob("webbuild/**/*.py") for text in texts_of_python(path)]
    runtime = ROOT.glob("web/src/**/*.ts")
    lines = [(path, line.replace("\\`", "`")) for path in runtime for line in path.read_text().splitlines()]
    return [(path.relative_to(ROOT).as_posix(), text) for path, text in [*python, *lines]]


@pytest.fixture(scope="module")
def written() -> list[tuple[str, str]]:
    return texts()


def test_every_option_that_is_named_exists(written: list[tuple[str, str]]) -> None:
    named = [(path, name) for path, text in written if path not in OTHERS for name in OPTION.findall(text)]
    assert len(named) > 20
    assert [(path, name) for path, name in named if name not in KNOWN] == []


def test_every_command_that_is_named_exists_and_has_the_options(written: list[tuple[str, str]]) -> None:
    named = [(path, found) for path, text in written for found in COMMAND.finditer(text)]
    assert {"verify", "explain"} <= {found["command"] for _, found in named}
    for path, found in named:
        assert found["command"] in COMMANDS, path
        assert set(OPTION.findall(found["rest"])) <= COMMANDS[found["command"]], (path, found[0])


def test_a_model_is_packed_again_only_with_options_of_pack(written: list[tuple[str, str]]) -> None:
    named = [(path, found["what"]) for path, text in written for found in AGAIN.finditer(text)]
    assert len(named) > 3
    assert [(path, what) for path, what in named if what not in COMMANDS["pack"] | VERSION] == []
