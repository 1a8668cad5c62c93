"""Operators and types that native ONNX Runtime supports and its web builds do not. Measured on 1.30.0."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.passes.rewrite import input_value

_DOMAINS = ("ai.onnx.ml", "ai.onnx.preview.training", "ai.onnx.training")
"""Not built in: `No Op registered for LabelEncoder with domain_version of 3`."""

_OPERATORS = {
    "ImageDecoder", "OptionalGetElement", "OptionalHasElement", "RegexFullMatch", "StringConcat", "StringNormalizer",
    "StringSplit", "TfIdfVectorizer",
}  # fmt: skip
"""Operators on strings, images and optional values, without a kernel in web builds."""

_UNSUPPORTED_DTYPES = (ir.DataType.DOUBLE, ir.DataType.INT16, ir.DataType.UINT16, ir.DataType.BFLOAT16)
"""Output types of CastLike and EyeLike without a kernel."""


def is_unsupported(node: ir.Node, build: str) -> bool:
    """Whether a build has no kernel for a node, whatever the kernel table has for its first type."""
    if node.domain in _DOMAINS:
        return True
    if node.domain not in ("", "ai.onnx"):
        return False
    if node.op_type in _OPERATORS:
        return True
    if node.op_type == "Equal":
        return _dtype(node, 0) is ir.DataType.STRING
    if node.op_type == "Pow":
        return _dtype(node, 1) is ir.DataType.UINT64
    return (
        build == "webgpu" and node.op_type in ("CastLike", "EyeLike") and node.outputs[0].dtype in _UNSUPPORTED_DTYPES
    )


def _dtype(node: ir.Node, index: int) -> ir.DataType | None:
    value = input_value(node, index)
    return None if value is None else value.dtype
