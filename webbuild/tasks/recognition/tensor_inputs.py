"""Specs of plain tensor inputs."""

from __future__ import annotations

from typing import cast, get_args

from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import DType, TensorInput
from webbuild.model.signature import TensorSpec


def tensor_input_spec(spec: TensorSpec) -> TensorInput:
    """Return the spec of an input with a fixed shape.

    Raises:
        WebbuildError: `unsupported-dtype` for an element type that inputs of a bundle cannot have.
    """
    if spec.dtype not in get_args(DType):
        raise WebbuildError(
            "unsupported-dtype",
            f"input '{spec.name}' is {spec.dtype}, which webbuild does not support as an input",
            f"export it as one of {', '.join(get_args(DType))}; a Cast in the graph makes the other type of it",
        )
    shape = [size for size in spec.shape if isinstance(size, int)]
    return TensorInput(name=spec.name, dtype=cast("DType", spec.dtype), shape=shape)
