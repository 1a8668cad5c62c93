"""Which kernel of a build a node finds: by operator, the version of its schema, and an element type."""

from __future__ import annotations

import onnx_ir as ir
from msgspec import Struct

from webbuild.inspection.combinations import combined
from webbuild.inspection.left_out import is_left_out
from webbuild.passes._kernels import kernel_dtype
from webbuild.targets.schema import schema
from webbuild.targets.table import Placement, Table

STANDARD = ("", "ai.onnx")
MICROSOFT = "com.microsoft"

_CONTRIBUTED = {
    "Attention", "BiasAdd", "BiasGelu", "BiasSplitGelu", "FastGelu", "FusedConv", "GatherBlockQuantized", "Gelu",
    "GroupQueryAttention", "MatMulNBits", "MatMulNBitsMlp", "MatMulNBitsQkv", "MultiHeadAttention", "QMoE",
    "QuickGelu", "RotaryEmbedding", "SkipLayerNormalization", "SkipSimplifiedLayerNormalization",
}  # fmt: skip
"""Operators of ONNX Runtime's own domain that both builds have GPU kernels for, in float and float16."""

_FOREIGN = ("com.microsoft.nchwc", "com.ms.internal.nhwc")
"""Domains that ONNX Runtime's optimiser writes for the machine it runs on: no build for the web has them all."""

_FIRST_ON_GPU = 7
"""The opset before which no node is taken to the GPU, whatever its kernel. Measured on 1.30.0."""

_CONTROL: dict[str, Placement] = {"If": "gpu", "Loop": "cpu", "Scan": "cpu"}
"""A table holds models of one node; of control flow this was measured by hand."""


class Kernel(Struct, frozen=True):
    """What a node finds. `since` is 0 and `dtype` empty where ONNX or the types do not say."""

    place: Placement
    since: int
    dtype: str


def kernel(node: ir.Node, opset: int, table: Table) -> Kernel:
    """Return the kernel of a node at the opset of its domain. What no table knows has no GPU kernel."""
    domain = "" if node.domain in STANDARD else node.domain
    found = schema(node.op_type, opset, domain)
    since = 1 if found is None and domain == MICROSOFT else 0 if found is None else found.since
    dtype = kernel_dtype(node, found.input, found.output) if found is not None else _first(node)
    if is_left_out(node, table.target.build):
        return Kernel("none", since, dtype or "")
    if (together := combined(node)) is not None:
        return Kernel(together, since, dtype or "")
    measured = None if dtype is None else table.placement(node.op_type, since, dtype, domain)
    if measured == "gpu" and not domain and (opset < _FIRST_ON_GPU or _goes_round(node, table)):
        measured = "cpu"
    return Kernel(measured or _unmeasured(node, domain, dtype, table), since, dtype or "")


def gpu_versions(node: ir.Node, dtype: str, table: Table) -> list[int]:
    """Return the schema versions of a node's operator that have a GPU kernel for an element type."""
    rows = table.kernels.get(node.op_type, {}) if node.domain in STANDARD else {}
    return sorted(int(since) for since, types in rows.items() if dtype in types.get("gpu", []))


def gpu_types(node: ir.Node, since: int, table: Table) -> list[str]:
    """Return the element types for which a node's operator has a GPU kernel at a version."""
    rows = table.kernels.get(node.op_type, {}) if node.domain in STANDARD else {}
    return rows.get(str(since), {}).get("gpu", [])


def has_gpu_kernel(node: ir.Node, table: Table) -> bool:
    """Whether any version of a node's operator has a GPU kernel for any type."""
    return any(row.get("gpu") for row in table.kernels.get(node.op_type, {}).values())


def _unmeasured(node: ir.Node, domain: str, dtype: str | None, table: Table) -> Placement:
    if domain in _FOREIGN:
        return "none"
    if domain == MICROSOFT:
        return "gpu" if node.op_type in _CONTRIBUTED and dtype in ("float", "float16", None) else "cpu"
    if not domain and node.op_type in _CONTROL:
        return _CONTROL[node.op_type]
    if dtype is None and not domain and has_gpu_kernel(node, table):
        return "gpu"  # its type could not be inferred: most graphs are float32
    return "cpu"


def _goes_round(node: ir.Node, table: Table) -> bool:
    """Whether a Pow has an exponent of 64-bit integers: the native build leaves it to the CPU, jsep's kernel throws."""
    exponent = node.inputs[1] if node.op_type == "Pow" else None
    return (
        table.target.build != "jsep"
        and exponent is not None
        and exponent.dtype in (ir.DataType.INT64, ir.DataType.UINT64)
    )


def _first(node: ir.Node) -> str | None:
    value = next((value for value in node.inputs if value is not None and value.dtype is not None), None)
    return None if value is None or value.dtype is None else value.dtype.name.lower()
