"""How a trap ended, against native ONNX Runtime."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from benchmarks.node_test_report import shorten_message
from benchmarks.tiny_models import JobResult
from benchmarks.traps.trap import Trap
from webbuild.compare.arrays import ComparedOutput, compare_arrays
from webbuild.errors import WebbuildError
from webbuild.runners.native import NativeRunner

TrapEnding = Literal[
    "GPU", "partly CPU", "CPU", "WASM", "folded", "undefined", "no session", "throws", "wrong", "tool fails"
]
RANK: dict[TrapEnding, int] = {"GPU": 3, "folded": 3, "undefined": 3, "partly CPU": 2, "CPU": 1, "WASM": 1}
"""What is better; every failure is 0. Where the standard leaves the answer open, none is wrong."""
RELATIVE = 1e-3
"""How far an answer may lie from native's, relative to its largest magnitude. Adapters differ by less."""


class TrapOutcome(Struct, frozen=True):
    """How it ended, why, and which passes had been at work."""

    ending: TrapEnding
    reason: str = ""
    passes: tuple[str, ...] = ()


Outputs = dict[str, NDArray[Any]]


def reference_outputs(trap: Trap) -> Outputs | None:
    """Return native ONNX Runtime's answer, None where it refuses."""
    from benchmarks.traps.trap import FOLDER

    try:
        return NativeRunner(FOLDER / trap.name, trap.model.SerializeToString()).run(trap.feeds)
    except WebbuildError:
        return None


def compare_answer(
    answer: JobResult,
    want: Outputs,
    passes: tuple[str, ...],
    stepped: str = "",
    kept: str = "",
    undefined: str = "",
) -> TrapOutcome:
    """Judge an answer. NaN where NaN is wanted is right.

    Args:
        answer: what the build made of the graph.
        want: what native ONNX Runtime makes of the trap.
        passes: those that had been at work.
        stepped: why it was given to the WASM build instead.
        kept: why nodes of it are left to the CPU.
        undefined: why no answer is the right one.
    """
    if answer.ending == "no-session":
        return TrapOutcome("no session", shorten_message(answer.message), passes)
    if answer.ending != "ran":
        return TrapOutcome("throws", shorten_message(answer.message), passes)
    reason = "; ".join(filter(None, (_differs(name, array, answer.outputs.get(name)) for name, array in want.items())))
    if reason:
        return TrapOutcome("undefined", undefined, passes) if undefined else TrapOutcome("wrong", reason, passes)
    if stepped:
        return TrapOutcome("WASM", stepped, passes)
    if not answer.gpu:
        return TrapOutcome("CPU", kept, passes) if answer.cpu else TrapOutcome("folded", "", passes)
    return TrapOutcome("partly CPU", kept, passes) if answer.cpu else TrapOutcome("GPU", "", passes)


def _differs(name: str, want: NDArray[Any], got: NDArray[Any] | None) -> str:
    if got is not None and got.shape == want.shape and want.dtype.kind == "f":
        both = np.isnan(want) & np.isnan(got)
        want, got = np.where(both, 0, want).astype(want.dtype), np.where(both, 0, got).astype(got.dtype)
    finite = np.abs(want[np.isfinite(want)]) if want.dtype.kind == "f" else np.zeros(0)
    allowed = RELATIVE * float(finite.max()) if finite.size else None
    result = compare_arrays(
        ComparedOutput(runner="web", sample="", stage="raw", output=name), want, got, tolerance=allowed
    )
    place = f" at {list(result.worst)}: wanted {result.want}, got {result.got}" if result.want else ""
    return f"{name} {result.reason}{place}" if result.verdict == "DIFFERS" else ""
