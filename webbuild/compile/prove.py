"""The graphs of a bundle, compared with the original: as lowered, then with quantized weights or in float16."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from webbuild.bundle.graphs import write_graphs
from webbuild.bundle.weight_quantization import QuantizedWeights, quantize_weights
from webbuild.compile.mixed_precision import PrecisionMode, ReducedPrecisionResult, build_reduced_precision_graph
from webbuild.equivalence.check import EquivalenceResult
from webbuild.equivalence.detection_thresholds import check_with_detections
from webbuild.equivalence.nan_inputs import replace_nan_inputs
from webbuild.manifest.manifest import Graph, Weights
from webbuild.runners.memoized import MemoizedRunner
from webbuild.samples.edge_cases import edge_cases
from webbuild.samples.prompts import attach_extreme_prompts
from webbuild.samples.sample import Sample

if TYPE_CHECKING:
    from webbuild.compile.compile_model import CompiledModel, LoadedModel
    from webbuild.precision.budget import SearchBudget
    from webbuild.reporting.progress import ProgressReporter
    from webbuild.targets.table import KernelTable


class ProvenGraphs(Struct, frozen=True):
    """The graphs that a bundle ships, the best first, and the comparison with the original that allows it.

    `quantized` and `reduced` say how they were made smaller, None where that was not asked for.
    """

    graphs: Sequence[Graph]
    equivalence: EquivalenceResult
    quantized: QuantizedWeights | None = None
    reduced: ReducedPrecisionResult | None = None


def prove_graphs(
    loaded: LoadedModel, compiled: CompiledModel, samples: Sequence[Sample], folder: Path, progress: ProgressReporter,
    *, weights: Weights, precision: PrecisionMode, budget: SearchBudget, table: KernelTable | None, browser: bool,
) -> ProvenGraphs:  # fmt: skip
    """Write the graphs to `folder` and compare them with the original, on edge cases too; make them smaller if asked.

    Args:
        loaded: the original.
        compiled: what became of it.
        samples: to compare on.
        folder: the bundle's.
        progress: where it is printed.
        weights: `int8` to quantize them.
        precision: of one more graph for WebGPU.
        budget: what the search for that graph may cost, and has to save.
        table: the kernels of the build it is for.
        browser: whether Chromium may compute in float16.

    Raises:
        WebbuildError: `output-mismatch` or `vacuous-comparison`; what `quantize_weights` and
            `build_reduced_precision_graph` raise.
    """
    models = {target: compiled.lowered.graphs[target] for target in compiled.targets}
    original = MemoizedRunner(loaded.original) if weights == "int8" else loaded.original
    task, options = compiled.match.task, compiled.options

    def check(graphs: Sequence[Graph], edges: Sequence[Sample] = ()) -> EquivalenceResult:
        return check_with_detections(
            original,
            loaded.source,
            graphs,
            folder,
            task,
            options,
            samples,
            edges,
            compiled.postprocess,
            loaded.dims.dims,
        )

    with progress.step("write the graphs"):
        graphs = write_graphs(models, folder / "model")
    with progress.step(f"compare them with the original on {len(samples)} samples"):
        edges = attach_extreme_prompts(compiled.match, edge_cases(compiled.match.inputs, loaded.ranges))
        edges, notes = replace_nan_inputs(original, edges, compiled.postprocess)
        equivalence = check(graphs, edges)
    progress.print_lines(notes)
    if weights == "int8":
        with progress.step("quantize the weights"):
            quantized = quantize_weights(list(models.values()), graphs, folder, check)
        return ProvenGraphs(quantized.graphs, quantized.equivalence, quantized=quantized)
    if precision != "fp32":
        with progress.step("search what can be float16"):
            reduced = build_reduced_precision_graph(
                precision,
                compiled.lowered.graphs["webgpu"],
                table,
                graphs=graphs,
                folder=folder,
                task=task,
                options=options,
                samples=samples,
                equivalence=equivalence,
                budget=budget,
                progress=progress,
                browser=browser,
            )
        return ProvenGraphs(reduced.graphs, reduced.proof, reduced=reduced)
    return ProvenGraphs(graphs, equivalence)
