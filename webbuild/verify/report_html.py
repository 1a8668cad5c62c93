"""The report as one HTML page: nothing is loaded, nothing runs, every string of the model is escaped."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from webbuild.templates import environment
from webbuild.verify import words
from webbuild.verify.compare import Comparison, Stage
from webbuild.verify.drawing import Layer, layer
from webbuild.verify.embedded import data_url
from webbuild.verify.histogram import histogram
from webbuild.verify.margin import fraction
from webbuild.verify.report import Case, Sample, VerifyReport

QUANTITIES = ("detections", "regions", "class", "score", "box", "keypoint", "mask", "quality", "depth", "confidence")


class Card(Struct, frozen=True):
    """A picture, everyone's drawing of it, and each backend's worst error as a fraction of its tolerance.

    `maps` are everyone's maps of it, by runner, where the task makes maps.
    """

    sample: Sample
    picture: str
    layers: tuple[Layer, ...]
    worst: dict[str, float | None]
    maps: dict[str, str]


class Row(Struct, frozen=True):
    """One sample on one backend: the result by quantity, the worst of the rest as a fraction of its tolerance."""

    case: Case
    backend: str
    result: dict[str, Comparison]
    raw: float | None
    input: float | None


def render(report: VerifyReport) -> str:
    """Return the page. Pictures are read from where the report says they are."""
    templates = environment("webbuild.verify")
    templates.filters.update(number=words.number, ms=words.milliseconds, name=words.name)
    backends = [run.backend for run in report.backends if not run.left_out]
    rows = _rows(report)
    return templates.get_template("verify.html.j2").render(
        report=report,
        verdict=words.verdict(report),
        notes=words.notes(report),
        backends=backends,
        cards=_cards(report),
        rows=rows,
        quantities=[q for q in QUANTITIES if any(q in row.result for _, group in rows for row in group)],
        again=[case for run in report.backends for case in run.cases if case.repeated],
        histogram=histogram(report.comparisons(), backends),
        closest=max((fraction(c) for c in report.comparisons() if c.tolerance > 0), default=0.0),
        slowest=max((r.timings.load + (r.timings.steady_run or 0) for r in report.backends if r.timings), default=1.0),
    )


def _cards(report: VerifyReport) -> list[Card]:
    cards = []
    for index, sample in enumerate(report.samples):
        picture = data_url(Path(sample.file)) if sample.file else None
        if picture is None:
            continue
        cases = {run.backend: run.cases[index] for run in report.backends if index < len(run.cases)}
        layers = [layer("native", report.task, sample.detections)]
        thick_to_thin = [run.backend for run in report.backends if run.backend in cases]
        layers += [layer(backend, report.task, cases[backend].detections) for backend in thick_to_thin]
        worst = {backend: _worst(case) for backend, case in cases.items()}
        maps: dict[str, str] = {"native": sample.map, **{backend: cases[backend].map for backend in thick_to_thin}}
        cards.append(Card(sample, picture, tuple(layers), worst, {name: each for name, each in maps.items() if each}))
    return cards


def _worst(case: Case, stage: Stage | None = None) -> float | None:
    """Return a case's largest error at a stage, or at all of them, as a fraction of its tolerance."""
    return max((fraction(c) for c in case.comparisons if stage in (None, c.subject.stage)), default=None)


def _rows(report: VerifyReport) -> list[tuple[str, list[Row]]]:
    """Return the table sample by sample, the backends below one another."""
    return [
        (sample.title, [_row(run.backend, run.cases[index]) for run in report.backends if index < len(run.cases)])
        for index, sample in enumerate(report.samples)
    ]


def _row(backend: str, case: Case) -> Row:
    result = {each.subject.output: each for each in case.comparisons if each.subject.stage == "decoded"}
    return Row(case, backend, result, _worst(case, "raw"), _worst(case, "input"))
