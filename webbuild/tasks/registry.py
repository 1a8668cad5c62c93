"""The registry of tasks, found by walking the folder: a new task needs no entry in a list."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Sequence
from functools import cache
from typing import Any

import webbuild.tasks
from webbuild.manifest.manifest import Task
from webbuild.model.signature import ModelSignature
from webbuild.runners.tensors import Tensors
from webbuild.tasks.base import TaskKind
from webbuild.tasks.recognition.byte_pictures import with_byte_pictures
from webbuild.tasks.run_context import RunContext
from webbuild.tasks.task_match import TaskMatch


@cache
def task_kinds() -> dict[str, TaskKind]:
    """Return every task by name."""
    kinds: dict[str, TaskKind] = {}
    for module in sorted(pkgutil.iter_modules(webbuild.tasks.__path__), key=lambda m: m.name):
        kind = getattr(importlib.import_module(f"webbuild.tasks.{module.name}"), "TASK", None)
        if kind is not None:
            kinds[kind.kind] = kind
    return kinds


def recognizable_kinds() -> dict[str, TaskKind]:
    """Return the tasks that can be recognized: all but `tensor`, the fallback."""
    return {name: kind for name, kind in task_kinds().items() if name != "tensor"}


def possible_kinds(signature: ModelSignature) -> Sequence[TaskKind]:
    """Return the tasks to try for a model: those that its output names indicate, else all."""
    kinds = list(recognizable_kinds().values())
    return [each for each in kinds if each.is_named(signature)] or kinds


def match_task(signature: ModelSignature, *, complete: bool = False) -> TaskMatch:
    """Return the match of the first task that recognizes the model, else of `tensor`.

    `complete` skips matches that need postprocessing to be appended.
    """
    for kind in possible_kinds(signature):
        match = infer_kind(kind, signature)
        if match is not None and not (complete and match.lacks_head):
            return match
    fallback = task_kinds()["tensor"].infer(signature)
    assert fallback is not None
    return fallback


def infer_kind(kind: TaskKind, signature: ModelSignature, *, requested: bool = False) -> TaskMatch | None:
    """Return the match of a model with one task, None if it does not fit; see `TaskKind.infer`."""
    match = kind.infer(signature, requested=requested)
    return None if match is None else with_byte_pictures(match)


def kind_of(task: Task) -> TaskKind:
    """Return the kind of a task."""
    return task_kinds()[str(task.__struct_config__.tag)]


def decode_task(task: Task, outputs: Tensors, context: RunContext) -> Sequence[Any]:
    """Return the predictions in the outputs, in source pixels; () if a needed output is missing."""
    kind = kind_of(task)
    return kind.decode(task, outputs, context) if all(name in outputs for name in kind.needed_outputs(task)) else ()
