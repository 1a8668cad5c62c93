"""Operators and types that have a schema and no kernel in a web build. Measured on 1.30.0."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.passes.rewrite import input_value

_TRAINING_DOMAINS = ("ai.onnx.preview.training", "ai.onnx.training")
_ONLY_ON_WASM = {
    "OptionalGetElement", "OptionalHasElement", "RegexFullMatch", "StringConcat", "StringNormalizer", "StringSplit",
    "TfIdfVectorizer",
}  # fmt: skip
"""Operators on strings and optional values: the WebGPU build has no kernel, the WASM build has the native ones.

The same holds for the domain `ai.onnx.ml`: `No Op registered for LabelEncoder with domain_version of 3`.
"""

_UNSUPPORTED_DTYPES = (ir.DataType.DOUBLE, ir.DataType.INT16, ir.DataType.UINT16, ir.DataType.BFLOAT16)
"""Output types of CastLike and EyeLike without a kernel."""


def is_unsupported(node: ir.Node, build: str) -> bool:
    """Whether a build has no kernel for a node, whatever the kernel table has for its first type."""
    if node.domain in _TRAINING_DOMAINS:
        return True
    if node.domain in ("", "ai.onnx") and node.op_type in ("ImageDecoder", "Pow"):
        return node.op_type == "ImageDecoder" or _dtype(node, 1) is ir.DataType.UINT64
    if build != "webgpu":
        return False
    if node.domain in ("", "ai.onnx") and node.op_type in ("CastLike", "EyeLike"):
        return node.outputs[0].dtype in _UNSUPPORTED_DTYPES
    return is_only_on_wasm(node)


def is_only_on_wasm(node: ir.Node) -> bool:
    """Whether the WASM build has an operator that the WebGPU build lacks, on the GPU and on the CPU."""
    if node.domain not in ("", "ai.onnx"):
        return node.domain == "ai.onnx.ml"
    return node.op_type in _ONLY_ON_WASM or (node.op_type == "Equal" and _dtype(node, 0) is ir.DataType.STRING)


def _dtype(node: ir.Node, index: int) -> ir.DataType | None:
    value = input_value(node, index)
    return None if value is None else value.dtype
