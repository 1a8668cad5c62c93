"""Unique names for the nodes of a graph."""

from __future__ import annotations

from collections.abc import Iterable

import onnx_ir as ir


def name_nodes(graph: ir.Graph) -> None:
    """Name unnamed nodes and rename duplicates, deterministically."""
    taken: set[str] = set()
    for node in graph:
        base = node.name or node.op_type
        node.name = unused_name(base, taken) if not node.name or node.name in taken else node.name
        taken.add(node.name)


def unused_name(base: str, taken: Iterable[str]) -> str:
    """Return a name that is not taken: `base`, or `base` with a number appended."""
    known, name, number = taken if isinstance(taken, set) else set(taken), base, 1
    while name in known:
        name, number = f"{base}_{number}", number + 1
    return name
