"""Zero-shot classifiers: an image encoder with the labels of a text encoder, matched before the passes run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from webbuild.compile.infer_task import patched_signature, with_fixed_dims
from webbuild.model.load import OnnxModel
from webbuild.tasks.options.zero_shot import LogitScale, TextLabels, zero_shot_match
from webbuild.tasks.task_match import TaskMatch

if TYPE_CHECKING:
    import onnx_ir as ir

_LOGIT_WEIGHTS = ("logit_scale", "logit_bias")
_LARGEST_LOGARITHM = 10.0
"""CLIP stores the logarithm of its scale, 4.6. An export may have folded the exponential and stores 100."""


def infer_zero_shot(source: OnnxModel, dims: Mapping[str, int], labels: TextLabels) -> TaskMatch:
    """Return the match of an image encoder with the labels of a text encoder.

    Raises:
        WebbuildError: see `zero_shot_match`.
    """
    frozen = with_fixed_dims(source.model, dims)
    return zero_shot_match(patched_signature(source, frozen), labels, read_logit_scale(source.model))


def read_logit_scale(model: ir.Model) -> LogitScale:
    """Return scale and bias from the weights `logit_scale` and `logit_bias`, None for each that is missing."""
    scale, bias = (_number(model, name) for name in _LOGIT_WEIGHTS)
    return LogitScale(
        "as the weights say", math.exp(scale) if scale is not None and scale < _LARGEST_LOGARITHM else scale, bias
    )


def is_logit_weight(name: str) -> bool:
    """Whether an initializer is one that `read_logit_scale` reads."""
    return _last_part(name) in _LOGIT_WEIGHTS


def _last_part(name: str) -> str:
    return name.split(".")[-1]


def _number(model: ir.Model, name: str) -> float | None:
    tensors = (value.const_value for key, value in model.graph.initializers.items() if _last_part(key) == name)
    return next((float(each.numpy().reshape(())) for each in tensors if each is not None and each.size == 1), None)
