"""What a bench drives, the same for every backend and browser."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from webbuild.bench.visitor import Sent, Timed, Visitor
from webbuild.browser.server import Server
from webbuild.verify.inputs import Given
from webbuild.verify.opened import Bundle

WARMING = 3
"""Runs before those that count: the first ones fill caches, the browser's and the processor's."""


class Course(Struct, frozen=True):
    """The bundle and who serves it, its samples, how often they run, the seconds of a step, the precision."""

    server: Server
    sent: Sent
    bundle: Bundle
    samples: Sequence[Given]
    runs: int
    seconds: float
    say: Callable[[str], None]
    precision: str = "auto"

    def run(self, visitor: Visitor, times: int) -> list[Timed]:
        """Run the held samples one after another, and from the first again, so often."""
        return [visitor.run(index % len(self.samples)) for index in range(times)]
