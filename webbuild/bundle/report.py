"""The report of `webbuild pack`: report.json and report.html."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from webbuild.bundle.download_size import GraphDownload, graph_downloads
from webbuild.bundle.render import bundle_templates
from webbuild.bundle.stage_report import StageReport
from webbuild.compare.by_output import count_matched, count_near_threshold
from webbuild.compare.comparison import Comparison
from webbuild.compare.tolerances import NATIVE, REDUCED_PRECISION
from webbuild.equivalence.check import EquivalenceResult, run_context
from webbuild.inspection.before_after import BeforeAfter
from webbuild.manifest import manifest as contract
from webbuild.manifest.manifest import Generator, Manifest, Source, Task
from webbuild.passes.base import Rewrite
from webbuild.passes.nms.suppression_form import SuppressionForm
from webbuild.passes.registry import all_passes
from webbuild.precision.plot import grid_lines, plot_points
from webbuild.precision.report import PrecisionReport
from webbuild.quantization.report import WeightQuantizationReport
from webbuild.reporting.comparison_text import comparison_rows
from webbuild.reporting.overlay import Layer, detection_layer
from webbuild.reporting.pipeline_picture import pipeline_picture
from webbuild.reporting.prediction_image import prediction_image_url
from webbuild.reporting.quantities import format_bytes
from webbuild.reporting.write import encode_json, write_text
from webbuild.runners.tensors import Tensors
from webbuild.samples.sample import Sample
from webbuild.tasks.decoding.class_scores import ClassScore
from webbuild.tasks.metrics.compare_classes import TOP_CLASSES
from webbuild.tasks.registry import decode_task, kind_of
from webbuild.verify import formatting

_STYLESHEETS = ("colors.css", "report.css", "pack.css")


class PackReport(Struct, frozen=True, rename="camel"):
    """The report of `webbuild pack`. It is the same for the same model, on any machine and at any time.

    The exception is `precision_search`: the float16 backend depends on the machine, and a search may run out of time.
    Each of `stages` has its own.
    """

    generator: Generator
    source: Source
    assumptions: list[str]
    warnings: list[str]
    rewrites: dict[str, tuple[Rewrite, ...]]
    comparisons: list[Comparison]
    inspection: BeforeAfter | None
    precision: str
    downloads: list[GraphDownload] = []
    fp16_backend: str = ""
    weight_quantization: WeightQuantizationReport | None = None
    precision_search: PrecisionReport | None = None
    suppression: SuppressionForm | None = None
    stages: list[StageReport] = []

    @classmethod
    def build(
        cls,
        manifest: Manifest,
        rewrites: Mapping[str, tuple[Rewrite, ...]],
        comparisons: Sequence[Comparison],
        inspection: BeforeAfter | None = None,
        *,
        stages: Sequence[StageReport],
        folder: Path,
    ) -> PackReport:
        """Build the report from its parts.

        `rewrites` are by target; `folder` has the graphs and the weights.
        """
        first, *more = stages
        return cls(
            generator=manifest.generator,
            source=manifest.source,
            assumptions=manifest.assumptions,
            warnings=manifest.warnings,
            rewrites=dict(rewrites),
            comparisons=list(comparisons),
            inspection=inspection,
            precision=", ".join(f"{each.name} {each.precision}".strip() for each in stages),
            downloads=graph_downloads(manifest, folder),
            fp16_backend=", ".join(dict.fromkeys(each.fp16_backend for each in stages if each.fp16_backend)),
            weight_quantization=None if more else first.weight_quantization,
            precision_search=None if more else first.precision_search,
            suppression=None if more else first.suppression,
            stages=list(stages) if more else [],
        )

    @property
    def every_stage(self) -> list[StageReport]:
        """The report of each stage's precision; a single stage has no name."""
        alone = StageReport(
            "",
            self.precision,
            self.fp16_backend,
            weight_quantization=self.weight_quantization,
            precision_search=self.precision_search,
            suppression=self.suppression,
        )
        return self.stages or [alone]


class PackSampleCard(Struct, frozen=True):
    """A sample picture with the layers of all runners, and the best classes of the original.

    `maps` are images of the WASM graph's predictions, if the task makes images.
    """

    sample: contract.Sample
    detections: int
    classes: Sequence[ClassScore]
    layers: tuple[Layer, ...]
    from_fallback: tuple[str, ...]
    maps: dict[str, str]


class PassSummary(Struct, frozen=True):
    """A pass, the graphs and nodes that it rewrote, and its docstring."""

    code: str
    title: str
    explanation: str
    rewrites: tuple[tuple[str, Rewrite], ...]


def write_pack_report(
    report: PackReport,
    manifest: Manifest,
    samples: Sequence[Sample],
    equivalence: EquivalenceResult,
    nodes: int,
    folder: Path,
    *,
    crops: bool = False,
) -> None:
    """Write report.json and report.html.

    Args:
        report: the report.
        manifest: the bundle's manifest.
        samples: the samples with pictures, in the order of the manifest's samples.
        equivalence: the result of the comparison with the original.
        nodes: the number of nodes in the original graph.
        folder: the bundle's folder.
        crops: whether the comparison is of the last stage alone, on a crop of each picture.
    """
    write_text(folder / "report.json", f"{encode_json(report)}\n")
    templates = bundle_templates(html=True)
    style = "".join(templates.get_template(name).render() for name in _STYLESHEETS)
    write_text(folder / "page" / "report.css", style)
    templates.filters.update(name=formatting.runner_name, bytes=format_bytes)
    page = templates.get_template("report.html.j2").render(
        manifest=manifest,
        kind=kind_of(manifest.final_task),
        stages=manifest.every_stage,
        pipeline=pipeline_picture(manifest) if manifest.stages else None,
        report=report,
        nodes=nodes,
        changes=_pass_summaries(report),
        crops=crops,
        cards=_sample_cards(manifest, report, samples, equivalence),
        tolerance=NATIVE,
        reduced=REDUCED_PRECISION,
        rows=comparison_rows(report.comparisons),
        matched=count_matched(report.comparisons),
        excused=count_near_threshold(report.comparisons),
        plot_points=plot_points,
        drawn_lines=grid_lines(),
    )
    write_text(folder / "report.html", page)


def _pass_summaries(report: PackReport) -> list[PassSummary]:
    """Group the rewrites by pass, in the order in which passes ran; a rewrite of both graphs is listed once."""
    changes = []
    for kind in all_passes():
        text = inspect.getdoc(kind) or ""
        title, _, explanation = text.partition("\n\n")
        merged: dict[Rewrite, list[str]] = {}
        for target, rewrites in report.rewrites.items():
            for rewrite in rewrites:
                if rewrite.code == kind.code and target not in merged.setdefault(rewrite, []):
                    merged[rewrite].append(target)
        if merged:
            listed = tuple((" and ".join(targets), rewrite) for rewrite, targets in merged.items())
            changes.append(PassSummary(kind.code, title, explanation, listed))
    return changes


def _sample_cards(
    manifest: Manifest,
    report: PackReport,
    samples: Sequence[Sample],
    equivalence: EquivalenceResult,
) -> list[PackSampleCard]:
    cards = []
    for sample, tried in zip(manifest.samples, samples, strict=False):
        name = tried.name
        seen = equivalence.detections.get(name, {})
        classes = equivalence.classes.get(name, ())[:TOP_CLASSES]
        thick_to_thin = sorted(seen.items(), key=lambda each: each[0] == "wasm")
        layers = tuple(detection_layer(runner, manifest.final_task, detections) for runner, detections in thick_to_thin)
        handed_over = [each.subject for each in report.comparisons if each.from_fallback]
        from_fallback = tuple(dict.fromkeys(each.runner for each in handed_over if each.sample == name))
        maps = _prediction_images(manifest.final_task, tried, equivalence.outputs.get(name, {}))
        cards.append(PackSampleCard(sample, len(seen.get("native", ())), classes, layers, from_fallback, maps))
    return cards


def _prediction_images(task: Task, sample: Sample, outputs: Tensors) -> dict[str, str]:
    if not kind_of(task).makes_image:
        return {}
    predictions = decode_task(task, outputs, run_context(sample, {}))
    image = prediction_image_url(task, predictions, file=sample.image_file)
    return {"as packed": image} if image else {}
