"""Batches in a pipeline: only crop stages run several inputs at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from webbuild.compile.model_variant import ModelVariant
from webbuild.compile.stages.crops import crop_batches
from webbuild.compile.stages.planned_stage import PlannedStage
from webbuild.errors import USAGE, WebbuildError


def check_batches(stages: Sequence[PlannedStage], batches: Sequence[int]) -> None:
    """Check that `--batch` of a pipeline applies to a crop stage.

    Raises:
        WebbuildError: `conflicting-options`.
    """
    if len(stages) == 1 or len(batches) == 1 or any(_looks_at_crops(stages, at) for at in range(len(stages))):
        return
    raise WebbuildError(
        "conflicting-options",
        f"--batch {','.join(map(str, batches))}: stages take one picture per run, and no stage runs on crops",
        "leave --batch out: it sets how many crops run at once",
        exit_code=USAGE,
    )


def stage_batches(stages: Sequence[PlannedStage], at: int, batches: Sequence[int]) -> Sequence[int]:
    """Return the batch sizes of a stage: `batches` for a single stage, else the numbers of crops of a crop stage."""
    are_crop_batches = len(batches) > 1 and _looks_at_crops(stages, at)
    return batches if len(stages) == 1 or are_crop_batches else crop_batches(stages[at], (1,), first=at == 0)


def compile_possible(
    compile_each: Callable[[Sequence[int]], list[ModelVariant]], batches: Sequence[int], requested: Sequence[int]
) -> list[ModelVariant]:
    """Compile a model for these batches; for batch 1 if its batch is fixed and the user requested no other.

    Raises:
        WebbuildError: what `compile_each` raises; `fixed-batch` only for requested batches.
    """
    try:
        return compile_each(batches)
    except WebbuildError as error:
        if error.code != "fixed-batch" or len(requested) > 1 or len(batches) == 1:
            raise
    return compile_each((1,))


def _looks_at_crops(stages: Sequence[PlannedStage], at: int) -> bool:
    return at > 0 and not stages[at].joins and stages[at].glue is None
