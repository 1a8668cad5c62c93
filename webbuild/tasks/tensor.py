"""Tensor: a model about which nothing is known packs too, with its tensors as they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast, get_args

from webbuild.errors import WebbuildError
from webbuild.facts import ModelFacts, TensorFact
from webbuild.manifest import DType, TensorInput, TensorTask
from webbuild.tasks._base import Guess, Tensors
from webbuild.tasks.geometry import Placement


class TensorKind:
    """Every input is asked for, every output is returned."""

    kind = "tensor"

    def guess(self, facts: ModelFacts, *, asked: bool = False) -> Guess:
        """Take the model for what its interface says, and no more."""
        return Guess(
            TensorTask(),
            tuple(tensor_input(fact) for fact in facts.inputs),
            ("task tensor: nothing in the metadata says what this model is for, so inputs and outputs stay tensors",),
        )

    def decode(self, task: TensorTask, outputs: Tensors, placement: Placement | None) -> Sequence[object]:
        """There are no objects in bare tensors."""
        return ()


def tensor_input(fact: TensorFact) -> TensorInput:
    """Return the spec of an input with a fixed shape.

    Raises:
        WebbuildError: `unsupported-dtype` for an element type that JavaScript has no array for.
    """
    if fact.dtype not in get_args(DType):
        raise WebbuildError(
            "unsupported-dtype",
            f"input '{fact.name}' is {fact.dtype}, which a browser cannot feed",
            f"export it as one of {', '.join(get_args(DType))}",
        )
    shape = [size for size in fact.shape if isinstance(size, int)]
    return TensorInput(name=fact.name, dtype=cast("DType", fact.dtype), shape=shape)


TASK = TensorKind()
