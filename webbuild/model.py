"""An ONNX file, loaded safely: what is unreadable or unsafe is refused with a mend."""

from __future__ import annotations

import hashlib
import mmap
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from webbuild.companions import read_companions
from webbuild.early_opset import lift
from webbuild.errors import USAGE, WebbuildError
from webbuild.external import check_external_data
from webbuild.facts import ModelFacts, TensorFact
from webbuild.in_place import LARGE, graph_alone, without_weights
from webbuild.lookalike import lookalike
from webbuild.operators import check_operators
from webbuild.prose import mend_prose
from webbuild.tensor_data import check_tensor_data, check_types

if TYPE_CHECKING:
    import onnx
    import onnx_ir as ir

_EXPORT_AGAIN = "export the model to ONNX again and pass the .onnx file"
_BREAKS_RULES = "the file breaks the rules of ONNX: check it with onnx.checker, or export it again"


class Source(Struct, frozen=True):
    """A model as it was given: never changed after loading.

    `model` has external data mapped lazily. `graph` is the file without the weights inside it, where those are so
    many that they are read where they lie: what a session is made of in the file's place.
    """

    path: Path
    sha256: str
    size: int
    model: ir.Model
    facts: ModelFacts
    graph: bytes | None = None


def load(path: Path) -> Source:
    """Load an ONNX file.

    Raises:
        WebbuildError: `no-such-model`, `not-onnx`, `invalid-model`, `wrong-opset`, `unknown-operators`,
            `external-data-outside`, `external-data-missing`, `external-data-linked` or `external-data-truncated`.
    """
    import onnx
    import onnx_ir as ir

    read = _read(path)
    proto = _parse(path, read.data)
    _check_text(proto, path)
    size = read.size + check_external_data(proto, path)
    lift(proto)
    check_operators(proto, path)
    try:
        onnx.checker.check_model(without_weights(proto) if read.apart else str(path))
    except (onnx.checker.ValidationError, ValueError, RuntimeError) as error:
        raise WebbuildError("invalid-model", f"{path}: {_reason(error)}", _BREAKS_RULES) from error
    check_tensor_data(proto, path)
    check_types(proto, path)
    _check_outputs(proto, path)
    try:
        model = ir.from_proto(proto)
    except Exception as error:  # the deserialiser raises many types for graphs the checker lets pass
        raise WebbuildError("invalid-model", f"{path}: {_reason(error)}", _EXPORT_AGAIN) from error
    ir.external_data.set_base_dir(model.graph, path.parent)
    _free_negative_sizes(model)
    known = msgspec.structs.replace(facts(path.name, model), companions=read_companions(path))
    return Source(path, read.sha256, size, model, known, read.data if read.apart else None)


def facts(file: str, model: ir.Model) -> ModelFacts:
    """Return the interface and the metadata of a model; initializers are not inputs."""
    inputs = [value for value in model.graph.inputs if value.name not in model.graph.initializers]
    return ModelFacts(
        file=file,
        producer=" ".join(filter(None, (model.producer_name, model.producer_version))),
        metadata=dict(model.metadata_props),
        inputs=tuple(_fact(value) for value in inputs),
        outputs=tuple(_fact(value) for value in model.graph.outputs),
        operators=frozenset(node.op_type for node in model.graph),
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
    maker = value.producer()
    return TensorFact(
        value.name or "",
        element_type(value),
        tuple(dim if isinstance(dim, int) else dim.value for dim in dims),
        "" if maker is None else maker.op_type,
    )


def element_type(value: ir.Value) -> str:
    """Return NumPy's name of a tensor's elements; what is no tensor is said to be none."""
    import onnx_ir as ir

    if value.type is not None and not isinstance(value.type, ir.TensorType):
        return "a sequence or an optional, no tensor"
    if value.dtype in (None, ir.DataType.UNDEFINED):
        return "unknown"
    return str(value.dtype.numpy())


class _Read(Struct, frozen=True):
    """What to parse, and the file's SHA-256 and size; `apart` if its weights are not in `data`."""

    data: bytes
    sha256: str
    size: int
    apart: bool


def _read(path: Path) -> _Read:
    if path.is_dir():
        raise WebbuildError(
            "no-such-model", f"{path}: is a folder", "pass the path of the .onnx file in it", exit_code=USAGE
        )
    try:
        if (apart := _apart(path)) is not None:
            return apart
        data = path.read_bytes()
        return _Read(data, hashlib.sha256(data).hexdigest(), len(data), False)
    except OSError as error:
        raise WebbuildError(
            "no-such-model", f"{path}: {error.strerror}", "pass the path of an .onnx file", exit_code=USAGE
        ) from error


def _apart(path: Path) -> _Read | None:
    """Return the graph of a large file, which no link leads to, without its weights."""
    known = path.lstat()
    if known.st_size < LARGE or known.st_nlink > 1 or path.is_symlink():
        return None
    from google.protobuf import message

    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        try:
            graph = graph_alone(data, path.name)
        except (
            ValueError,
            message.DecodeError,
        ):  # whatever it is, it is parsed whole, and refused by what is found there
            return None
        return _Read(graph, hashlib.file_digest(file, "sha256").hexdigest(), known.st_size, True)


def _parse(path: Path, data: bytes) -> onnx.ModelProto:
    import onnx
    from google.protobuf.message import DecodeError

    if (like := lookalike(data)) is not None:
        what, mend = like
        raise WebbuildError("not-onnx", f"{path}: looks like {what}", mend)
    proto = onnx.ModelProto()
    try:
        proto.ParseFromString(data)
    except DecodeError as error:
        if "depth" in str(error).lower():
            mend = "flatten the control flow of the model, and export it again"
            raise WebbuildError("invalid-model", f"{path}: its graphs are nested too deeply", mend) from error
        what = "is cut off or damaged" if data[:1] == b"\x08" else "is not an ONNX file"
        raise WebbuildError("not-onnx", f"{path}: {what} ({_reason(error)})", _EXPORT_AGAIN) from error
    if not (proto.graph.node or proto.graph.output):
        raise WebbuildError("not-onnx", f"{path}: holds no ONNX graph", _EXPORT_AGAIN)
    return proto


def _check_text(proto: onnx.ModelProto, path: Path) -> None:
    if (name := mend_prose(proto)) is not None:
        raise WebbuildError("invalid-model", f"{path}: the name {name!r} is not UTF-8", _EXPORT_AGAIN)


def _check_outputs(proto: onnx.ModelProto, path: Path) -> None:
    names = [output.name for output in proto.graph.output]
    if not names:
        raise WebbuildError("invalid-model", f"{path}: the graph has no outputs, so it answers nothing", _EXPORT_AGAIN)
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise WebbuildError("invalid-model", f"{path}: output '{twice}' is listed twice", _BREAKS_RULES)


def _reason(error: BaseException) -> str:
    """Return the first line of the error behind the error."""
    while error.__cause__ is not None:
        error = error.__cause__
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return " ".join(lines[:2]) if lines else type(error).__name__
