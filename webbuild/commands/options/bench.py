"""Arguments and options of `webbuild bench`."""

from __future__ import annotations

from dataclasses import dataclass

import click

from webbuild.commands.dataclass_command import option
from webbuild.commands.options.shared import BrowserArguments


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BenchArguments(BrowserArguments):
    """Measure in Chromium what the bundle in DIRECTORY costs: bytes, time to a result, a run, memory.

    Chromium computes WebGPU on the CPU unless WEBBUILD_GPU=real is set: its times say nothing about a GPU then.

    Example: webbuild bench dist/yolo-pose --html bench.html
    """

    runs: int = option(default=30, type=click.IntRange(1, 100_000), help="Number of runs for p50 and p95.")
