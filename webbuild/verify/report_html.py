"""The report as one HTML page: nothing is loaded, nothing runs, every string of the model is escaped."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from webbuild.verify import words
from webbuild.verify.compare import Comparison
from webbuild.verify.drawing import Layer, layer
from webbuild.verify.embedded import data_url
from webbuild.verify.histogram import histogram
from webbuild.verify.report import Case, Sample, VerifyReport

QUANTITIES = ("people", "score", "box", "keypoint")


class Card(Struct, frozen=True):
    """A picture, everyone's drawing of it, and each backend's worst error as a fraction of its tolerance."""

    sample: Sample
    picture: str
    layers: tuple[Layer, ...]
    worst: dict[str, float | None]


class Row(Struct, frozen=True):
    """One sample on one backend at one stage, its comparisons by quantity."""

    case: Case
    backend: str
    stage: str
    cells: dict[str, Comparison]


def render(report: VerifyReport) -> str:
    """Return the page. Pictures are read from where the report says they are."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("webbuild.verify"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(number=words.number, ms=words.milliseconds, name=words.name)
    backends = [run.backend for run in report.backends]
    rows = _rows(report)
    return environment.get_template("verify.html.j2").render(
        report=report,
        verdict=words.verdict(report),
        backends=backends,
        cards=_cards(report),
        rows=rows,
        quantities=[q for q in QUANTITIES if any(q in row.cells for row in rows)],
        histogram=histogram(report.comparisons(), backends),
        closest=max((fraction(c) for c in report.comparisons() if c.tolerance > 0), default=0.0),
        slowest=max((r.timings.load + (r.timings.steady_run or 0) for r in report.backends if r.timings), default=1.0),
        fraction=fraction,
    )


def fraction(comparison: Comparison) -> float:
    """Return an error as a fraction of what is allowed: above 1 it differs."""
    if comparison.max_abs is None:
        return float("inf")
    if comparison.max_abs == 0:
        return 0.0
    return comparison.max_abs / comparison.tolerance if comparison.tolerance else float("inf")


def _cards(report: VerifyReport) -> list[Card]:
    cards = []
    for index, sample in enumerate(report.samples):
        picture = data_url(Path(sample.file)) if sample.file else None
        if picture is None:
            continue
        cases = {run.backend: run.cases[index] for run in report.backends if index < len(run.cases)}
        layers = [layer("native", report.task, sample.people)]
        layers += [layer(backend, report.task, case.people) for backend, case in cases.items()]
        worst = {backend: _worst(case) for backend, case in cases.items()}
        cards.append(Card(sample, picture, tuple(layers), worst))
    return cards


def _worst(case: Case) -> float | None:
    return max((fraction(each) for each in case.comparisons), default=None)


def _rows(report: VerifyReport) -> list[Row]:
    """Return the table: sample by sample, stage by stage, the backends below one another."""
    rows = []
    for index in range(len(report.samples)):
        for stage in ("input", "raw", "decoded"):
            for run in report.backends:
                if index >= len(run.cases):
                    continue
                case = run.cases[index]
                cells = {each.subject.output: each for each in case.comparisons if each.subject.stage == stage}
                if cells:
                    rows.append(Row(case, run.backend, stage, cells))
    return rows
