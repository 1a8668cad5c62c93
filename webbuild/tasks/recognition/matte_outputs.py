"""Find a model's alpha output: a one-channel map, the second channel of two classes, or the fourth of RGBA."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from webbuild.model.signature import TensorSpec
from webbuild.tasks.recognition.matte_families import ISNET, U2NET, MatteFamily

_ALPHA_NAMES = ("alphas", "alpha", "pha", "matte", "alpha_matte", "pred_matte", "matting", "alpha_mask")
_FOREGROUND_NAMES = ("fgr", "foreground", "pred_foreground")
_SIDE_OUTPUTS = 6
"""Minimum number of maps with the same shape, each after a sigmoid, in a U2-Net: the fused map and one per stage."""
_ISNET_SIDE = 1024


class AlphaMap(Struct, frozen=True):
    """An output that may be alpha: its layout, number of channels, and (height, width)."""

    spec: TensorSpec
    layout: Literal["nchw", "nhwc"]
    channels: int
    size: tuple[int, int]

    @property
    def area(self) -> int:
        """The number of cells."""
        return self.size[0] * self.size[1]


def alpha_maps(outputs: Sequence[TensorSpec]) -> list[AlphaMap]:
    """Return the float outputs that are maps of 1, 2 or 4 channels, in their order."""
    return [alpha_map for spec in outputs if spec.dtype == "float32" and (alpha_map := _alpha_map(spec)) is not None]


def _alpha_map(spec: TensorSpec) -> AlphaMap | None:
    match spec.shape:
        case (1, int(h), int(w)) if min(h, w) > 1:
            return AlphaMap(spec, "nchw", 1, (h, w))
        case (1, (1 | 2 | 4) as channels, int(h), int(w)) if min(h, w) > 4:
            return AlphaMap(spec, "nchw", channels, (h, w))
        case (1, int(h), int(w), (1 | 2 | 4) as channels) if min(h, w) > 4:
            return AlphaMap(spec, "nhwc", channels, (h, w))
        case (1, 1, int(h), int(w)) | (1, int(h), int(w), 1) if min(h, w) > 1:
            return AlphaMap(spec, "nchw", 1, (h, w))
    return None


def is_alpha_name(spec: TensorSpec) -> bool:
    """Whether an output is named as alpha: `alphas`, `pha`, `pred_matte`."""
    return _is_named(spec, _ALPHA_NAMES)


def find_foreground(outputs: Sequence[TensorSpec], alpha: AlphaMap) -> TensorSpec | None:
    """Return the output with the foreground colours, of the same size as alpha, None if there is none."""
    height, width = alpha.size
    shape = (1, 3, height, width) if alpha.layout == "nchw" else (1, height, width, 3)
    return next((spec for spec in outputs if spec.shape == shape and _is_named(spec, _FOREGROUND_NAMES)), None)


def side_output_family(maps: Sequence[AlphaMap]) -> MatteFamily | None:
    """Return U2-Net or IS-Net for a model with one map per stage, each after a sigmoid; None for others."""
    probable = [each for each in maps if each.channels == 1 and each.spec.activation == "Sigmoid"]
    if len(probable) < _SIDE_OUTPUTS or len({each.spec.shape for each in probable}) > 1:
        return None
    return ISNET if probable[0].size[0] >= _ISNET_SIDE or len(maps) != len(probable) else U2NET


def choose_alpha(maps: Sequence[AlphaMap], family: MatteFamily | None) -> tuple[AlphaMap, str] | None:
    """Return the alpha map and the reason for the choice; None if there is no map.

    The map with an alpha name, else one of the largest maps: models also return coarser maps. The family decides
    whether it is the first or the last of them.
    """
    named = next((each for each in maps if is_alpha_name(each.spec)), None)
    if named is not None:
        return named, "by its name"
    fitting = [each for each in maps if each.channels < 4]
    if not fitting:
        return None
    largest = [each for each in fitting if each.area == max(one.area for one in fitting)]
    chosen = largest[-1] if family is not None and family.chosen == "last" else largest[0]
    if len(fitting) == 1:
        return chosen, "the only map"
    if len(largest) == 1:
        return chosen, f"the largest of {len(fitting)} maps"
    which = "last" if chosen is largest[-1] else "first"
    return chosen, f"the {which} of {len(largest)} maps" + ("" if family is None else f", as in {family.name}")


def _is_named(spec: TensorSpec, names: Sequence[str]) -> bool:
    words = spec.name.lower().replace(".", "_").replace("/", "_").replace(":", "_")
    return any(words == name or words.endswith(f"_{name}") or words.startswith(f"{name}_") for name in names)
