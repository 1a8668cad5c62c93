"""Registry of all passes, found by walking the folders; a new pass needs no registration."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from functools import cache
from graphlib import TopologicalSorter

import webbuild.passes
from webbuild.passes.base import Pass


@cache
def all_passes() -> tuple[type[Pass], ...]:
    """Return every pass in this folder and its subfolders, each after those that its `after` lists."""
    passes_by_code: dict[str, type[Pass]] = {}
    for module in pkgutil.walk_packages(webbuild.passes.__path__, "webbuild.passes."):
        members = vars(importlib.import_module(module.name)).values()
        for member in members:
            if inspect.isclass(member) and issubclass(member, Pass) and not inspect.isabstract(member):
                passes_by_code[member.code] = member
    order = TopologicalSorter({code: sorted(passes_by_code[code].after) for code in sorted(passes_by_code)})
    return tuple(passes_by_code[code] for code in order.static_order())
