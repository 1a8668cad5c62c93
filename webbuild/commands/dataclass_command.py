"""Command-line options generated from the fields of a dataclass: the dataclass is the command.

The class's docstring is the command's help. A field's name, type and default define its option:

    bool                flag
    Literal["a", "b"]   choice
    tuple[X, ...]       repeatable option; with the metavar `FILE...` it takes several values each time, as a shell
                        expands `*.jpg`
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from dataclasses import Field, field, fields
from functools import partial
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import click

from webbuild.errors import is_utf8, printable

_KEY = "click"
"""Key of a field's metadata: the function that makes its click parameter from the field's name and type."""


def option(
    *flags: str,
    help: str,  # noqa: A002
    default: Any = None,
    metavar: str = "",
    required: bool = False,
    type: click.ParamType[Any] | None = None,  # noqa: A002
) -> Any:
    """Return a dataclass field for an option, named like the field unless `flags` has a long name."""

    def make(name: str, annotation: Any) -> click.Option:
        is_repeated = get_origin(annotation) is tuple
        is_flag, has_long_flag = annotation is bool, any(each.startswith("--") for each in flags)
        default_argument: dict[str, Any] = {} if required else {"default": () if is_repeated else default}
        return click.Option(
            [name, *flags, *([] if has_long_flag else [f"--{name.replace('_', '-')}"])],
            help=help,
            **default_argument,
            metavar=metavar or None,
            required=required,
            multiple=is_repeated,
            is_flag=is_flag,
            show_default=not is_flag and default not in (None, "") and "[default: " not in help,
            type=None if is_flag else type or _param_type(annotation),
        )

    return field(default=default, metadata={_KEY: make})


def argument(*, metavar: str = "", required: bool = True) -> Any:
    """Return a dataclass field for an argument; a tuple takes all remaining arguments."""

    def make(name: str, annotation: Any) -> click.Argument:
        is_repeated = get_origin(annotation) is tuple
        shown = {"metavar": metavar} if metavar else {}
        return click.Argument(
            [name], type=_param_type(annotation), nargs=-1 if is_repeated else 1, required=required, **shown
        )

    return field(metadata={_KEY: make}) if required else field(default=None, metadata={_KEY: make})


def _param_type(annotation: Any) -> click.ParamType[Any]:
    """Return the click type of one value of an annotation: `X`, `X | None` or `tuple[X, ...]`."""
    if get_origin(annotation) is Literal:
        return click.Choice(get_args(annotation))
    if get_origin(annotation) in (Union, types.UnionType, tuple):
        (inner,) = (each for each in get_args(annotation) if each not in (type(None), ...))
        return _param_type(inner)
    return _Utf8Path(path_type=Path) if annotation is Path else click.types.convert_type(annotation)


class _Utf8Path(click.Path):
    """A path, refused if it is not UTF-8."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path: Any = super().convert(value, param, ctx)
        if not is_utf8(path):
            self.fail(f"'{printable(str(path))}' is not UTF-8\n  fix: rename the file or the folder", param, ctx)
        return path


class DataclassCommand(click.Command):
    """A command that fills a dataclass and passes it to `run` in the module `webbuild.commands.<name>`."""

    def __init__(self, name: str, kind: type[Any]) -> None:
        hints = get_type_hints(kind)
        super().__init__(
            name,
            params=[each.metadata[_KEY](each.name, hints[each.name]) for each in _own_first(kind)],
            help=kind.__doc__,
            callback=_callback(name, kind),
        )

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Repeat a `FILE...` option before each further value: `--sample a b` becomes `--sample a --sample b`."""
        repeatable = {
            name for p in self.params if isinstance(p, click.Option) and p.metavar == "FILE..." for name in p.opts
        }
        expanded: list[str] = []
        repeated: str | None = None
        for position, argument in enumerate(args):
            if argument.startswith("-"):
                repeated = argument if argument in repeatable else None
            elif repeated is not None and args[position - 1] != repeated:
                expanded.append(repeated)
            expanded.append(argument)
        try:
            return super().parse_args(ctx, list(expanded))  # click empties the list
        except click.UsageError as error:
            if not error.message.startswith("Got unexpected extra argument"):
                raise
            fix = self._extra_argument_fix(expanded)
            raise click.UsageError(f"{error.message}\n  fix: {fix}", ctx) from error

    def _extra_argument_fix(self, arguments: list[str]) -> str:
        """Return the fix for an unexpected extra argument."""
        before = next((a for a, b in pairwise(arguments) if a.startswith("--") and "=" in b), None)
        if before is not None:
            return f"give {before} again before each value"
        return f"see webbuild {self.name} --help"


def _own_first(kind: type[Any]) -> list[Field[Any]]:
    """Return the fields of a dataclass in the order of `--help`: its own, then those of its bases."""
    return sorted(fields(kind), key=lambda each: each.name not in kind.__annotations__)


def _callback(name: str, kind: type[Any]) -> Callable[..., None]:
    def call(**arguments: Any) -> None:
        from webbuild.commands.options.shared import LimitArguments

        arguments_object = kind(**arguments)
        run = partial(import_module(f"webbuild.commands.{name}").run, arguments_object)
        if isinstance(arguments_object, LimitArguments) and arguments_object.is_limited:
            from webbuild.commands.run_limited import within_limits

            run = partial(within_limits, run, arguments_object)
        sys.exit(run())

    return call
