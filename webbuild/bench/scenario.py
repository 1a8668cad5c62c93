"""The benchmark scenario, the same for every backend and browser."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from webbuild.bench.page_driver import PageDriver, RunTiming, SentFiles
from webbuild.browser.server import Server
from webbuild.verify.bundle import Bundle
from webbuild.verify.inputs import VerifyInput

WARMUP_RUNS = 3
"""Runs before those that count: the first ones fill caches, the browser's and the processor's."""


class Scenario(Struct, frozen=True):
    """The bundle and who serves it, its samples, how often they run, the seconds of a step, the precision."""

    server: Server
    sent_bytes: SentFiles
    bundle: Bundle
    samples: Sequence[VerifyInput]
    runs: int
    seconds: float
    say: Callable[[str], None]
    precision: str = "auto"

    def run(self, driver: PageDriver, times: int) -> list[RunTiming]:
        """Run the held samples one after another, and from the first again, so often."""
        return [driver.run(index % len(self.samples)) for index in range(times)]
