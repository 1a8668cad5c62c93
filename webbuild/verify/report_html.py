"""The report as one HTML page: no external files, no scripts, and all strings of the model are escaped."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from webbuild.compare.tolerances import BROWSER, REDUCED_PRECISION
from webbuild.reporting.charts import error_histogram
from webbuild.reporting.data_url import image_data_url
from webbuild.reporting.jinja import template_environment
from webbuild.reporting.overlay import Layer, detection_layer
from webbuild.reporting.pipeline_picture import pipeline_picture
from webbuild.runners.chain import ALL_STAGES
from webbuild.tasks.registry import kind_of
from webbuild.verify import formatting
from webbuild.verify.bundle_reader import open_bundle
from webbuild.verify.error_rows import ErrorRow, error_rows, worst_error
from webbuild.verify.report import BackendRun, SampleReport, SampleResult, VerifyReport

_FIRST_QUANTITIES = (
    "detections",
    "regions",
    "class",
    "score",
    "box",
    "keypoint",
    "mask",
    "quality",
    "depth",
    "confidence",
)
"""Order of the columns; other quantities of a task follow."""


class VerifySampleCard(Struct, frozen=True):
    """A picture with a layer of detections per runner, and each backend's worst error relative to its tolerance.

    `maps` are the output maps by runner, if the task has maps. `agreement` says whether the outputs agree.
    """

    sample: SampleReport
    picture: str
    layers: tuple[Layer, ...]
    worst: dict[str, float | None]
    maps: dict[str, str]
    agreement: str


def render_verify_report(report: VerifyReport, directory: Path = Path()) -> str:
    """Render the page. Pictures of samples are read from the bundle's `directory`."""
    templates = template_environment("webbuild.verify")
    templates.filters.update(
        number=formatting.format_number,
        ms=formatting.format_milliseconds,
        prompt_cost=formatting.prompt_cost_text,
        name=formatting.runner_name,
        graph=formatting.graph_name,
        short=lambda runner: formatting.without_stage(runner, report.stages),
    )
    ran = [run for run in report.backends if not run.skip_reason]
    backends = [run.backend for run in ran]
    graphs = {formatting.graph_name(formatting.without_stage(each, report.stages)): each for each in backends}
    rows = error_rows(report)
    return templates.get_template("verify.html.j2").render(
        report=report,
        pipeline=pipeline_picture(open_bundle(directory).manifest) if report.stages else None,
        task_kind=kind_of(report.task),
        tolerance=BROWSER,
        reduced=REDUCED_PRECISION,
        verdict=formatting.verdict_text(report),
        notes=formatting.reader_notes(report),
        backends=backends,
        graphs=list(graphs),
        pictured=[run.backend for run in _runs_with_predictions(report)],
        first_runs=list({formatting.graph_name(run.backend): run for run in reversed(report.backends)}.values())[::-1],
        cards=_sample_cards(report, directory),
        rows=rows,
        quantities=_quantities(row for _, group in rows for row in group),
        again=[result for run in report.backends for result in run.results if result.fallback_reason],
        histogram=error_histogram(report.comparisons(), backends),
        closest=max((c.tolerance_used for c in report.comparisons() if c.tolerance > 0), default=0.0),
        slowest=max((r.timings.load + (r.timings.steady_run or 0) for r in report.backends if r.timings), default=1.0),
    )


def _quantities(rows: Iterable[ErrorRow]) -> list[str]:
    """Return all compared quantities, in column order."""
    quantities = dict.fromkeys(quantity for row in rows for quantity in row.decoded)
    return sorted(
        quantities, key=lambda q: _FIRST_QUANTITIES.index(q) if q in _FIRST_QUANTITIES else len(_FIRST_QUANTITIES)
    )


def _sample_cards(report: VerifyReport, directory: Path) -> list[VerifySampleCard]:
    cards = []
    results_of = [(run.backend, {each.sample: each for each in run.results}) for run in _runs_with_predictions(report)]
    for sample in report.samples:
        picture = image_data_url(directory / sample.file) if sample.file else None
        if picture is None:
            continue
        results = {backend: by_sample[sample.title] for backend, by_sample in results_of if sample.title in by_sample}
        layers = [detection_layer("native", report.task, sample.detections)]
        layers += [detection_layer(backend, report.task, each.detections) for backend, each in results.items()]
        worst = {backend: worst_error([result]) for backend, result in results.items()}
        maps: dict[str, str] = {"native": sample.map, **{backend: each.map for backend, each in results.items()}}
        shown = {name: each for name, each in maps.items() if each}
        cards.append(VerifySampleCard(sample, picture, tuple(layers), worst, shown, _agreement(results.values())))
    return cards


def _runs_with_predictions(report: VerifyReport) -> list[BackendRun]:
    """Return the runs with a visitor's results: with several stages, the runs of all stages together."""
    pipeline = [run for run in report.backends if report.stages and ALL_STAGES in run.backend.split(" ")]
    return pipeline or list(report.backends)


def _agreement(results: Iterable[SampleResult]) -> str:
    """Return whether the outputs of all backends agree with the reference, as text."""
    verdicts = {c.verdict for result in results for c in result.comparisons}
    if "DIFFERS" in verdicts:
        return "outputs differ"
    return "outputs agree" if "OK" in verdicts else "nothing compared"
