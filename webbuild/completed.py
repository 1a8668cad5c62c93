"""The outputs of a model that lacks its post-processing, with what it lacks computed in plain numpy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.phrase_head import PhraseHead
from webbuild.raw_head import DETECTIONS, RawHead
from webbuild.reference_head import reference_head
from webbuild.reference_set import reference_set
from webbuild.set_head import SetHead

Head = RawHead | SetHead | PhraseHead
Arrays = Mapping[str, NDArray[Any]]


def completed(raw: Head, outputs: Arrays, feeds: Arrays, values: Mapping[str, float]) -> dict[str, NDArray[Any]]:
    """Return the outputs with `DETECTIONS` in the place of the raw ones; `values` are the thresholds by option."""
    if isinstance(raw, PhraseHead):
        return dict(outputs)
    if isinstance(raw, SetHead):
        found, replaced = reference_set(raw, outputs, feeds, values["confidence"]), raw.replaced
    else:
        found = reference_head(raw, outputs[raw.output], values["confidence"], values.get("iou", raw.iou))
        replaced = (raw.output,)
    return {DETECTIONS: found, **{name: array for name, array in outputs.items() if name not in replaced}}


def with_ones(raw: Head | None, feeds: Arrays) -> Arrays:
    """Return what the original is fed: also the masks that became constants in what was made of it."""
    ones = raw.ones if isinstance(raw, SetHead | PhraseHead) else {}
    return {**feeds, **{name: np.ones(shape) for name, shape in ones.items()}}
