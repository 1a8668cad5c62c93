"""Turn Resize scale inputs into constants: a graph in the browser has one size."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from webbuild.model.load import OnnxModel
from webbuild.model.set_inputs import set_inputs
from webbuild.passes.analysis.scale_inputs import scale_inputs
from webbuild.tasks.options.symbolic_dims import ResolvedDims, picture_sides

_SIDE = 512
"""Longer side at which Robust Video Matting finds people, as in its `auto_downsample_ratio`."""
_RATIO = "downsample_ratio"


def with_constant_scales(source: OnnxModel, choose: Callable[[OnnxModel], ResolvedDims]) -> OnnxModel:
    """Return a model whose Resize scales are constant: 1, except `downsample_ratio`, which makes the longer side 512.

    Args:
        source: the model.
        choose: returns a size for every free dimension of a model.
    """
    names = scale_inputs(source.model)
    if not names:
        return source
    constant = set_inputs(source, dict.fromkeys(names, "1"))
    value = "1"
    if _RATIO in names:
        dims = choose(constant).dims
        sides = [
            size if isinstance(size, int) else dims[f"{spec.name}:{axis}"]
            for spec in constant.signature.inputs
            for axis, size in enumerate(spec.shape)
            if axis in picture_sides(spec)
        ]
        value = f"{min(1.0, _SIDE / max(sides, default=_SIDE)):.6g}"
        constant = set_inputs(source, {**dict.fromkeys(names, "1"), _RATIO: value})
    notes = [
        f"input '{name}' is {value if name == _RATIO else 1}: it decides sizes, so it is a constant; "
        f"change it with --set {name}=N"
        for name in names
    ]
    return msgspec.structs.replace(constant, repairs=(*source.repairs, *notes))
