"""Entry point: a command for each file in `commands/options`, errors as text, exit codes."""

from __future__ import annotations

import gc
import os
import pkgutil
import re
import sys
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path

import click

from webbuild import __version__
from webbuild.bundle.interrupts import interrupt_on_termination
from webbuild.commands import options
from webbuild.commands.internal_error import report_internal_error
from webbuild.errors import INTERRUPTED, WebbuildError
from webbuild.reporting.quantities import first_sentence

_COLLECTED_AFTER = (200_000, 50, 100)
"""Thresholds of the garbage collector, raised: a graph has many objects, and none of them is garbage."""


class CommandFolder(click.Group):
    """A group whose commands are the files of `commands/options`; only the requested one is imported."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the files."""
        return [module.name for module in pkgutil.iter_modules(options.__path__) if module.name != "shared"]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a file and return its command."""
        if cmd_name not in self.list_commands(ctx):
            return None
        from webbuild.commands.dataclass_command import DataclassCommand

        module = import_module(f"{options.__name__}.{cmd_name}")
        return DataclassCommand(cmd_name, getattr(module, f"{cmd_name.title()}Arguments"))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the first sentence of each command's help, wrapped, read without importing its file."""
        names = self.list_commands(ctx)
        with formatter.section("Commands"):
            formatter.write_dl([(name, first_sentence(_docstring(name))) for name in names])


def _docstring(command: str) -> str:
    """Return the first paragraph of a command's docstring."""
    (folder,) = options.__path__
    text = (Path(folder) / f"{command}.py").read_text("utf-8")
    match = re.search(rf'class {command.title()}Arguments\b.*?"""(.*?)(?:\n\n|""")', text, re.DOTALL)
    return match[1] if match else ""


@click.group(cls=CommandFolder, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="webbuild")
def cli() -> None:
    """Make an ONNX model run on WebGPU in the browser, with the same results.

    Start with: webbuild pack model.onnx --sample photos/*.jpg

    Documentation: https://webbuild.readthedocs.io/

    Exit codes: 0 clean, 1 the model or the bundle failed, 2 usage or environment, 3 a bug in webbuild,
    130 interrupted.
    """


def main() -> None:
    """Run the program: the one place where errors become text and an exit code."""
    # None if the caller closed it
    sys.stdout = sys.stdout or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 (open until the end)
    if isinstance(sys.stdout, TextIOWrapper):  # print a ? for characters that the terminal cannot encode (cp1252)
        sys.stdout.reconfigure(errors="replace")
    interrupt_on_termination()
    gc.set_threshold(*_COLLECTED_AFTER)
    try:
        cli(standalone_mode=False)
    except WebbuildError as error:
        click.echo(str(error), err=True)
        sys.exit(error.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        sys.exit(INTERRUPTED)
    except Exception as error:
        sys.exit(report_internal_error(error))
