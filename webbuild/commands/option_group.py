"""Options that a command has together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Command = Callable[..., Any]


def option_group(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Return what gives a command these options, in this order."""

    def give(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return give
