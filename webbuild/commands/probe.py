"""`webbuild probe`: measure a build of onnxruntime-web and write its table."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from webbuild import assets
from webbuild.browser.chromium import chromium
from webbuild.errors import CLEAN, USAGE, WebbuildError
from webbuild.probe.engine import cache_folder, engine
from webbuild.probe.journal import Journal
from webbuild.probe.lab import lab
from webbuild.probe.measure import measure
from webbuild.probe.native import Native
from webbuild.probe.node import Probe
from webbuild.probe.record import record
from webbuild.probe.registry import families, probes
from webbuild.probe.sweep import sweep
from webbuild.talk import Talk
from webbuild.targets.table import Table, encode
from webbuild.targets.target import Build, Target

if TYPE_CHECKING:
    from rich.progress import Progress

GROUPS = "large"
"""The family that is about the work groups of a GPU. It takes longest, and comes last."""


def run(version: str | None, build: Build, only: Sequence[str], resume: bool, out: Path | None) -> int:
    """Measure, write the table, say what was found. Return the exit code.

    Raises:
        WebbuildError: `no-family`, and what `engine`, `chromium` and `lab` raise.
    """
    target = Target(version or assets.engine_version(), build)
    if unknown := sorted(set(only) - set(families())):
        choice = ", ".join(families())
        raise WebbuildError("no-family", f"there is no family {unknown[0]}", f"choose of {choice}", exit_code=USAGE)
    talk = Talk()
    measured = _measure(target, only, resume, talk)
    file = out or Path(f"{target.name}.json")
    file.write_bytes(encode(measured))
    counts = Counter(case.outcome for case in measured.cases)
    talk.say(f"{file}: " + ", ".join(f"{count} {outcome}" for outcome, count in counts.most_common()))
    return CLEAN


def _measure(target: Target, only: Sequence[str], resume: bool, talk: Talk) -> Table:
    cache = cache_folder()
    with talk.step(f"the files of onnxruntime-web {target.name}"):
        build = engine(target, cache)
    journal = Journal(cache / f"{target.name}.jsonl", resume=resume)
    swept = [] if only else list(sweep())
    gpu = target.build != "wasm"
    named = only or [*(name for name in families() if name != GROUPS), *([GROUPS] if gpu else [])]
    cases = {family: list(probes(family)) for family in named}
    steps = [("placements", [each.probe for each in swept]), *cases.items()]
    with Native() as native, chromium(webgpu=gpu) as browser, lab(browser, build) as page, _progress(steps) as bar:
        adapter = page.adapter()
        for title, wanted in steps:
            bar.update(bar.task_ids[0], description=title)
            started = time.perf_counter()
            measure(page, native, journal, wanted, lambda count: bar.advance(bar.task_ids[0], count))
            talk.say(f"  ✓ {title}: {len(wanted)} probes ({time.perf_counter() - started:.1f} s)")
        told = f"Chromium {browser.version.partition('.')[0]}"
        done = record(
            target, adapter, told, swept, [p.name for family in cases.values() for p in family], journal.lines
        )
    for line in journal.lines.values():
        if line.refused.startswith("no answer"):
            talk.say(f"  {line.name} is left out: {line.refused}")
    journal.delete()
    return done


def _progress(steps: Sequence[tuple[str, Sequence[Probe]]]) -> Progress:
    """Return a bar on stderr for all steps together: one task."""
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, TimeElapsedColumn

    bar = Progress(
        *Progress.get_default_columns(), MofNCompleteColumn(), TimeElapsedColumn(), console=Console(stderr=True)
    )
    bar.add_task("", total=sum(len(wanted) for _, wanted in steps))
    return bar
