"""The benchmark scenario, the same for every backend and browser."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from webbuild.bench.page_driver import PageDriver, RunTiming, SentFiles
from webbuild.browser.server import Server
from webbuild.verify.bundle import Bundle
from webbuild.verify.inputs import VerifyInput

WARMUP_RUNS = 3
"""Runs before the measured ones: they fill the caches of the browser and the CPU."""


class Scenario(Struct, frozen=True):
    """The bundle and its server, the samples, the number of runs, the time limit of a step, and the precision."""

    server: Server
    sent_bytes: SentFiles
    bundle: Bundle
    samples: Sequence[VerifyInput]
    runs: int
    seconds: float
    say: Callable[[str], None]
    precision: str = "auto"

    def run(self, driver: PageDriver, times: int) -> list[RunTiming]:
        """Run the decoded samples `times` times in total, in rotation."""
        return [driver.run(index % len(self.samples)) for index in range(times)]
