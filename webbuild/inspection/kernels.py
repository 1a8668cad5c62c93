"""Kernel lookup of a node in a build: by operator, schema version and element type."""

from __future__ import annotations

import onnx_ir as ir
from msgspec import Struct

from webbuild.inspection.type_combinations import combined_type_placement
from webbuild.inspection.unsupported import is_unsupported
from webbuild.passes.analysis.kernel_lookup import kernel_dtype
from webbuild.targets.schema import find_schema
from webbuild.targets.table import KernelPlacement, KernelTable

STANDARD_DOMAINS = ("", "ai.onnx")
MICROSOFT_DOMAIN = "com.microsoft"

_CONTRIB_OPS = {
    "Attention", "BiasAdd", "BiasGelu", "BiasSplitGelu", "FastGelu", "FusedConv", "GatherBlockQuantized", "Gelu",
    "GroupQueryAttention", "MatMulNBits", "MatMulNBitsMlp", "MatMulNBitsQkv", "MultiHeadAttention", "QMoE",
    "QuickGelu", "RotaryEmbedding", "SkipLayerNormalization", "SkipSimplifiedLayerNormalization",
    "SimplifiedLayerNormalization",
}  # fmt: skip
"""ONNX Runtime's operators with GPU kernels in float and float16; all except the last are in its domain."""

_NON_PORTABLE_DOMAINS = ("com.microsoft.nchwc", "com.ms.internal.nhwc")
"""Domains that ONNX Runtime's optimizer writes for the machine it runs on; no web build has all their operators."""

_FIRST_ON_GPU = 7
"""First opset whose nodes run on the GPU, whatever their kernels. Measured on 1.30.0."""

_CONTROL_FLOW_OPS: dict[str, KernelPlacement] = {"If": "gpu", "Loop": "cpu", "Scan": "cpu"}
"""Placement of control flow, measured by hand: kernel tables are measured on models of one node."""


class KernelMatch(Struct, frozen=True):
    """The kernel of a node. An unknown `schema_version` is 0, an unknown `dtype` empty."""

    placement: KernelPlacement
    schema_version: int
    dtype: str


def find_kernel(node: ir.Node, opset: int, table: KernelTable) -> KernelMatch:
    """Return the kernel of a node at the opset of its domain. An operator in no table has no GPU kernel."""
    domain = "" if node.domain in STANDARD_DOMAINS else node.domain
    schema = find_schema(node.op_type, opset, domain)
    since = 1 if schema is None and domain == MICROSOFT_DOMAIN else 0 if schema is None else schema.since
    dtype = kernel_dtype(node, schema.deciding_input, schema.deciding_output) if schema is not None else _first(node)
    if is_unsupported(node, table.target.build):
        return KernelMatch("none", since, dtype or "")
    if (together := combined_type_placement(node)) is not None:
        return KernelMatch(together, since, dtype or "")
    measured = None if dtype is None else table.placement(node.op_type, since, dtype, domain)
    if measured == "gpu" and not domain and (opset < _FIRST_ON_GPU or _falls_back_to_cpu(node)):
        measured = "cpu"
    return KernelMatch(measured or _default_kernel(node, domain, dtype, table), since, dtype or "")


def gpu_schema_versions(node: ir.Node, dtype: str, table: KernelTable) -> list[int]:
    """Return the schema versions of a node's operator that have a GPU kernel for an element type."""
    rows = table.kernels.get(node.op_type, {}) if node.domain in STANDARD_DOMAINS else {}
    return sorted(int(since) for since, types in rows.items() if dtype in types.get("gpu", []))


def gpu_dtypes(node: ir.Node, since: int, table: KernelTable) -> list[str]:
    """Return the element types for which a node's operator has a GPU kernel at a version."""
    rows = table.kernels.get(node.op_type, {}) if node.domain in STANDARD_DOMAINS else {}
    return rows.get(str(since), {}).get("gpu", [])


def has_gpu_kernel(node: ir.Node, table: KernelTable) -> bool:
    """Whether any version of a node's operator has a GPU kernel for any type."""
    return any(row.get("gpu") for row in table.kernels.get(node.op_type, {}).values())


def _default_kernel(node: ir.Node, domain: str, dtype: str | None, table: KernelTable) -> KernelPlacement:
    if domain in _NON_PORTABLE_DOMAINS:
        return "none"
    if domain == MICROSOFT_DOMAIN or node.op_type == "SimplifiedLayerNormalization":
        return "gpu" if node.op_type in _CONTRIB_OPS and dtype in ("float", "float16", None) else "cpu"
    if not domain and node.op_type in _CONTROL_FLOW_OPS:
        return _CONTROL_FLOW_OPS[node.op_type]
    if dtype is None and not domain and has_gpu_kernel(node, table):
        return "gpu"  # unknown type: most graphs are float32
    return "cpu"


def _falls_back_to_cpu(node: ir.Node) -> bool:
    """Whether a node is a Pow with a 64-bit integer exponent, which runs on the CPU."""
    exponent = node.inputs[1] if node.op_type == "Pow" else None
    return exponent is not None and exponent.dtype in (ir.DataType.INT64, ir.DataType.UINT64)


def _first(node: ir.Node) -> str | None:
    value = next((value for value in node.inputs if value is not None and value.dtype is not None), None)
    return None if value is None or value.dtype is None else value.dtype.name.lower()
