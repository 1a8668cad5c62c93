"""The bundle of `webbuild pack` without its graphs: golden runs, page, reports and manifest."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np

from webbuild.bundle.emit import BundleContents, write_bundle, write_manifest
from webbuild.bundle.file_names import safe_file_name
from webbuild.bundle.golden import GoldenRun, choose_golden_run, with_uint8_images
from webbuild.bundle.golden_sequence import with_sequence
from webbuild.bundle.golden_tolerance import with_tolerance
from webbuild.bundle.report import PackReport, write_pack_report
from webbuild.bundle.stage_files import StageContents, public_outputs
from webbuild.bundle.stage_report import StageReport
from webbuild.bundle.weight_parts import write_gzipped_graph
from webbuild.compare.comparison import Comparison, with_variant
from webbuild.compile.model_variant import ModelVariant
from webbuild.compile.prove import ProvenGraphs
from webbuild.compile.stages.model_stage import ModelStage
from webbuild.compile.stages.prove_pipeline import PipelineProof
from webbuild.inspection.before_after import merge_stage_findings
from webbuild.manifest.manifest import File, Input, Variant
from webbuild.manifest.stages import crop_input
from webbuild.passes.base import NmsPlacement, Rewrite
from webbuild.samples.collect import with_focus_distances
from webbuild.tasks.registry import kind_of


def emit_bundle(
    name: str,
    stages: Sequence[ModelStage],
    proofs: Sequence[Sequence[ProvenGraphs]],
    pipeline: PipelineProof,
    folder: Path,
    nms: NmsPlacement,
    measured: str = "",
    text: tuple[ModelStage, Sequence[ProvenGraphs]] | None = None,
) -> PackReport:
    """Write the bundle in `folder`, which already has the graphs. `pipeline` is the proof of all stages together.

    `measured` is the reason for the form of NMS, if that was measured. `text` is the text encoder that ships.
    """
    stages_with_proofs = list(zip(stages, proofs, strict=True))
    firsts = [(stage, proven[0]) for stage, proven in stages_with_proofs]
    models = [*stages_with_proofs, *([] if text is None else [text])]
    all_stages = [stage for stage, _ in models]
    first_proofs = [(stage, proven[0]) for stage, proven in models]
    samples, matches = stages[0].variants[0].samples, [stage.compiled.match for stage in all_stages]
    contents = BundleContents(
        name=safe_file_name(name),
        title=name,
        stages=tuple(_stage_contents(stage, proven, folder) for stage, proven in stages_with_proofs),
        samples=tuple(samples),
        assumptions=_with_names([(stage.name, stage.assumptions) for stage in all_stages]),
        warnings=_with_names(
            [(stage.name, (*stage.compiled.warnings, *proven.warnings)) for stage, proven in first_proofs]
        ),
        files={path: data for match in matches for path, data in match.files.items()},
        precompressed_files=tuple(file for _, proven in models for file in _precompressed_files(proven, folder)),
        text=None if text is None else _stage_contents(*text, folder),
    )
    manifest = write_bundle(contents, folder)
    report = PackReport.build(
        manifest,
        stage_rewrites(all_stages),
        [*_comparisons(models), *pipeline.comparisons],
        merge_stage_findings({stage.name: stage.findings for stage in all_stages}),
        stages=[_stage_report(stage, each, nms, measured) for stage, each in first_proofs],
        folder=folder,
    )
    last_samples = {sample.name: sample for sample in stages[-1].variants[0].samples}
    report_samples = [last_samples.get(sample.name, sample) for sample in samples if sample.has_image]
    nodes = sum(stage.loaded.source.model.graph.num_nodes() for stage in all_stages)
    equivalence = firsts[-1][1].equivalence
    if pipeline.detections:  # detections in all crops of a picture; the stage's own proof has one crop
        equivalence = msgspec.structs.replace(equivalence, detections=pipeline.detections)
    crops = crop_input(manifest.every_stage[-1].inputs) is not None and not pipeline.detections
    write_pack_report(report, manifest, report_samples, equivalence, nodes, folder, crops=crops)
    write_manifest(manifest, folder)
    return report


def _stage_report(stage: ModelStage, proven: ProvenGraphs, nms: NmsPlacement, measured: str) -> StageReport:
    reduced, quantized = proven.reduced, proven.quantized
    return StageReport.build(
        stage.name,
        stage.compiled.lowered,
        nms,
        measured=measured,
        fp16_backend="" if reduced is None else reduced.fp16_backend,
        kept_floats=proven.kept_floats,
        weight_quantization=None if quantized is None else quantized.report,
        precision_search=None if reduced is None else reduced.report,
    )


def stage_rewrites(stages: Sequence[ModelStage]) -> dict[str, tuple[Rewrite, ...]]:
    """Return the rewrites by target, or by target and stage if there are several stages."""
    return {
        f"{target} {stage.name}".strip(): rewrites
        for stage in stages
        for target, rewrites in stage.compiled.lowered.rewrites.items()
    }


def _stage_contents(stage: ModelStage, proofs: Sequence[ProvenGraphs], folder: Path) -> StageContents:
    (variant, *others), (proven, *more) = stage.variants, proofs
    compiled, match = variant.compiled, variant.compiled.match
    return StageContents(
        name=stage.name,
        source=variant.loaded.source,
        task=match.task,
        inputs=_inputs(variant),
        graphs=tuple(proven.graphs),
        disabled_targets=compiled.disabled_targets,
        golden=_golden(variant, proven, folder),
        evaluation_thresholds=proven.equivalence.thresholds,
        variants=tuple(_manifest_variant(*each) for each in zip(others, more, strict=True)),
        glue=stage.glue,
    )


def _golden(variant: ModelVariant, proven: ProvenGraphs, folder: Path) -> GoldenRun | None:
    compiled, equivalence = variant.compiled, proven.equivalence
    thresholds = {each.name: np.array([equivalence.thresholds[each.option]], np.float32) for each in compiled.options}
    golden = choose_golden_run(variant.samples, equivalence.comparisons, equivalence.outputs, thresholds)
    if golden is None:
        return None
    kind, inputs, graphs = kind_of(compiled.match.task), compiled.match.inputs, proven.graphs
    if kind.compares_predictions:
        golden = with_uint8_images(golden, inputs, graphs, folder)
    if not kind.has_detections:  # rows are matched, and one in ten may differ
        golden = with_tolerance(golden, variant.loaded.source.signature.operators, inputs, graphs, folder)
    return with_sequence(golden, inputs, graphs, folder)


def _precompressed_files(proofs: Sequence[ProvenGraphs], folder: Path) -> list[File]:
    """Return the files of quantized weights, and the gzipped graphs of later variants, which share them."""
    proven, *more = proofs
    own = {graph.file for graph in proven.graphs}
    extra = sorted({graph.file for each in more for graph in each.graphs} - own)
    compressed = () if proven.quantized is None else tuple(proven.quantized.files)
    return [*compressed, *(write_gzipped_graph(folder / file, folder) for file in extra)]


def _comparisons(stages_with_proofs: Sequence[tuple[ModelStage, Sequence[ProvenGraphs]]]) -> list[Comparison]:
    return [
        each
        for stage, proofs in stages_with_proofs
        for variant, proven in zip(stage.variants, proofs, strict=True)
        for each in with_variant(proven.equivalence.comparisons, variant.name)
    ]


def _with_names(sentences: Sequence[tuple[str, Sequence[str]]]) -> tuple[str, ...]:
    """Return the sentences, each with the name of its stage in front if stages have names."""
    return tuple(f"{name}: {text}" if name else text for name, texts in sentences for text in texts)


def _inputs(variant: ModelVariant) -> tuple[Input, ...]:
    compiled = variant.compiled
    return (*with_focus_distances(compiled.match.inputs, variant.samples), *compiled.options)


def _manifest_variant(variant: ModelVariant, proven: ProvenGraphs) -> Variant:
    return Variant(
        task=variant.compiled.match.task,
        inputs=list(_inputs(variant)),
        outputs=public_outputs(proven.graphs, _inputs(variant)),
        graphs=list(proven.graphs),
        disabled_targets=list(variant.compiled.disabled_targets),
        evaluation_thresholds=proven.equivalence.thresholds,
    )
