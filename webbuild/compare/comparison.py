"""Comparison of one quantity of two results: numbers, a verdict, and a reason code that `reporting` puts into words."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Literal

import msgspec
from msgspec import Struct

Verdict = Literal["OK", "DIFFERS", "VACUOUS"]
Stage = Literal["input", "raw", "decoded"]

Mismatch = Literal[
    "missing",
    "shape",
    "dtype",
    "nan",
    "infinite",
    "not-finite",
    "too-far",
    "worst-too-far",
    "too-many",
    "not-equal",
    "unmatched",
    "no-pairs",
    "malformed",
]
"""Reasons why two results differ. `reporting/comparison_text.py` has the texts."""

NoSignal = Literal["empty", "zero", "nan-or-zero", "rounding", "constant", "nothing-found"]
"""Reasons why a reference has no signal: equal results then prove nothing."""


class ComparedOutput(Struct, frozen=True):
    """The subject of a comparison: an output or one quantity of it, at a stage of the run, on a sample, by a runner.

    `output` is empty for a prediction, which is decoded from all outputs. `quantity` is the compared quantity in terms
    of the task, such as a score; empty for an elementwise comparison.
    """

    runner: str
    sample: str
    stage: Stage
    output: str
    unit: str = ""
    quantity: str = ""

    @property
    def name(self) -> str:
        """The name of the quantity, else of the output."""
        return self.quantity or self.output

    def with_quantity(self, quantity: str, unit: str = "") -> ComparedOutput:
        """Return this subject with a quantity."""
        return ComparedOutput(self.runner, self.sample, self.stage, self.output, unit, quantity)


class Comparison(Struct, frozen=True, kw_only=True, rename="camel"):
    """Comparison of two results of one quantity.

    - `max_abs`: the largest difference, None if it is not finite or could not be computed; `max_rel`: relative to
      `signal`; `worst`: its index; `want`, `got`: the values there. `rms`: the root mean square of all differences.
    - `signal`: the largest finite magnitude of the reference, or its number of detections; 0 means vacuous.
    - `psnr`: of two pictures in dB, None if they are equal. `similarity`: the least OKS of poses or IoU of masks.
    - `near_threshold`: the number of unmatched objects within tolerance of a threshold.
    - `reason`: why the results differ or are vacuous; `details`: the differing objects.
    - `from_fallback`: whether the graph fell back, as at run time, and the fallback's result is compared.
    - `noise`: the noise floor, if it explains the difference.
    - `pieces`: if noise hides the output, the number of values inside the graph that agree, each computed from
      reference values; else 0.
    """

    subject: ComparedOutput
    verdict: Verdict
    tolerance: float
    max_abs: float | None = None
    max_rel: float | None = None
    worst: tuple[int, ...] = ()
    want: str = ""
    got: str = ""
    signal: float = 0.0
    reason: Mismatch | NoSignal | None = None
    details: tuple[str, ...] = ()
    rms: float | None = None
    similarity: float | None = None
    psnr: float | None = None
    near_threshold: int = 0
    from_fallback: bool = False
    noise: float | None = None
    pieces: int = 0

    @property
    def tolerance_used(self) -> float:
        """The difference / tolerance: above 1 it differs; infinite if the difference could not be computed."""
        if self.max_abs is None:
            return math.inf if self.verdict == "DIFFERS" else 0.0
        if not self.max_abs:
            return 0.0
        return self.max_abs / self.tolerance if self.tolerance else math.inf


def with_variant(comparisons: Iterable[Comparison], name: str) -> list[Comparison]:
    """Return the comparisons with the name of a model variant appended to the runner's name; unchanged if empty."""
    return [
        msgspec.structs.replace(
            each, subject=msgspec.structs.replace(each.subject, runner=f"{each.subject.runner} {name}")
        )
        if name
        else each
        for each in comparisons
    ]
