"""Element types of tensors that can be inputs and outputs of a page."""

from __future__ import annotations

from onnx import TensorProto

FEEDABLE_TYPES: dict[int, int] = {
    TensorProto.FLOAT: 4, TensorProto.DOUBLE: 8, TensorProto.FLOAT16: 2, TensorProto.BOOL: 1,
    TensorProto.INT8: 1, TensorProto.INT16: 2, TensorProto.INT32: 4, TensorProto.INT64: 8,
    TensorProto.UINT8: 1, TensorProto.UINT16: 2, TensorProto.UINT32: 4, TensorProto.UINT64: 8,
}  # fmt: skip
"""ONNX element type -> bytes per element."""
