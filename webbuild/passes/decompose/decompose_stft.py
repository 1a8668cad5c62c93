from __future__ import annotations

import numpy as np
import onnx_ir as ir
from numpy.typing import NDArray

from webbuild.passes.decompose.base import Decomposers, Decomposition, NotApplicableError, RewriteContext
from webbuild.passes.rewrite import constant, input_value

_LARGEST = 32 << 20
"""Largest weights in bytes: enough for one-sided frames of up to 2896 samples."""


class DecomposeStft(Decomposition):
    """`STFT(x, step, window)` -> `Conv<strides = [step]>(x, window * cosines and sines)`.

        STFT<onesided>(x [B, L], step, window [N])
        ->  c = Conv<strides = [step]>(x [B, 1, L], w [2 K, 1, N])        [B, 2 K, F],  K = N / 2 + 1
            Reshape(Transpose(c), [B, F, K, 2])

    Why: WebGPU has no kernel for STFT. Its DFT kernel has an error of up to 1e-4 of the largest magnitude, because
    WGSL's sine has.

    How: the weights are the window times the cosines and negative sines of each frequency, computed in float64:

        w[2 k]     =  window cos(2 pi k n / N)
        w[2 k + 1] = -window sin(2 pi k n / N)

    Limits: real float32 input; constant step, window and length. Accurate to 1e-5 of the largest magnitude.
    """

    code = "decompose-stft"
    tolerance = 1e-5

    def decomposers(self) -> Decomposers:
        return {"STFT": _stft}


def _stft(add: RewriteContext, node: ir.Node) -> ir.Value:
    signal, step = node.inputs[0], constant(node.inputs[1])
    if signal is None or signal.dtype != ir.DataType.FLOAT or signal.shape is None:
        raise NotApplicableError("it is not float32, or its rank is not known")
    if len(signal.shape) == 3 and signal.shape[2] != 1:
        raise NotApplicableError("its signal is or may be complex")
    if step is None:
        raise NotApplicableError("its step is computed")
    weights = _weights(_window(node), onesided=bool(node.attributes.get_int("onesided", 1)))
    lines = add.reshape(signal, [0, 1, -1])
    channels, _, length = weights.shape
    spectra = add.op("Conv", lines, add.const(weights), kernel_shape=[length], strides=[int(step.item())])
    frames = add.op("Transpose", spectra, perm=[0, 2, 1])
    return add.reshape(frames, [0, -1, channels // 2, 2])


def _window(node: ir.Node) -> NDArray[np.float64]:
    """Return the window: the factor of each sample of a frame."""
    inputs = input_value(node, 2), input_value(node, 3)
    window, length = constant(inputs[0]), constant(inputs[1])
    if any(value is not None and known is None for value, known in zip(inputs, (window, length), strict=True)):
        raise NotApplicableError("its window is computed")
    if window is None:
        assert length is not None
        return np.ones(int(length.item()))
    if length is not None and length.item() != window.size:
        raise NotApplicableError("its window and its frame differ in length")
    return window.astype(np.float64)


def _weights(window: NDArray[np.float64], *, onesided: bool) -> NDArray[np.float32]:
    """Return the weights [2 K, 1, N]: for each frequency the real part, then the imaginary part."""
    size = window.size
    count = size // 2 + 1 if onesided else size
    if 8 * count * size > _LARGEST:
        raise NotApplicableError(f"a frame of {size} samples would need too many weights")
    # k n modulo N first: large angles lose precision
    angles = 2 * np.pi * (np.outer(np.arange(count), np.arange(size)) % size) / size
    parts = np.stack([np.cos(angles), -np.sin(angles)], axis=1) * window
    return parts.reshape(2 * count, 1, size).astype(np.float32)
