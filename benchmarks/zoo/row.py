"""What became of a model: at the door, on WebGPU as it is, after the passes, and on WASM."""

from __future__ import annotations

from collections import Counter
from typing import Literal

from msgspec import Struct

Ending = Literal["right", "wrong", "throws", "no session", "not run"]


class Run(Struct, frozen=True):
    """How a graph ran, why if it was not right, and the operators that the CPU was given.

    `drowned` says that the model's own noise explains the difference, but is too large for outputs to prove anything;
    `pieces` how many values inside it agree, each computed from the reference's, so that it is right all the same.
    """

    ending: Ending = "not run"
    reason: str = ""
    cpu: tuple[str, ...] = ()
    gpu_nodes: int = 0
    drowned: bool = False
    pieces: int = 0

    @property
    def wholly_gpu(self) -> bool:
        """Whether it was right, with no node on the CPU."""
        return self.ending == "right" and not self.cpu


class Patched(Struct, frozen=True):
    """What `webbuild patch` made of a model.

    `door` is the code of the error without any option, `refused` that with the sizes of the example; empty for none.
    `on_wasm` says why the WebGPU build gets no graph. `predicted_cpu` are the operators that `inspect` expects there.
    """

    door: str = ""
    refused: str = ""
    message: str = ""
    file: str = ""
    cpu_nodes: tuple[str, ...] = ()
    on_wasm: str = ""
    predicted_cpu: tuple[str, ...] = ()
    nodes: int = 0
    seconds: float = 0.0


class Row(Struct, frozen=True):
    """A model of the zoo. `foreseen` are the codes of what `inspect` says of the model as it is."""

    name: str
    patched: Patched
    foreseen: tuple[str, ...]
    before: Run
    after: Run
    wasm: Run

    @property
    def surprises(self) -> bool:
        """Whether the patched graph throws or answers wrongly, or nodes are on the CPU that were not expected there."""
        return self.after.ending in ("wrong", "throws", "no session") or bool(
            Counter(self.after.cpu) - Counter(self.patched.predicted_cpu)
        )
