"""Outcomes of each model in Chromium, stored one per line: an interrupted run continues where it stopped."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec
import onnx
import onnx_ir as ir
from msgspec import Struct

from benchmarks.prediction.models import PredictedModel, load_predicted
from webbuild.browser.chromium import open_chromium
from webbuild.errors import WebbuildError
from webbuild.inspection.graph import walk_nodes
from webbuild.inspection.inspect import inspect
from webbuild.inspection.measure import measure_in_page, run_outcome
from webbuild.inspection.measured_outcome import MeasuredPlacement, Measurement, RunOutcome
from webbuild.model.cache_folder import cache_folder
from webbuild.ortweb.build import get_build
from webbuild.probe.browser_harness import ProbeHarness, open_harness
from webbuild.probe.outcome import shorten_message
from webbuild.probe.probe_model import Probe
from webbuild.targets.table import KernelTable, load_table
from webbuild.targets.target import Target

FILE = Path(__file__).parents[1] / "results" / "prediction.jsonl"
_LETTERS: dict[MeasuredPlacement | None, str] = {"gpu": "g", "cpu": "c", "removed": "-", None: "?"}
PLACES: dict[str, MeasuredPlacement] = {letter: place for place, letter in _LETTERS.items() if place is not None}
_LONGEST = 120


class MeasuredModel(Struct, frozen=True, omit_defaults=True):
    """A model's outcome, the placement of its nodes (a letter each), and the first node that failed, if known."""

    name: str
    kind: str
    end: RunOutcome
    places: str = ""
    failed: int | None = None
    message: str = ""


def read_measured(file: Path) -> dict[str, MeasuredModel]:
    """Return the measured models by name."""
    lines = file.read_bytes().splitlines() if file.exists() else []
    told = [msgspec.json.decode(line, type=MeasuredModel) for line in lines]
    return {each.name: each for each in told}


def measure(given: Iterable[PredictedModel], target: Target, file: Path) -> None:
    """Measure the models that are not in the file, and add them."""
    done, known = read_measured(file), load_table(target)
    with (
        open_chromium() as browser,
        open_harness(browser, get_build(target, cache_folder()), 300) as page,
        file.open("ab") as out,
    ):
        for subject in given:
            if subject.name not in done:
                out.write(msgspec.json.encode(_truth(page, subject, known)) + b"\n")
                out.flush()


def _truth(page: ProbeHarness, subject: PredictedModel, known: KernelTable) -> MeasuredModel:
    try:
        source = load_predicted(subject)
    except WebbuildError:
        return _refused(page, subject)
    dims = subject.dims_of(source.model)
    found = measure_in_page(page, inspect(subject.name, source.model, known, dims), source, dims, subject.feeds)
    return _brief(subject, found)


def _brief(subject: PredictedModel, found: Measurement) -> MeasuredModel:
    failed = found.throwing_node if found.measured_outcome == "throws" else found.wrong_node
    letters = "".join(_LETTERS[place] for place in found.placements)
    return MeasuredModel(
        subject.name, subject.kind, found.measured_outcome, letters, failed, shorten_message(found.message)[:_LONGEST]
    )


def _refused(page: ProbeHarness, subject: PredictedModel) -> MeasuredModel:
    """Measure a model that webbuild does not load."""
    probe = Probe(subject.name, "", 0, "", onnx.load(subject.path).SerializeToString(), subject.feeds or {})
    (answer,) = page.measure([probe])
    nodes = sum(1 for _ in walk_nodes(ir.load(subject.path).graph))
    return MeasuredModel(
        subject.name,
        subject.kind,
        run_outcome(answer, None),
        "?" * nodes,
        message=shorten_message(answer.error)[:_LONGEST],
    )
