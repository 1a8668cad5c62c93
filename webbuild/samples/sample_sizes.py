"""Take the sizes of free dimensions from the arrays of a sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from webbuild.model.signature import ModelSignature
from webbuild.samples.npz import load_npz


def sample_sizes(signature: ModelSignature, samples: Sequence[Path], dims: Mapping[str, int]) -> dict[str, int]:
    """Return sizes of free dimensions, not in `dims`, from the arrays of the first .npz sample.

    Keys are dimension names, or "input:axis" for dimensions without one. An array with another rank than its input is
    skipped here; reading the sample raises the error.

    Raises:
        WebbuildError: `unreadable-tensors`.
    """
    file = next((file for file in samples if file.suffix == ".npz"), None)
    arrays = {} if file is None else load_npz(file)
    sizes: dict[str, int] = {}
    for spec in signature.inputs:
        array = arrays.get(spec.name)
        if array is None or array.ndim != len(spec.shape):
            continue
        for axis, (dim, size) in enumerate(zip(spec.shape, array.shape, strict=True)):
            axis_name = f"{spec.name}:{axis}"
            if not isinstance(dim, int) and size > 0 and dim not in dims and axis_name not in dims:
                sizes.setdefault(dim or axis_name, size)
    return sizes
