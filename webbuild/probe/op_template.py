"""Templates of operators: a minimal valid node for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from onnx import TensorProto

from webbuild.probe.probe_model import Array

TemplateInput = tuple[int, ...] | Array | None
"""An input: the shape of a fed tensor, an initializer, or None for an omitted input."""


@dataclass(frozen=True)
class OpTemplate:
    """A node's inputs, attributes and number of outputs. `types` fixes type variables that are otherwise chosen.

    An attribute that depends on the measured element type is a function of its name (`float`, for Cast
    `float->int64`). An attribute that is None is omitted.
    """

    inputs: tuple[TemplateInput, ...]
    attributes: Mapping[str, Any] = field(default_factory=dict)
    outputs: int = 1
    types: Mapping[str, str] = field(default_factory=dict)


TemplateFactory = Callable[[int], OpTemplate]
"""Schema version -> template. Attributes that a version does not have are dropped."""


def fixed_template(*inputs: TemplateInput, outputs: int = 1, **attributes: Any) -> TemplateFactory:
    """Return the template of an operator with the same node in all versions."""
    template = OpTemplate(inputs, attributes, outputs)
    return lambda _since: template


def versioned_template(forms: Mapping[int, OpTemplate]) -> TemplateFactory:
    """Return the template of an operator whose node changes with its version. `forms`: first version -> template."""
    return lambda since: forms[max(version for version in forms if version <= since)]


def onnx_dtype(dtype: str) -> int:
    """Return ONNX's number of an element type; for `from->to` of the target type."""
    return TensorProto.DataType.Value(dtype.rpartition("->")[2].upper())


def int64_list(*values: float) -> Array:
    """Return an int64 initializer: axes, sizes or pads."""
    return np.array(values)
