"""Spectra of a signal, frame by frame."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx_ir as ir

from webbuild.passes._decompose import Decomposition, Draft, Form, UnfitError
from webbuild.passes._graph import constant, dims


class SimplerSpectra(Decomposition):
    """Writes an STFT as a Conv with windowed waves.

    Why: WebGPU has no kernel for STFT, with which models of speech begin.

    How: the real and the imaginary part of each frequency are a filter over a frame, the window times a cosine or a
    sine; the step between frames is the stride. Right to 1e-4 of the largest magnitude, as long frames add up many
    numbers. Needs a real signal of fixed length, and a constant step, window and frame length.
    """

    code = "simpler-spectra"

    def forms(self) -> Mapping[str, Form]:
        """Return how to write it."""
        return {"STFT": _transform}


def _transform(add: Draft, node: ir.Node) -> ir.Value:
    x, shape, given = node.inputs[0], dims(node.inputs[0]), [*node.inputs, None, None]
    step, window, length = constant(given[1]), constant(given[2]), constant(given[3])
    computed = any(value is not None and constant(value) is None for value in given[1:4])
    if shape is None or step is None or computed or (window is None and length is None):
        raise UnfitError("its signal has no fixed length, or its step, window or frame length is computed")
    if x is None or x.dtype != ir.DataType.FLOAT or (len(shape) == 3 and shape[2] != 1):
        raise UnfitError("its signal is complex, or not float32")
    size = int(length.reshape(())) if length is not None else len(window) if window is not None else 0
    if window is None:
        window = np.ones(size)
    if len(window) != size or shape[1] < size:
        raise UnfitError("its window is shorter than a frame, or its signal is")
    bins = size // 2 + 1 if node.attributes.get_int("onesided", 1) else size
    angles = -2 * np.pi * (np.outer(np.arange(bins), np.arange(size)) % size) / size
    waves = np.concatenate([np.cos(angles), np.sin(angles)]) * window.astype(np.float64)
    signal = add.op("Reshape", x, add.const([shape[0], 1, shape[1]], np.int64))
    parts = add.op("Conv", signal, add.const(waves[:, None]), strides=[int(step.reshape(()))])
    frames = (shape[1] - size) // int(step.reshape(())) + 1
    node.outputs[0].shape = ir.Shape([shape[0], frames, bins, 2])  # ONNX infers both sides where `onesided` is left out
    apart = add.op("Reshape", parts, add.const([shape[0], 2, bins, -1], np.int64))
    return add.op("Transpose", apart, perm=[0, 3, 2, 1])
