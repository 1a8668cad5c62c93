"""What a task is: a guess from the model's own words, a decoder, and a notion of sameness."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct
from numpy.typing import NDArray

import webbuild.tasks
from webbuild.facts import ModelFacts
from webbuild.manifest import Input, Task
from webbuild.phrase_head import PhraseHead
from webbuild.raw_head import RawHead
from webbuild.set_head import SetHead
from webbuild.tasks.geometry import Placement

Tensors = Mapping[str, NDArray[Any]]


class Guess(Struct, frozen=True):
    """What a model was taken for. `assumptions` are sentences: what was not said and is believed.

    `raw` says what has to follow the model's output before it is what `task` says of it. `files` go into the bundle
    under these names.
    """

    task: Task
    inputs: tuple[Input, ...]
    assumptions: tuple[str, ...]
    raw: RawHead | SetHead | PhraseHead | None = None
    files: Mapping[str, bytes] = {}


class Tolerance(Struct, frozen=True):
    """How far two results may lie apart and still be the same. Pixels are those of the input.

    `mask` is the part of a mask, of what either side covers, that may be covered by one side only. One cell more
    may: it can lie so close to the outline that rounding decides, and a small mask has few others. `region` is the
    same of a panoptic model's regions, a pixel more. `relative` is how far other floating point outputs may lie apart,
    as a part of their largest magnitude.
    """

    score: float
    pixels: float
    iou: float = 1e-3
    mask: float = 0.02
    region: float = 0.005
    relative: float = 1e-4


REDUCED = Tolerance(score=0.01, pixels=0.5, iou=0.01, region=0.02, relative=0.01)
"""For a graph in reduced precision, wherever it is run: a number of half precision has 11 bits, so it is off by up to
1 part in 2,048 wherever one is stored, and sums of many by more."""


class Match(Struct, frozen=True):
    """Two results of one picture, compared object by object.

    `pairs` were matched; the `excused` ones were not, but lie within tolerance of a threshold; the `unmatched`
    ones have no excuse. Distances are the largest over all pairs, `rms` their root mean squares by name. `masks` of
    the pairs cover anything at all.
    """

    pairs: int
    excused: int
    unmatched: tuple[str, ...]
    score: float
    box: float
    keypoint: float
    min_oks: float | None
    problems: tuple[str, ...]
    mask: float = 0.0
    masks: int = 0
    min_mask_iou: float | None = None
    rms: Mapping[str, float] = {}

    @property
    def same(self) -> bool:
        """Whether the two are the same result. True also for nothing against nothing: see `pairs`."""
        return not self.unmatched and not self.problems


class TaskKind(Protocol):
    """One task. Its file is found by walking this folder; `kind` is its name in the manifest."""

    kind: str

    def guess(self, facts: ModelFacts, *, asked: bool = False) -> Guess | None:
        """Return what the model is if it is of this kind, else None.

        `asked` says that the user named this task: what fits is believed without the model's own word.

        Raises:
            WebbuildError: `class-names` for a model of this kind whose metadata and scores do not agree.
        """

    def decode(self, task: Any, outputs: Tensors, placement: Placement | None) -> Sequence[Any]:
        """Return the objects in the outputs, in source pixels."""


def kinds() -> dict[str, TaskKind]:
    """Return every task by its kind."""
    found: dict[str, TaskKind] = {}
    for module in sorted(pkgutil.iter_modules(webbuild.tasks.__path__), key=lambda m: m.name):
        kind = getattr(importlib.import_module(f"webbuild.tasks.{module.name}"), "TASK", None)
        if kind is not None:
            found[kind.kind] = kind
    return found


def guess(facts: ModelFacts) -> Guess:
    """Return what the model is; `tensor` when no other task knows it."""
    known = kinds()
    for name, kind in known.items():
        if name != "tensor" and (found := kind.guess(facts)) is not None:
            return found
    fallback = known["tensor"].guess(facts)
    assert fallback is not None
    return fallback


def decode(task: Task, outputs: Tensors, placement: Placement | None) -> Sequence[Any]:
    """Return the objects in the outputs of a model of this task, in source pixels."""
    return kinds()[str(task.__struct_config__.tag)].decode(task, outputs, placement)
