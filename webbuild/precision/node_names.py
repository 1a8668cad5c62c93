"""A unique name for every node of a graph."""

from __future__ import annotations

from collections.abc import Iterable

import onnx_ir as ir


def name_nodes(graph: ir.Graph) -> None:
    """Give nodes without a name one, and those with another's name one of their own; the same ones every time."""
    taken: set[str] = set()
    for node in graph:
        base = node.name or node.op_type
        node.name = unused_name(base, taken) if not node.name or node.name in taken else node.name
        taken.add(node.name)


def unused_name(base: str, taken: Iterable[str]) -> str:
    """Return a name that is not taken: the given one, or that with a number."""
    known, name, number = taken if isinstance(taken, set) else set(taken), base, 1
    while name in known:
        name, number = f"{base}_{number}", number + 1
    return name
