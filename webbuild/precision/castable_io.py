"""Inputs and outputs of a node that may change from float32 to float16."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.inspection.kernels import STANDARD_DOMAINS
from webbuild.targets.castable_indices import SHAPE_OPS, CastableIO, castable_indices


def castable_io(node: ir.Node, opset: int) -> CastableIO | None:
    """Return the inputs and outputs of a node that can be float16, None if it has no float32 or no float16 variant."""
    inputs, outputs = (
        [index for index, value in enumerate(values) if is_float32(value)] for values in (node.inputs, node.outputs)
    )
    domain = "" if node.domain in STANDARD_DOMAINS else node.domain
    return castable_indices(node.op_type, opset, domain, inputs, outputs)


def reads_only_shape(node: ir.Node) -> bool:
    """Whether a node accepts any type because it only reads shapes."""
    return node.op_type in SHAPE_OPS and node.domain in STANDARD_DOMAINS


def is_float32(value: ir.Value | None) -> bool:
    """Whether a value is a float32 tensor."""
    return value is not None and isinstance(value.type, ir.TensorType) and value.dtype is ir.DataType.FLOAT
