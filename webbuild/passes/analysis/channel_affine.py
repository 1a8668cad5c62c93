"""Affine transformation of each channel: x * scale + shift."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.passes.rewrite import constant, input_value

Numbers = NDArray[np.float64]


class Affine(Struct, frozen=True):
    """Scale and shift of each channel: x * scale + shift."""

    scale: Numbers
    shift: Numbers


def batch_norm_affine(node: ir.Node) -> Affine | None:
    """Return the scale and shift of a BatchNormalization with constant parameters, None for any other."""
    stored = [constant(input_value(node, at)) for at in range(1, 5)]
    if any(array is None for array in stored) or node.outputs[0].dtype != ir.DataType.FLOAT or len(node.outputs) > 1:
        return None
    if node.attributes.get_int("training_mode", 0):
        return None
    gamma, beta, mean, variance = (np.asarray(array, np.float64) for array in stored)
    scale = gamma / np.sqrt(variance + node.attributes.get_float("epsilon", 1e-5))
    shift = beta - scale * mean
    return Affine(scale, shift) if np.isfinite(scale).all() and np.isfinite(shift).all() else None
