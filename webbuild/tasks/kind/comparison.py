"""Comparison: the methods of a task that compare outputs and predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.compare.tolerances import Tolerance
from webbuild.runners.tensors import Tensors
from webbuild.tasks.run_context import RunContext

_MAX_CONSTANT_CHECK_ELEMENTS = 1 << 18
"""Largest output, in elements, that is checked for being constant; the runtime has the same limit."""


class Comparing:
    """Comparison methods of a task: outputs and predictions of a candidate against those of the reference."""

    compares_predictions: bool = True
    """Whether outputs are compared after decoding, not tensor by tensor."""
    finds_anywhere: bool = False
    """Whether the task finds the same objects in a mirrored or cropped picture."""
    ranks_inputs: bool = False
    """Whether predictions rank inputs by similarity: each is then compared with the reference's other predictions."""

    def compare_output(
        self,
        task: Any,
        subject: ComparedOutput,
        expected: NDArray[Any],
        actual: NDArray[Any],
        context: RunContext,
        tolerance: Tolerance,
    ) -> Sequence[Comparison] | None:
        """Compare one output of equal shape and type by the task's quantities; None to compare elements."""
        return None

    def compare(
        self,
        task: Any,
        subject: ComparedOutput,
        expected: Sequence[Any],
        actual: Sequence[Any],
        context: RunContext,
        tolerance: Tolerance,
    ) -> Sequence[Comparison]:
        """Compare two predictions; return a comparison for each quantity."""
        return ()

    def default_thresholds(self, task: Any) -> Mapping[str, float]:
        """Return the exported thresholds by option, if the task applies them outside the graph."""
        return {}

    def candidate_scores(self, task: Any, outputs: Tensors) -> NDArray[Any] | None:
        """Return the scores of all candidates in the outputs, best first; None if the graph has no threshold."""
        return None

    def describe_constant_output(self, task: Any, name: str, array: NDArray[Any]) -> str:
        """Return a description of a constant finite output, a sign of a broken model; "" if it varies."""
        flat = 1 < array.size <= _MAX_CONSTANT_CHECK_ELEMENTS and bool((array == array.flat[0]).all())
        return f"{name} holds {array.flat[0]:g} everywhere" if flat else ""

    def tolerance_text(self, tolerance: Tolerance) -> str:
        """Return the tolerance of predictions as text; empty if tensors are compared."""
        return ""
