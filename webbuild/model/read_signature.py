"""The interface of a model, read from its graph."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from webbuild.model.output_activation import output_activation
from webbuild.model.signature import ModelSignature, TensorSpec

if TYPE_CHECKING:
    import onnx_ir as ir


def read_signature(file: str, model: ir.Model) -> ModelSignature:
    """Return the interface and the metadata of a model; initializers are not inputs."""
    inputs = [value for value in model.graph.inputs if value.name not in model.graph.initializers]
    return ModelSignature(
        file=file,
        producer=" ".join(filter(None, (model.producer_name, model.producer_version))),
        metadata=dict(model.metadata_props),
        inputs=tuple(_tensor_spec(value) for value in inputs),
        outputs=tuple(_tensor_spec(value) for value in model.graph.outputs),
        operators=frozenset(node.op_type for node in model.graph),
        modules=frozenset(_modules(model.graph)),
    )


def _modules(graph: ir.Graph) -> Iterator[str]:
    """Yield the top-level module, `neck`, of names such as `neck.conv.weight` and `/neck/conv/Conv` (PyTorch)."""
    yield from (name.split(".")[0] for name in graph.initializers if "." in name)
    yield from (node.name.split("/")[1] for node in graph if node.name and node.name.startswith("/"))


def _tensor_spec(value: ir.Value) -> TensorSpec:
    dims = () if value.shape is None else value.shape.dims
    maker = value.producer()
    return TensorSpec(
        value.name or "",
        element_type(value),
        tuple(dim if isinstance(dim, int) else dim.value for dim in dims),
        "" if maker is None else maker.op_type,
        activation=output_activation(value),
    )


def element_type(value: ir.Value) -> str:
    """Return NumPy's name of a tensor's element type, or a description of a value that is not a tensor."""
    import onnx_ir as ir

    if value.type is not None and not isinstance(value.type, ir.TensorType):
        return "a sequence or an optional, no tensor"
    if value.dtype in (None, ir.DataType.UNDEFINED):
        return "unknown"
    if value.dtype is ir.DataType.STRING:
        return "string"
    return str(value.dtype.numpy())
