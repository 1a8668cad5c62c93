"""A model's outcomes: in `webbuild patch`, unchanged on WebGPU, after the passes, and on WASM."""

from __future__ import annotations

from collections import Counter
from typing import Literal

from msgspec import Struct

Ending = Literal["right", "wrong", "throws", "no session", "not run"]


class Run(Struct, frozen=True):
    """A graph's outcome, the reason if it was not right, and the operators on the CPU.

    `within_noise` means that the model's noise floor explains the difference, but is too large for the outputs to prove
    anything. `pieces` is the number of intermediate values that agree when each is computed from the reference's
    inputs: then the graph counts as right.
    """

    ending: Ending = "not run"
    reason: str = ""
    cpu: tuple[str, ...] = ()
    gpu_nodes: int = 0
    within_noise: bool = False
    pieces: int = 0

    @property
    def wholly_gpu(self) -> bool:
        """Whether it was right, without a node on the CPU."""
        return self.ending == "right" and not self.cpu


class Patched(Struct, frozen=True):
    """The result of `webbuild patch` for a model.

    `error` is the error code without options, `error_with_sizes` with the example's sizes; empty without an error.
    `on_wasm` says why there is no WebGPU graph. `predicted_cpu` are the operators that `inspect` expects on the CPU.
    """

    error: str = ""
    error_with_sizes: str = ""
    message: str = ""
    file: str = ""
    cpu_nodes: tuple[str, ...] = ()
    on_wasm: str = ""
    predicted_cpu: tuple[str, ...] = ()
    nodes: int = 0
    seconds: float = 0.0


class Row(Struct, frozen=True):
    """A model of the zoo. `predicted` are the codes of `inspect` for the unchanged model."""

    name: str
    patched: Patched
    predicted: tuple[str, ...]
    before: Run
    after: Run
    wasm: Run

    @property
    def mispredicted(self) -> bool:
        """Whether the patched graph throws or is wrong, or nodes are on the CPU unexpectedly."""
        return self.after.ending in ("wrong", "throws", "no session") or bool(
            Counter(self.after.cpu) - Counter(self.patched.predicted_cpu)
        )
