"""Proof that a bundle's graphs equal the original: as lowered, then with quantized weights or in float16."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from webbuild.bundle.graphs import write_graphs
from webbuild.bundle.weight_quantization import QuantizedWeights, quantize_weights
from webbuild.bundle.weight_shards import SharedWeights
from webbuild.compile.compared_model import compared_model
from webbuild.compile.mixed_precision import ReducedPrecisionResult, build_reduced_precision_graph
from webbuild.compile.model_variant import ModelVariant, prefix_errors
from webbuild.compile.reduction_options import ReductionOptions
from webbuild.equivalence.check import EquivalenceResult, run_original
from webbuild.equivalence.detection_thresholds import check_with_detections
from webbuild.equivalence.nan_inputs import replace_nan_inputs
from webbuild.equivalence.open_reference import open_with_threshold_inputs
from webbuild.equivalence.sequences import check_states
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import Graph
from webbuild.model.random_operators import draws_random_numbers
from webbuild.model.states import guessed_states
from webbuild.reporting.quantities import format_count
from webbuild.runners.batch_runner import BatchRunner
from webbuild.runners.content_cache import ContentCache
from webbuild.runners.memoized import MemoizedRunner
from webbuild.runners.native import NativeRunner
from webbuild.samples.edge_cases import edge_cases
from webbuild.samples.prompts import attach_extreme_prompts
from webbuild.samples.sample import Sample

if TYPE_CHECKING:
    import onnx_ir as ir

    from webbuild.manifest.manifest import TargetName
    from webbuild.reporting.progress import ProgressReporter


class ProvenGraphs(Struct, frozen=True):
    """The graphs of one variant, preferred first, with the comparisons that prove them equivalent.

    - `quantized`, `reduced`: the results of int8 weights and of half precision, None if not requested. Later variants
      share the quantized weights of the first.
    - `warnings`: warnings about states.
    - `kept_floats`: the reason why a stage's weights stayed float32.
    """

    graphs: Sequence[Graph]
    equivalence: EquivalenceResult
    quantized: QuantizedWeights | None = None
    reduced: ReducedPrecisionResult | None = None
    warnings: tuple[str, ...] = ()
    kept_floats: str = ""


def prove_graphs(
    variants: Sequence[ModelVariant], folder: Path, progress: ProgressReporter, options: ReductionOptions
) -> list[ProvenGraphs]:
    """Write the graphs to `folder`, compare them with the original, also on edge cases, and reduce them if requested.

    Args:
        variants: the compiled model for each size and batch; their graphs share the weights.
        folder: the folder of the bundle.
        progress: prints each step.
        options: how the graphs are made smaller.

    Returns:
        The graphs to ship for each variant.

    Raises:
        WebbuildError: `output-mismatch` or `vacuous-comparison`; what `quantize_weights` and
            `build_reduced_precision_graph` raise. The message names the variant.
    """
    original = variants[0].loaded.original
    shared, half = SharedWeights(folder / "model"), SharedWeights(folder / "model")
    proven: list[ProvenGraphs] = []
    for each in variants:
        with prefix_errors(each.name):
            proven.append(_prove_exported(each, original, folder, shared, progress))
    if options.weights == "int8":
        return _quantize_variants(variants, proven, original, folder, progress, may_stay=options.may_stay)
    if options.precision == "fp32":
        return proven
    return [
        _reduce_precision(each, exported, folder, half, progress, options)
        for each, exported in zip(variants, proven, strict=True)
    ]


def _reduce_precision(
    variant: ModelVariant,
    exported: ProvenGraphs,
    folder: Path,
    shared: SharedWeights,
    progress: ProgressReporter,
    options: ReductionOptions,
) -> ProvenGraphs:
    """Return the graphs of a variant with a half-precision graph, if one is accurate."""
    with prefix_errors(variant.name), progress.step(f"search for float16 nodes{variant.suffix}"):
        reduced = build_reduced_precision_graph(
            options, variant, exported.graphs, exported.equivalence, folder, shared, progress
        )
    return msgspec.structs.replace(exported, graphs=reduced.graphs, equivalence=reduced.proof, reduced=reduced)


def _quantize_variants(
    variants: Sequence[ModelVariant],
    proven: Sequence[ProvenGraphs],
    original: NativeRunner,
    folder: Path,
    progress: ProgressReporter,
    *,
    may_stay: bool,
) -> list[ProvenGraphs]:
    """Return the graphs of all variants with quantized weights; unchanged if quantization fails with `may_stay`."""
    quantized: list[ProvenGraphs] = []
    for variant, exported in zip(variants, proven, strict=True):
        with prefix_errors(variant.name):
            try:
                quantized.append(_quantize(variant, exported, original, folder, progress, first=not quantized))
            except WebbuildError as error:
                if not may_stay or error.code != "weights-not-quantizable":
                    raise
                return [msgspec.structs.replace(proven[0], kept_floats=error.message), *proven[1:]]
    return quantized


def _prove_exported(
    variant: ModelVariant, original: NativeRunner, folder: Path, shared: SharedWeights, progress: ProgressReporter
) -> ProvenGraphs:
    """Write the graphs of a variant with float32 weights, and compare them with the original."""
    compiled, samples = variant.compiled, variant.samples
    with progress.step(f"write the graphs{variant.suffix}"):
        graphs = write_graphs(_models(variant), folder / "model", shared)
    with progress.step(f"compare them with the original on {format_count(len(samples), 'sample')}"):
        edges = attach_extreme_prompts(compiled.match, edge_cases(variant.single_inputs, variant.loaded.ranges))
        edges, notes = replace_nan_inputs(original, edges, compiled.postprocess)
        sequence = variant.make_sequence()
        guessed = guessed_states(variant.loaded.source.states)
        warnings = check_states(partial(run_original, original), variant.states, sequence, guessed)
        equivalence = _check(variant, original, graphs, folder, [*edges, *sequence])
    progress.print_lines([*notes, *(f"warning: {each}" for each in warnings)])
    return ProvenGraphs(graphs, equivalence, warnings=tuple(warnings))


def _quantize(
    variant: ModelVariant, exported: ProvenGraphs, original: NativeRunner, folder: Path, progress: ProgressReporter,
    *, first: bool,
) -> ProvenGraphs:  # fmt: skip
    """Quantize the weights of the first variant; a later variant shares them, and is only compared."""
    if not first:
        lean = [msgspec.structs.replace(graph, weight_dtype="int8") for graph in exported.graphs]
        with progress.step(f"compare the quantized weights{variant.suffix}"):
            proof = _check(variant, original, lean, folder, variant.make_sequence())
            return msgspec.structs.replace(exported, graphs=lean, equivalence=proof)
    with progress.step("quantize the weights"):
        models = list(_models(variant).values())
        sequence = variant.make_sequence()
        quantized = quantize_weights(
            models, exported.graphs, folder, lambda graphs: _check(variant, original, graphs, folder, sequence)
        )
    return msgspec.structs.replace(
        exported, graphs=quantized.graphs, equivalence=quantized.equivalence, quantized=quantized
    )


def _open_graph(path: Path, cache: ContentCache | None) -> NativeRunner:
    runner = NativeRunner(path)  # runs once per sample, so it is memoized only for the cache on disk
    return runner if cache is None else MemoizedRunner(runner, cache)


def _models(variant: ModelVariant) -> dict[TargetName, ir.Model]:
    return {target: variant.compiled.lowered.graphs[target] for target in variant.compiled.targets}


def _check(
    variant: ModelVariant, original: NativeRunner, graphs: Sequence[Graph], folder: Path, edges: Sequence[Sample] = ()
) -> EquivalenceResult:
    open_graph: Callable[[Path], NativeRunner] = partial(_open_graph, cache=variant.loaded.cache)
    if (batch := variant.picture_batch) is not None:  # each sample is one picture of a batch, compared by itself
        open_graph = partial(BatchRunner, batch=batch)
        graphs = [graph.for_one_picture for graph in graphs]
    try:
        return check_with_detections(
            compared_model(original, variant.compiled),
            graphs,
            folder,
            variant.samples,
            edges,
            open_with_thresholds=partial(open_with_threshold_inputs, variant.loaded.source, variant.loaded.dims.dims),
            open_graph=open_graph,
        )
    except WebbuildError as error:
        if error.code != "output-mismatch" or not draws_random_numbers(variant.loaded.source.model):
            raise
        fix = (
            "the model draws other random numbers in each run: export it with an input that scales them, or as an input"
        )
        raise WebbuildError(error.code, error.message, fix) from error
