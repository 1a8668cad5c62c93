"""An ONNX file, loaded safely: what is unreadable or unsafe is refused with a mend."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from webbuild.errors import USAGE, WebbuildError
from webbuild.external import check_external_data
from webbuild.facts import ModelFacts, TensorFact

if TYPE_CHECKING:
    import onnx
    import onnx_ir as ir

_EXPORT_AGAIN = "export the model to ONNX again and pass the .onnx file"


class Source(Struct, frozen=True):
    """A model as it was given: never changed after loading.

    `proto` holds the graph without external data, `model` the same as onnx-ir with external data mapped lazily.
    """

    path: Path
    sha256: str
    size: int
    model: ir.Model
    facts: ModelFacts


def load(path: Path) -> Source:
    """Load an ONNX file.

    Raises:
        WebbuildError: `no-such-model`, `not-onnx`, `invalid-model`, `external-data-outside`,
            `external-data-missing` or `external-data-truncated`.
    """
    import onnx
    import onnx_ir as ir

    data = _read(path)
    proto = _parse(path, data)
    size = len(data) + check_external_data(proto, path)
    try:
        onnx.checker.check_model(str(path))
    except (onnx.checker.ValidationError, ValueError, RuntimeError) as error:
        raise WebbuildError(
            "invalid-model",
            f"{path}: {_first_line(error)}",
            "the file breaks the rules of ONNX: check it with onnx.checker, or export it again",
        ) from error
    try:
        model = ir.from_proto(proto)
    except Exception as error:  # the deserialiser raises many types for graphs the checker lets pass
        raise WebbuildError("invalid-model", f"{path}: {_first_line(error)}", _EXPORT_AGAIN) from error
    ir.external_data.set_base_dir(model.graph, path.parent)
    _free_negative_sizes(model)
    return Source(path, hashlib.sha256(data).hexdigest(), size, model, facts(path.name, model))


def facts(file: str, model: ir.Model) -> ModelFacts:
    """Return the interface and the metadata of a model; initializers are not inputs."""
    inputs = [value for value in model.graph.inputs if value.name not in model.graph.initializers]
    return ModelFacts(
        file=file,
        producer=" ".join(filter(None, (model.producer_name, model.producer_version))),
        metadata=dict(model.metadata_props),
        inputs=tuple(_fact(value) for value in inputs),
        outputs=tuple(_fact(value) for value in model.graph.outputs),
    )


def _free_negative_sizes(model: ir.Model) -> None:
    """Make sizes below zero free dimensions: some exporters write -1 for "any"."""
    import onnx_ir as ir

    outputs = (value for node in model.graph for value in node.outputs)
    for value in (*model.graph.inputs, *model.graph.outputs, *outputs):
        if value.shape is not None and any(isinstance(dim, int) and dim < 0 for dim in value.shape):
            value.shape = ir.Shape([None if isinstance(dim, int) and dim < 0 else dim for dim in value.shape])


def _fact(value: ir.Value) -> TensorFact:
    dims = () if value.shape is None else value.shape.dims
    return TensorFact(
        value.name or "",
        "unknown" if value.dtype is None else str(value.dtype.numpy()),
        tuple(dim if isinstance(dim, int) else dim.value for dim in dims),
    )


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise WebbuildError(
            "no-such-model", f"{path}: {error.strerror}", "pass the path of an .onnx file", exit_code=USAGE
        ) from error


def _parse(path: Path, data: bytes) -> onnx.ModelProto:
    import onnx
    from google.protobuf.message import DecodeError

    proto = onnx.ModelProto()
    try:
        proto.ParseFromString(data)
    except DecodeError as error:
        what = "is cut off or damaged" if data[:1] == b"\x08" else "is not an ONNX file"
        raise WebbuildError("not-onnx", f"{path}: {what} ({_first_line(error)})", _EXPORT_AGAIN) from error
    if not proto.opset_import or not (proto.graph.node or proto.graph.output):
        raise WebbuildError("not-onnx", f"{path}: holds no ONNX graph", _EXPORT_AGAIN)
    return proto


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
