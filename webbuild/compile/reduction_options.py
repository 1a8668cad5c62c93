"""The options of `pack` that make a bundle smaller: int8 weights, or a float16 graph for WebGPU."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from webbuild.errors import USAGE, WebbuildError
from webbuild.manifest.manifest import Weights
from webbuild.precision.budget import SearchBudget
from webbuild.targets.table import KernelTable

PrecisionMode = Literal["fp32", "fp16", "mixed", "auto"]


class ReductionOptions(Struct, frozen=True):
    """How the graphs are made smaller after they are proven.

    Attributes:
        weights: `int8` quantizes the weights.
        precision: the precision of an additional graph for WebGPU: `fp16` = all convertible nodes, `mixed` = the
            largest accurate subset, `auto` = `mixed` if it pays.
        budget: limits of the precision search, and the fraction of the weights that `auto` must save.
        table: the kernel table of the target.
        browser: whether Chromium may run float16.
        may_stay: whether the model may stay in float32 if it cannot be reduced, as with several stages.
    """

    weights: Weights = "fp32"
    precision: PrecisionMode = "fp32"
    budget: SearchBudget = SearchBudget()
    table: KernelTable | None = None
    browser: bool = False
    may_stay: bool = False


def check_exclusive_options(precision: PrecisionMode, weights: Weights) -> None:
    """Check that only one of --precision and --weight-dtype makes the model smaller.

    Raises:
        WebbuildError: `conflicting-options`.
    """
    if precision != "fp32" and weights != "fp32":
        raise WebbuildError(
            "conflicting-options",
            f"--precision {precision} and --weight-dtype {weights} are not combined",
            "leave one of them out: int8 is the smaller download, float16 also runs faster",
            exit_code=USAGE,
        )
