"""Protocol of an engine for `bisect`: it creates a session, runs the model once, and reports the outcome."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, Protocol

from msgspec import Struct
from numpy.typing import NDArray

Array = NDArray[Any]
OutputCallback = Callable[[str, Array], None]
RunStatus = Literal["ran", "no-session", "throws", "hang", "crash"]


class ModelRunResult(Struct, frozen=True):
    """The outcome of a session, with the engine's message.

    `log` has the engine's lines about node placement if `verbose` was set. `shader` is the source of a shader that did
    not compile.
    """

    status: RunStatus
    message: str = ""
    log: tuple[str, ...] = ()
    shader: str = ""


class SessionRunner(Protocol):
    """Creates a session of a model and runs it once."""

    @property
    def name(self) -> str:
        """Engine, version and device, for people; a resumed bisection must have the same."""

    def run_model(
        self, model: bytes, feeds: Mapping[str, Array], take: OutputCallback, *, verbose: bool = False
    ) -> ModelRunResult:
        """Run a model, and pass its outputs to `take` one by one, only if the whole run succeeded.

        With `verbose` the result has the engine's log lines about node placement.
        """
