"""The end-to-end proof of `webbuild pack`: all stages together against the originals, at each picture size."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from webbuild.commands.options.pack import PackArguments
from webbuild.commands.pack_messages import pipeline_lines
from webbuild.compare.comparison import with_variant
from webbuild.compile.model_variant import prefix_errors
from webbuild.compile.prove import ProvenGraphs
from webbuild.compile.stages.check_size_reduction import check_smaller
from webbuild.compile.stages.model_stage import ModelStage
from webbuild.compile.stages.prove_pipeline import PipelineProof, prove_stages
from webbuild.compile.stages.sizes import at_each_size
from webbuild.reporting.progress import ProgressReporter


def prove_pipeline(
    stages: Sequence[ModelStage],
    proven: Sequence[Sequence[ProvenGraphs]],
    folder: Path,
    arguments: PackArguments,
    progress: ProgressReporter,
) -> PipelineProof:
    """Compare all stages together at each size, and print the result. A single stage has nothing to compare.

    Returns:
        The comparisons at every size, with the detections at the first.

    Raises:
        WebbuildError: what `check_smaller` and `prove_stages` raise.
    """
    if len(stages) == 1:
        return PipelineProof([])
    named = [(stage.name, each[0]) for stage, each in zip(stages, proven, strict=True)]
    check_smaller(named, arguments.precision, arguments.weights)
    proofs = []
    for sized in at_each_size(stages, proven, progress.print_lines):
        suffix = f" {sized.name}" if sized.name else ""
        with prefix_errors(sized.name), progress.step(f"compare all stages together with the originals{suffix}"):
            proof = prove_stages(sized.stages, sized.proven, folder)
        progress.print_lines(pipeline_lines(proof.comparisons, len(sized.stages[0].variants[0].samples), suffix))
        proofs.append(PipelineProof(with_variant(proof.comparisons, sized.name), proof.detections))
    return PipelineProof([each for proof in proofs for each in proof.comparisons], proofs[0].detections)
