"""Lazy weights of a large .onnx file: only the graph is parsed; large initializers become external data of the file.

Protobuf copies what it parses, and every reader parses again: weights of 700 MB took 3 GB. So the large `raw_data` of
initializers is skipped, and referenced as external data of the same file. Field numbers are those of onnx.proto.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from webbuild.model.tensor_checks import expected_bytes

if TYPE_CHECKING:
    from mmap import mmap

    import onnx

LARGE_FILE_BYTES = 64 << 20
"""Smallest file with lazy weights."""
_MIN_TENSOR_BYTES = 1 << 16
"""Smallest tensor that becomes external data; smaller ones may be shapes, whose values are needed."""

_GRAPH_FIELD, _INITIALIZER_FIELD, _RAW_DATA_FIELD = 7, 5, 9
_LENGTH_DELIMITED = 2
"""Protobuf's wire type of a field that begins with its length."""

_Field = tuple[int, int, int, int]
"""A protobuf field: number, start, start of its content, end."""


def read_graph_only(data: mmap, file: str) -> bytes:
    """Return the serialized model of `data`, with its large initializers as external data of `file`, which has `data`.

    Raises:
        ValueError: the bytes are not a protobuf message, or the data of a tensor does not have the size of its shape.
    """
    out = bytearray()
    for number, start, inside, end in _iter_fields(data, 0, len(data)):
        if number == _GRAPH_FIELD:
            _write_field(out, _GRAPH_FIELD, _rewrite_graph(data, inside, end, file))
        else:
            out += data[start:end]
    return bytes(out)


def without_external_initializers(model: onnx.ModelProto) -> onnx.ModelProto:
    """Return a model for onnx.checker, which would read external data: external initializers become inputs."""
    import onnx

    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    del copy.graph.initializer[:]
    declared = {value.name for value in copy.graph.input}
    for tensor in model.graph.initializer:
        if tensor.data_location != tensor.EXTERNAL:
            copy.graph.initializer.append(tensor)
        elif tensor.name not in declared:
            copy.graph.input.append(onnx.helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims))
    return copy


def _rewrite_graph(data: mmap, start: int, end: int, file: str) -> bytes:
    out = bytearray()
    for number, begin, inside, stop in _iter_fields(data, start, end):
        raw = (
            _raw_data_field(data, inside, stop)
            if number == _INITIALIZER_FIELD and stop - inside >= _MIN_TENSOR_BYTES
            else None
        )
        if raw is None:
            out += data[begin:stop]
        else:
            _write_field(out, _INITIALIZER_FIELD, _external_tensor(data, inside, stop, raw, file))
    return bytes(out)


def _raw_data_field(data: mmap, start: int, end: int) -> _Field | None:
    """Return the `raw_data` field of a tensor; None if there is none or it is small."""
    return next(
        (
            each
            for each in _iter_fields(data, start, end)
            if each[0] == _RAW_DATA_FIELD and each[3] - each[2] >= _MIN_TENSOR_BYTES
        ),
        None,
    )


def _external_tensor(data: mmap, start: int, end: int, raw: _Field, file: str) -> bytes:
    """Return a serialized tensor without its data, which it references as external data at its offset in the file."""
    import onnx

    _, before, inside, behind = raw
    tensor = onnx.TensorProto.FromString(data[start:before] + data[behind:end])
    if expected_bytes(tensor) != behind - inside:
        raise ValueError(f"'{tensor.name}' has {behind - inside} bytes")
    tensor.data_location = onnx.TensorProto.EXTERNAL
    for key, value in (("location", file), ("offset", inside), ("length", behind - inside)):
        tensor.external_data.add(key=key, value=str(value))
    text: bytes = tensor.SerializeToString()
    return text


def _iter_fields(data: mmap, at: int, end: int) -> Iterator[_Field]:
    while at < end:
        start = at
        key, at = _read_varint(data, at, end)
        match key & 7:
            case 0:
                inside, (_, at) = at, _read_varint(data, at, end)
            case 1:
                inside, at = at, at + 8
            case 5:
                inside, at = at, at + 4
            case kind if kind == _LENGTH_DELIMITED:
                length, inside = _read_varint(data, at, end)
                at = inside + length
            case _:
                raise ValueError(f"no protobuf field at byte {start}")
        if at > end:
            raise ValueError(f"the field at byte {start} goes beyond its message")
        yield key >> 3, start, inside, at


def _read_varint(data: mmap, at: int, end: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if at >= end:
            break
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise ValueError(f"no number at byte {at}")


def _write_field(out: bytearray, number: int, content: bytes) -> None:
    for value in (number << 3 | _LENGTH_DELIMITED, len(content)):
        while value >= 0x80:
            out.append(value & 0x7F | 0x80)
            value >>= 7
        out.append(value)
    out += content
