"""How a trap ended, against native ONNX Runtime."""

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
    subject = ComparedOutput(runner="web", sample="", stage="raw", output=name)
    difference = describe_difference([compare_arrays(subject, want, got, relative=RELATIVE)])
    return f"{name} {difference}" if difference else ""
