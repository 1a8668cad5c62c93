"""Safe loading of ONNX files: unreadable and unsafe files are refused with a fix."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.errors import WebbuildError
from webbuild.model.external_data import check_external_data, follow_link
from webbuild.model.hub_files import read_hub_files
from webbuild.model.lazy_initializers import without_external_initializers
from webbuild.model.loop_states import free_growing_states
from webbuild.model.node_order import sort_nodes
from webbuild.model.operator_support import check_operators
from webbuild.model.opset_upgrade import upgrade_opset
from webbuild.model.random_operators import random_warnings
from webbuild.model.read_file import FIX_EXPORT, parse, read_file, root_cause
from webbuild.model.read_signature import read_signature
from webbuild.model.signature import ModelSignature
from webbuild.model.states import StatePair
from webbuild.model.tensor_checks import check_dtypes, check_tensor_data
from webbuild.model.utf8 import repair_utf8
from webbuild.runners.native import NativeRunner

if TYPE_CHECKING:
    import onnx
    import onnx_ir as ir

_FIX_INVALID_MODEL = "the file breaks the rules of ONNX: check it with onnx.checker, or export it again"


class OnnxModel(Struct, frozen=True):
    """A loaded ONNX model; never changed after loading.

    `model` has external data mapped lazily. `graph_bytes`, if set, is loaded by sessions instead of the file: the model
    with lazy weights, or with its nodes sorted. `repairs` are sentences about fixed problems, and about problems with
    which the model loads anyway. `set_inputs` are the values of inputs that are constants in `model`, but still inputs
    in the file. `states` are the inputs that carry state between runs. `warnings` are reasons to doubt its results.
    """

    path: Path
    sha256: str
    size: int
    model: ir.Model
    signature: ModelSignature
    graph_bytes: bytes | None = None
    repairs: tuple[str, ...] = ()
    set_inputs: Mapping[str, NDArray[Any]] = {}
    states: tuple[StatePair, ...] = ()
    warnings: tuple[str, ...] = ()


def load_onnx(path: Path) -> OnnxModel:
    """Load an ONNX file.

    Raises:
        WebbuildError: `model-not-found`, `not-onnx`, `invalid-model`, `unsupported-opset`, `unknown-operators`,
            `external-data-outside`, `external-data-missing`, `external-data-linked` or `external-data-truncated`.
    """
    import onnx
    import onnx_ir as ir

    read = read_file(path)
    proto = parse(path, read.data)
    if (name := repair_utf8(proto)) is not None:
        raise WebbuildError("invalid-model", f"{path}: the name {name!r} is not UTF-8", FIX_EXPORT)
    real = follow_link(proto, path)
    size = read.size + check_external_data(proto, real)
    upgrade_opset(proto)
    check_operators(proto, path)
    graph, repairs = read.data if read.has_external_weights else None, list[str]()
    if moved := sort_nodes(proto):
        graph = proto.SerializeToString()
        repairs.append(f"the nodes were sorted: {moved} of them moved")
    try:
        is_whole = graph is None and real == path
        onnx.checker.check_model(str(path) if is_whole else without_external_initializers(proto))
    except (onnx.checker.ValidationError, ValueError, RuntimeError) as error:
        cause = root_cause(error)
        if (reason := _native_error(proto, path, graph)) is not None:
            raise WebbuildError("invalid-model", f"{path}: {cause}{reason}", _FIX_INVALID_MODEL) from error
        repairs.append(f"native ONNX Runtime loads it, though onnx.checker says: {cause.partition(' ==> ')[0]}")
    check_tensor_data(proto, path)
    check_dtypes(proto, path)
    _check_outputs(proto, path)
    _check_maps(proto, path)
    try:
        model = ir.from_proto(proto)
    except Exception as error:  # the deserializer raises many types for graphs the checker lets pass
        raise WebbuildError("invalid-model", f"{path}: {root_cause(error)}", FIX_EXPORT) from error
    ir.external_data.set_base_dir(model.graph, real.parent)
    _free_unknown_dims(model)
    free_growing_states(model)
    known = msgspec.structs.replace(read_signature(path.name, model), hub_files=read_hub_files(path))
    warnings = tuple(random_warnings(proto))
    return OnnxModel(path, read.sha256, size, model, known, graph, tuple(repairs), warnings=warnings)


def _check_maps(proto: onnx.ModelProto, path: Path) -> None:
    """Raise for an output that is a map, or a sequence of maps."""
    for output in proto.graph.output:
        if output.type.HasField("map_type") or output.type.sequence_type.elem_type.HasField("map_type"):
            raise WebbuildError(
                "unsupported-dtype",
                f"{path}: output '{output.name}' holds maps, which webbuild does not support as an output",
                "export it as a tensor; skl2onnx does with options={'zipmap': False}",
            )


def _free_unknown_dims(model: ir.Model) -> None:
    """Make negative sizes, and sizes named "?", "" or "None", free dimensions without a name: all mean "any".

    As names they would make height and width equal: paddle2onnx writes "?" for both.
    """
    import onnx_ir as ir

    outputs = (value for node in model.graph for value in node.outputs)
    for value in (*model.graph.inputs, *model.graph.outputs, *outputs):
        if value.shape is not None:
            dims = [None if _is_unknown(dim) else dim for dim in value.shape]
            value.shape = value.shape if dims == list(value.shape) else ir.Shape(dims)


def _is_unknown(dim: int | ir.SymbolicDim) -> bool:
    return dim < 0 if isinstance(dim, int) else dim.value in ("?", "", "None")


def _native_error(proto: onnx.ModelProto, path: Path, graph: bytes | None) -> str | None:
    """Return why native ONNX Runtime cannot create a session, None if it can.

    It is not tried if a tensor lacks data: that is "", as the checker says it.
    """
    try:
        check_tensor_data(proto, path)
        check_dtypes(proto, path)
    except WebbuildError:
        return ""
    try:
        NativeRunner(path, graph).close()
    except WebbuildError as error:
        return f"; native ONNX Runtime says: {root_cause(error)}"
    return None


def _check_outputs(proto: onnx.ModelProto, path: Path) -> None:
    names = [output.name for output in proto.graph.output]
    if not names:
        raise WebbuildError("invalid-model", f"{path}: the graph has no outputs", FIX_EXPORT)
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise WebbuildError("invalid-model", f"{path}: output '{twice}' is listed twice", _FIX_INVALID_MODEL)
