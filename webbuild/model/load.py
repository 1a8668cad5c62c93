"""An ONNX file, loaded safely: what is unreadable or unsafe is refused with a fix."""

from __future__ import annotations

import hashlib
import mmap
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.errors import USAGE, WebbuildError
from webbuild.model.external_data import check_external_data, follow_link
from webbuild.model.file_format import sniff_format
from webbuild.model.hub_files import read_hub_files
from webbuild.model.lazy_initializers import LARGE_FILE_BYTES, read_graph_only, without_external_initializers
from webbuild.model.loop_states import free_growing_states
from webbuild.model.node_order import sort_nodes
from webbuild.model.operator_support import check_operators
from webbuild.model.opset_upgrade import upgrade_opset
from webbuild.model.output_activation import output_activation
from webbuild.model.signature import ModelSignature, TensorSpec
from webbuild.model.states import StatePair
from webbuild.model.tensor_checks import check_dtypes, check_tensor_data
from webbuild.model.utf8 import repair_utf8
from webbuild.runners.native import NativeRunner

if TYPE_CHECKING:
    import onnx
    import onnx_ir as ir

_FIX_EXPORT = "export the model to ONNX again and pass the .onnx file"
_FIX_INVALID_MODEL = "the file breaks the rules of ONNX: check it with onnx.checker, or export it again"


class OnnxModel(Struct, frozen=True):
    """A model as it was given: never changed after loading.

    `model` has external data mapped lazily. `graph_bytes` is what a session is made of in the file's place: the file
    without the weights inside it, where those are so many that they are read where they lie, or with its nodes sorted.
    `repairs` are sentences about what was put right, or is wrong and loads all the same. `set_inputs` are the values of
    inputs that are constants in `model`, and still inputs in the file. `states` are the inputs that it remembers.
    `warnings` speak against its answers.
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

    read = _read_file(path)
    proto = _parse(path, read.data)
    if (name := repair_utf8(proto)) is not None:
        raise WebbuildError("invalid-model", f"{path}: the name {name!r} is not UTF-8", _FIX_EXPORT)
    real = follow_link(proto, path)
    size = read.size + check_external_data(proto, real)
    upgrade_opset(proto)
    check_operators(proto, path)
    graph, repairs = read.data if read.has_external_weights else None, list[str]()
    if moved := sort_nodes(proto):
        graph = proto.SerializeToString()
        repairs.append(f"the nodes are sorted: {moved} stand at another place than in the file")
    try:
        is_whole = graph is None and real == path
        onnx.checker.check_model(str(path) if is_whole else without_external_initializers(proto))
    except (onnx.checker.ValidationError, ValueError, RuntimeError) as error:
        cause = _root_cause(error)
        if not _loads_natively(proto, path, graph):
            raise WebbuildError("invalid-model", f"{path}: {cause}", _FIX_INVALID_MODEL) from error
        repairs.append(f"native ONNX Runtime loads it, though onnx.checker says: {cause.partition(' ==> ')[0]}")
    check_tensor_data(proto, path)
    check_dtypes(proto, path)
    _check_outputs(proto, path)
    try:
        model = ir.from_proto(proto)
    except Exception as error:  # the deserialiser raises many types for graphs the checker lets pass
        raise WebbuildError("invalid-model", f"{path}: {_root_cause(error)}", _FIX_EXPORT) from error
    ir.external_data.set_base_dir(model.graph, real.parent)
    _make_negative_dims_dynamic(model)
    free_growing_states(model)
    known = msgspec.structs.replace(model_signature(path.name, model), hub_files=read_hub_files(path))
    return OnnxModel(path, read.sha256, size, model, known, graph, tuple(repairs))


def model_signature(file: str, model: ir.Model) -> ModelSignature:
    """Return the interface and the metadata of a model; initializers are not inputs."""
    inputs = [value for value in model.graph.inputs if value.name not in model.graph.initializers]
    return ModelSignature(
        file=file,
        producer=" ".join(filter(None, (model.producer_name, model.producer_version))),
        metadata=dict(model.metadata_props),
        inputs=tuple(_tensor_spec(value) for value in inputs),
        outputs=tuple(_tensor_spec(value) for value in model.graph.outputs),
        operators=frozenset(node.op_type for node in model.graph),
    )


def _make_negative_dims_dynamic(model: ir.Model) -> None:
    """Make sizes below zero free dimensions: some exporters write -1 for "any"."""
    import onnx_ir as ir

    outputs = (value for node in model.graph for value in node.outputs)
    for value in (*model.graph.inputs, *model.graph.outputs, *outputs):
        if value.shape is not None and any(isinstance(dim, int) and dim < 0 for dim in value.shape):
            value.shape = ir.Shape([None if isinstance(dim, int) and dim < 0 else dim for dim in value.shape])


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
    """Return NumPy's name of a tensor's elements; what is no tensor is said to be none."""
    import onnx_ir as ir

    if value.type is not None and not isinstance(value.type, ir.TensorType):
        return "a sequence or an optional, no tensor"
    if value.dtype in (None, ir.DataType.UNDEFINED):
        return "unknown"
    return str(value.dtype.numpy())


class _FileContent(Struct, frozen=True):
    """What to parse, and the file's SHA-256 and size; `has_external_weights` if its weights are not in `data`."""

    data: bytes
    sha256: str
    size: int
    has_external_weights: bool


def _read_file(path: Path) -> _FileContent:
    if path.is_dir():
        raise WebbuildError(
            "model-not-found", f"{path}: is a folder", "pass the path of the .onnx file in it", exit_code=USAGE
        )
    try:
        if (apart := _read_graph_only(path)) is not None:
            return apart
        data = path.read_bytes()
        return _FileContent(data, hashlib.sha256(data).hexdigest(), len(data), False)
    except OSError as error:
        raise _not_found(path, error) from error


def require_model(path: Path) -> None:
    """Refuse a path where nothing is, before anything else is said about the call.

    Raises:
        WebbuildError: `model-not-found`.
    """
    try:
        path.stat()
    except OSError as error:
        raise _not_found(path, error) from error


def _not_found(path: Path, error: OSError) -> WebbuildError:
    fix = "check the path of the .onnx file, the folder with it, or the Ultralytics .pt file"
    if "=" in path.name:
        fix = f"give the option again before each value, such as --dim {path.name}"
    return WebbuildError("model-not-found", f"{path}: {error.strerror}", fix, exit_code=USAGE)


def _read_graph_only(path: Path) -> _FileContent | None:
    """Return the graph of a large file, which no link leads to, without its weights."""
    known = path.lstat()
    if known.st_size < LARGE_FILE_BYTES or known.st_nlink > 1 or path.is_symlink():
        return None
    from google.protobuf import message

    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        try:
            graph = read_graph_only(data, path.name)
        except (
            ValueError,
            message.DecodeError,
        ):  # whatever it is, it is parsed whole, and refused by what is found there
            return None
        return _FileContent(graph, hashlib.file_digest(file, "sha256").hexdigest(), known.st_size, True)


def _parse(path: Path, data: bytes) -> onnx.ModelProto:
    import onnx
    from google.protobuf.message import DecodeError

    if (like := sniff_format(data)) is not None:
        what, fix = like
        raise WebbuildError("not-onnx", f"{path}: looks like {what}", fix, exit_code=USAGE)
    proto = onnx.ModelProto()
    try:
        proto.ParseFromString(data)
    except DecodeError as error:
        if "depth" in str(error).lower():
            fix = "flatten the control flow of the model, and export it again"
            raise WebbuildError("invalid-model", f"{path}: its graphs are nested too deeply", fix) from error
        what = "is cut off or damaged" if data[:1] == b"\x08" else "is not an ONNX file"
        raise WebbuildError("not-onnx", f"{path}: {what} ({_root_cause(error)})", _FIX_EXPORT) from error
    if not (proto.graph.node or proto.graph.output):
        raise WebbuildError("not-onnx", f"{path}: holds no ONNX graph", _FIX_EXPORT)
    return proto


def _loads_natively(proto: onnx.ModelProto, path: Path, graph: bytes | None) -> bool:
    """Whether native ONNX Runtime makes a session of it, which is never asked about tensors that lack data."""
    try:
        check_tensor_data(proto, path)
        check_dtypes(proto, path)
        NativeRunner(path, graph).close()
    except WebbuildError:
        return False
    return True


def _check_outputs(proto: onnx.ModelProto, path: Path) -> None:
    names = [output.name for output in proto.graph.output]
    if not names:
        raise WebbuildError("invalid-model", f"{path}: the graph has no outputs", _FIX_EXPORT)
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise WebbuildError("invalid-model", f"{path}: output '{twice}' is listed twice", _FIX_INVALID_MODEL)


def _root_cause(error: BaseException) -> str:
    """Return the first line of the error behind the error."""
    while error.__cause__ is not None:
        error = error.__cause__
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return " ".join(lines[:2]) if lines else type(error).__name__
