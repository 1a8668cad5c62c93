"""Kinds of tasks as the values of an option."""

from __future__ import annotations

from functools import cached_property

import click


class TaskChoice(click.Choice[str]):
    """The kinds in the folder of tasks, which is walked when they are needed: their modules import numpy."""

    case_sensitive = True

    def __init__(self) -> None:
        """Choose from nothing yet."""

    @cached_property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]
        """Every kind of task."""
        from webbuild.tasks.registry import task_kinds

        return tuple(task_kinds())
