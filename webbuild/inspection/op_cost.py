"""Cost of a node on the CPU: arithmetic on a few numbers is free."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.passes.rewrite import nbytes
from webbuild.passes.workarounds.base import Severity

MIN_BINDING_SIZE, MAX_BINDING_SIZE = 128 << 20, 2 << 30
"""Bytes of a tensor that every device can give to a shader, and that none goes beyond."""

_SMALL_ELEMENTS = 1024
"""Bytes that are copied for nothing."""


def cpu_severity(node: ir.Node) -> Severity:
    """Return `note` where all that a node reads and writes is small, else `warning`."""
    sizes = [nbytes(value) for value in (*node.inputs, *node.outputs) if value is not None]
    return "note" if all(taken is not None and taken <= _SMALL_ELEMENTS for taken in sizes) else "warning"
