"""Protocol of an engine for `bisect`: it makes a session of a model, runs it once, and says how that ended."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, Protocol

from msgspec import Struct
from numpy.typing import NDArray

Array = NDArray[Any]
OutputCallback = Callable[[str, Array], None]
RunStatus = Literal["ran", "no-session", "throws", "hang", "crash"]


class ModelRunResult(Struct, frozen=True):
    """How a session ended, with the engine's message; `log` are its lines about placement, where asked for.

    `shader` is the source of a shader that did not compile.
    """

    status: RunStatus
    message: str = ""
    log: tuple[str, ...] = ()
    shader: str = ""


class SessionRunner(Protocol):
    """Makes a session of a model and runs it once."""

    @property
    def name(self) -> str:
        """Engine, version and what it computes on, for people; a resumed search asks for the same."""

    def run_model(
        self, model: bytes, feeds: Mapping[str, Array], take: OutputCallback, *, verbose: bool = False
    ) -> ModelRunResult:
        """Run a model; hand its outputs to `take` one by one, only if all of it ran.

        With `verbose` the answer has what the engine says about the places of nodes.
        """
