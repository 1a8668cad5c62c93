"""Degenerate outputs: constant, or NaN. The runtime reports the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.manifest.manifest import Task
from webbuild.tasks.registry import kind_of
from webbuild.verify.report import Problem

_FIX = "run the original model on the same pictures; export it again if its results are better there"

Arrays = Mapping[str, NDArray[Any]]


class DegenerateOutput(Struct, frozen=True):
    """A degenerate output: code, name of the output, and message."""

    code: str
    output: str
    message: str


def find_degenerate(task: Task, outputs: Arrays) -> list[DegenerateOutput]:
    """Return the degenerate outputs of a run. Zero detections are a valid result."""
    return list(_check_outputs(task, outputs))


def _check_outputs(task: Task, outputs: Arrays) -> Iterator[DegenerateOutput]:
    for name, array in outputs.items():
        if array.dtype != np.float32:
            continue
        if np.isnan(array).any():
            yield DegenerateOutput("nan-output", name, f"{name} holds NaN")
        elif flat := kind_of(task).describe_constant_output(task, name, array):
            yield DegenerateOutput("flat-output", name, flat)


def degenerate_problems(task: Task, answers: Sequence[Arrays]) -> list[Problem]:
    """Return the outputs that are degenerate on all samples: on a single empty picture an output may be constant."""
    each = [find_degenerate(task, outputs) for outputs in answers]
    kinds = [{(one.code, one.output) for one in problems} for problems in each]
    common = set.intersection(*kinds) if kinds else set()
    first = {(one.code, one.output): one for problems in reversed(each) for one in problems}
    return [
        Problem(code=key[0], where="native", message=f"{first[key].message}, on every sample", fix=_FIX)
        for key in sorted(common)
    ]
