"""Inputs that GPU kernels read on the CPU, such as shapes, axes and bounds. From the engine's source."""

from __future__ import annotations

import onnx_ir as ir

_ON_CPU: dict[str, tuple[int, ...]] = {
    "Clip": (1, 2),
    "CumSum": (1,),
    "ConstantOfShape": (0,),
    "Expand": (1,),
    "If": (0,),
    "Pad": (1, 2, 3),
    "Range": (0, 1, 2),
    "Reshape": (1,),
    "Resize": (1, 2, 3),
    "Slice": (1, 2, 3, 4),
    "Split": (1,),
    "Squeeze": (1,),
    "Tile": (1,),
    "TopK": (1,),
    "Trilu": (1,),
    "Unsqueeze": (1,),
    **{f"Reduce{of}": (1,) for of in
       ("L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare")},
}  # fmt: skip


def cpu_input_indices(node: ir.Node) -> tuple[int, ...]:
    """Return the indices of the inputs that the GPU kernel of a node reads on the CPU."""
    return _ON_CPU.get(node.op_type, ())


def has_cpu_output(node: ir.Node) -> bool:
    """Whether the GPU kernel of a node leaves its output on the CPU."""
    return node.op_type in ("Shape", "Size")
