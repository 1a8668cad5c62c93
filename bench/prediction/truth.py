"""What Chromium made of each model, kept as data, one line each: a run that is broken off goes on where it was."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec
import onnx
import onnx_ir as ir
from msgspec import Struct

from bench.prediction.subjects import Subject, loaded
from webbuild.browser.chromium import chromium
from webbuild.errors import WebbuildError
from webbuild.inspection.graph import walk
from webbuild.inspection.inspect import inspect
from webbuild.inspection.measured import ended, measured_in
from webbuild.inspection.truth import End, Found, Measurement
from webbuild.probe.engine import cache_folder, engine
from webbuild.probe.lab import Lab, lab
from webbuild.probe.node import Probe
from webbuild.probe.verdict import shortened
from webbuild.targets.table import Table, table
from webbuild.targets.target import Target

FILE = Path(__file__).parents[2] / "docs" / "prediction.jsonl"
_LETTERS: dict[Found | None, str] = {"gpu": "g", "cpu": "c", "gone": "-", None: "?"}
PLACES: dict[str, Found] = {letter: place for place, letter in _LETTERS.items() if place is not None}
_LONGEST = 120


class Truth(Struct, frozen=True, omit_defaults=True):
    """How a model ended, where its nodes were (a letter each), and the node that failed first, if it is known."""

    name: str
    kind: str
    end: End
    places: str = ""
    failed: int | None = None
    message: str = ""


def kept(file: Path) -> dict[str, Truth]:
    """Return what was measured, by name."""
    lines = file.read_bytes().splitlines() if file.exists() else []
    told = [msgspec.json.decode(line, type=Truth) for line in lines]
    return {each.name: each for each in told}


def measure(given: Iterable[Subject], target: Target, file: Path) -> None:
    """Measure what the file does not hold yet, and add it."""
    done, known = kept(file), table(target)
    with chromium() as browser, lab(browser, engine(target, cache_folder()), 300) as page, file.open("ab") as out:
        for subject in given:
            if subject.name not in done:
                out.write(msgspec.json.encode(_truth(page, subject, known)) + b"\n")
                out.flush()


def _truth(page: Lab, subject: Subject, known: Table) -> Truth:
    try:
        source = loaded(subject)
    except WebbuildError:
        return _refused(page, subject)
    dims = subject.dims_of(source.model)
    found = measured_in(page, inspect(subject.name, source.model, known, dims), source, dims, subject.feeds)
    return _brief(subject, found)


def _brief(subject: Subject, found: Measurement) -> Truth:
    failed = found.thrown if found.measured == "throws" else found.wrong
    letters = "".join(_LETTERS[place] for place in found.places)
    return Truth(subject.name, subject.kind, found.measured, letters, failed, shortened(found.message)[:_LONGEST])


def _refused(page: Lab, subject: Subject) -> Truth:
    """Measure a model that webbuild does not load."""
    probe = Probe(subject.name, "", 0, "", onnx.load(subject.path).SerializeToString(), subject.feeds or {})
    (answer,) = page.measure([probe])
    nodes = sum(1 for _ in walk(ir.load(subject.path).graph))
    return Truth(
        subject.name, subject.kind, ended(answer, None), "?" * nodes, message=shortened(answer.error)[:_LONGEST]
    )
