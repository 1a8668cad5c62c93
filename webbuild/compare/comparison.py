"""A comparison: numbers about one quantity of two results, and a code for what is wrong. `reporting` words it."""

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
"""Why two results differ. `reporting/comparison_text.py` has the words."""

NoSignal = Literal["empty", "zero", "nan-or-zero", "rounding", "constant", "nothing-found"]
"""Why a reference says nothing: equal results prove nothing then."""


class ComparedOutput(Struct, frozen=True):
    """What is compared: an output or one quantity of it, at a stage of the run, on a sample, by a runner.

    `output` is empty for a prediction, which is decoded from all of them. `quantity` is what is compared of it in the
    terms of the task, such as a score; empty where numbers are compared as they are.
    """

    runner: str
    sample: str
    stage: Stage
    output: str
    unit: str = ""
    quantity: str = ""

    @property
    def name(self) -> str:
        """The quantity, else the output."""
        return self.quantity or self.output

    def with_quantity(self, quantity: str, unit: str = "") -> ComparedOutput:
        """Return the subject for one quantity of it."""
        return ComparedOutput(self.runner, self.sample, self.stage, self.output, unit, quantity)


class Comparison(Struct, frozen=True, kw_only=True, rename="camel"):
    """Two results of one quantity, compared.

    `rms` is the root mean square of all differences, `max_abs` the largest, None where it is not finite or could not
    be computed; `max_rel` is that relative to `signal`; `worst` is where it is, `want` and `got` the values there.
    `signal` is the largest finite magnitude of the reference, or its number of detections: with 0 there was nothing
    to compare. `psnr` is that of two pictures in dB, None where they are equal. `similarity` is the least OKS of poses
    or IoU of masks. `near_threshold` objects have no partner, but
    lie within tolerance of a threshold. `reason` says why the two differ or say nothing, `details` name the objects
    that do. `from_fallback` says that the graph asked for its fallback, as at run time, and that this compares the
    fallback's answer. `noise` is the noise floor, where that explains the difference.
    `pieces` is not 0 where noise drowns the output: how many values agree inside the graph, each computed from the
    reference's.
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
        """The part of the tolerance that the difference takes: above 1 it differs, infinite where it has no size."""
        if self.max_abs is None:
            return math.inf if self.verdict == "DIFFERS" else 0.0
        if not self.max_abs:
            return 0.0
        return self.max_abs / self.tolerance if self.tolerance else math.inf


def with_variant(comparisons: Iterable[Comparison], name: str) -> list[Comparison]:
    """Return the comparisons of a variant of a model with its name behind that of the runner; as they are without."""
    return [
        msgspec.structs.replace(
            each, subject=msgspec.structs.replace(each.subject, runner=f"{each.subject.runner} {name}")
        )
        if name
        else each
        for each in comparisons
    ]
