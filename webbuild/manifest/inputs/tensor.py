"""Tensors of an earlier run, of an earlier stage, or from the caller."""

from __future__ import annotations

from typing import Literal

from webbuild.manifest.manifest_struct import ManifestStruct
from webbuild.manifest.numbers import Shape

DType = Literal[
    "float32", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool"
]  # fmt: skip
"""Element types of onnxruntime-web's tensors that have a typed array in every browser, but float64."""


class StateInput(ManifestStruct, tag="state", tag_field="kind", kw_only=True, frozen=True):
    """The state of a recurrent model, such as a hidden state: an input that takes an output of the previous run.

    The first run of a sequence takes zeros. Each later run takes the value of the graph's output `output` in the
    previous run, which has the same type and shape. That output is not part of the result. If the model has no other
    output, it is, and is listed in `outputs` too.
    """

    name: str
    dtype: DType
    shape: Shape
    output: str


class StageInput(ManifestStruct, tag="stage", tag_field="kind", kw_only=True, frozen=True):
    """A tensor from an earlier stage, such as the embedding of a picture: the output `output` of `stage`.

    That output has the same type and shape. The runtime fills it in.
    """

    name: str
    dtype: DType
    shape: Shape
    stage: str
    output: str


class TensorInput(ManifestStruct, tag="tensor", tag_field="kind", kw_only=True, frozen=True):
    """A tensor that the caller must give."""

    name: str
    dtype: DType
    shape: Shape
