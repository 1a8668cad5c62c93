"""Templates of operators: the minimal valid node."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from onnx import TensorProto

from webbuild.probe.probe_model import Array

TemplateInput = tuple[int, ...] | Array | None
"""An input: fed, of a shape; a part of the model; or left out."""


@dataclass(frozen=True)
class OpTemplate:
    """A node's inputs, attributes and number of outputs. `types` fixes type variables that would be chosen freely.

    An attribute that hangs on the element type that is asked for is a function of its name (`float`, for Cast
    `float->int64`); one that is None is left out.
    """

    inputs: tuple[TemplateInput, ...]
    attributes: Mapping[str, Any] = field(default_factory=dict)
    outputs: int = 1
    types: Mapping[str, str] = field(default_factory=dict)


TemplateFactory = Callable[[int], OpTemplate]
"""From the version of an operator's schema to its form. Attributes that a version does not have are dropped."""


def fixed_template(*inputs: TemplateInput, outputs: int = 1, **attributes: Any) -> TemplateFactory:
    """Return the form of an operator whose versions are all written alike."""
    template = OpTemplate(inputs, attributes, outputs)
    return lambda _since: template


def versioned_template(forms: Mapping[int, OpTemplate]) -> TemplateFactory:
    """Return the form of an operator that is written otherwise since some versions: the newest that is no newer."""
    return lambda since: forms[max(version for version in forms if version <= since)]


def onnx_dtype(dtype: str) -> int:
    """Return ONNX's number of an element type; of `from->to`, of what it becomes."""
    return TensorProto.DataType.Value(dtype.rpartition("->")[2].upper())


def int64_list(*values: float) -> Array:
    """Return a list that is part of the model: axes, sizes, pads."""
    return np.array(values)
