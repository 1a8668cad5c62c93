"""Arguments and options of `webbuild bench`."""

from __future__ import annotations

from dataclasses import dataclass

import click

from webbuild.commands.dataclass_command import option
from webbuild.commands.options.shared import BrowserArguments


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BenchArguments(BrowserArguments):
    """Benchmark the bundle in DIRECTORY in a browser: bytes, time to the first result, run time, memory.

    Set WEBBUILD_GPU=real to use a real GPU. Without it browsers compute WebGPU on the CPU, and its times say nothing
    about a GPU.

    Example: webbuild bench dist/yolo-pose --html bench.html
    """

    runs: int = option(default=30, type=click.IntRange(1, 100_000), help="Number of runs for p50 and p95.")
