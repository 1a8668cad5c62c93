"""A trap's outcome, compared with native ONNX Runtime."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct
from numpy.typing import NDArray

from benchmarks.node_test_report import shorten_message
from benchmarks.tiny_models import JobResult
from benchmarks.traps.trap import Trap
from webbuild.compare.arrays import compare_arrays
from webbuild.compare.comparison import ComparedOutput
from webbuild.errors import WebbuildError
from webbuild.reporting.comparison_text import describe_difference
from webbuild.runners.native import NativeRunner

TrapEnding = Literal[
    "GPU", "partly CPU", "CPU", "WASM", "folded", "undefined", "no session", "throws", "wrong", "tool fails"
]
RANK: dict[TrapEnding, int] = {"GPU": 3, "folded": 3, "undefined": 3, "partly CPU": 2, "CPU": 1, "WASM": 1}
"""Ranks of the outcomes; every failure is 0. If the standard leaves the result undefined, none is wrong."""
RELATIVE = 1e-3
"""Tolerance against native's output, relative to its largest magnitude. Adapters differ by less."""


class TrapOutcome(Struct, frozen=True):
    """The outcome, its reason, and the passes that changed the graph."""

    ending: TrapEnding
    reason: str = ""
    passes: tuple[str, ...] = ()


Outputs = dict[str, NDArray[Any]]


def reference_outputs(trap: Trap) -> Outputs | None:
    """Return native ONNX Runtime's outputs, None if it refuses the graph."""
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
    """Compare a result with the reference. NaN is right where the reference is NaN.

    Args:
        answer: the build's result for the graph.
        want: native ONNX Runtime's outputs for the trap.
        passes: the passes that changed the graph.
        stepped: why it ran on the WASM build instead.
        kept: why some of its nodes stay on the CPU.
        undefined: why there is no defined result.
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
    subject = ComparedOutput(runner="web", sample="", stage="raw", output=name)
    difference = describe_difference([compare_arrays(subject, want, got, relative=RELATIVE)])
    return f"{name} {difference}" if difference else ""
