"""The float16 or mixed-precision graph of a bundle: searched, proven and written, with its report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from webbuild.bundle.graphs import write_reduced_precision_graph
from webbuild.bundle.weight_shards import SharedWeights
from webbuild.compile.model_variant import ModelVariant
from webbuild.compile.reduction_options import PrecisionMode, ReductionOptions
from webbuild.equivalence.check import EquivalenceResult
from webbuild.equivalence.exact_inputs import exact_inputs
from webbuild.equivalence.reduced_precision import check_reduced_precision
from webbuild.errors import WebbuildError
from webbuild.precision.accuracy_checker import AccuracyChecker
from webbuild.precision.budget import SearchBudget
from webbuild.precision.fp16_backends import EmulatedFp16, Fp16Backend, select_backend
from webbuild.precision.fp16_backends.batch import BatchFp16
from webbuild.precision.report import PrecisionReport
from webbuild.precision.search import PrecisionSearch, SearchResult
from webbuild.precision.search_report import build_fp32_report, build_report, weight_bytes
from webbuild.precision.strip_metadata import strip_metadata
from webbuild.reporting.quantities import format_count
from webbuild.runners.batch_runner import BatchRunner
from webbuild.runners.native import NativeRunner
from webbuild.runners.tensors import Tensors

if TYPE_CHECKING:
    import onnx_ir as ir

    from webbuild.manifest.manifest import Graph, Precision
    from webbuild.reporting.progress import ProgressReporter
    from webbuild.samples.sample import Sample

_FALLBACK_CODES = ("fp16-backend-failed", "output-mismatch", "vacuous-comparison")
"""If the model may stay in float32, it does after these errors."""


class ReducedPrecisionResult(Struct, frozen=True):
    """The graphs of a bundle, the best first, their proof, and the report of the search.

    `fp16_backend` is the backend of the half-precision proof, empty if no graph is in half precision.
    """

    graphs: list[Graph]
    proof: EquivalenceResult
    report: PrecisionReport
    fp16_backend: str = ""


def build_reduced_precision_graph(
    options: ReductionOptions,
    variant: ModelVariant,
    graphs: Sequence[Graph],
    equivalence: EquivalenceResult,
    folder: Path,
    shared: SharedWeights,
    progress: ProgressReporter,
) -> ReducedPrecisionResult:
    """Search for a half-precision graph of a variant, prove it, and write it to `folder`.

    Args:
        options: the precision, and the limits of the search.
        variant: the compiled model with its samples.
        graphs: its float32 graphs, written and proven.
        equivalence: the proof of `graphs`.
        folder: the folder of the bundle.
        shared: the half-precision weights of other variants.
        progress: prints each step.

    Raises:
        WebbuildError: `fp16-unavailable`, `fp16-mismatch`, `fp16-backend-failed`, `output-mismatch` or
            `vacuous-comparison`. None of them if the model may stay in float32.
    """
    mode, model = options.precision, variant.compiled.lowered.graphs["webgpu"]
    may_stay = options.may_stay or mode == "auto"
    graph = next((graph for graph in graphs if graph.target == "webgpu"), None)
    if graph is None:
        reason = "the bundle has no WebGPU graph, and only WebGPU uses float16"
        if not may_stay:
            raise WebbuildError(
                "fp16-unavailable", reason, "pack it with --precision fp32, or with auto, which keeps float32 here"
            )
        return ReducedPrecisionResult(list(graphs), equivalence, build_fp32_report(mode, reason, model, ""))
    with select_backend(browser=options.browser) as opened:
        backend = search_backend = _in_batch(opened, variant)
        if not isinstance(opened, EmulatedFp16):  # the browser only confirms, since GPUs round differently
            search_backend = _in_batch(EmulatedFp16(f"{opened.name} confirms what it finds"), variant)
        sequence = variant.make_sequence()
        graph = graph if variant.picture_batch is None else graph.for_one_picture
        try:
            checker = _open_checker(variant, sequence, graph, equivalence.thresholds, folder)
            searched = _confirmed_search(options, model, checker, search_backend, backend, progress)
            if (reason := _refusal(mode, model, searched, options.budget)) and not may_stay:
                raise WebbuildError("fp16-mismatch", reason, _fix(mode))
            if reason or searched.best is None:
                report = build_report(mode, "fp32", reason, model, searched, backend)
                return ReducedPrecisionResult(list(graphs), equivalence, report)
            fp16_graph, precision = searched.best.model, _graph_precision(searched)
            entry = msgspec.structs.replace(graph, precision=precision)
            proof = _prove(entry, fp16_graph, backend, variant, sequence, equivalence, checker.answers)
            written = write_reduced_precision_graph(strip_metadata(fp16_graph), precision, folder / "model", shared)
            report = build_report(mode, precision, _result(searched), model, searched, backend)
            return ReducedPrecisionResult([written, *graphs], proof, report, backend.name)
        except WebbuildError as error:
            if not may_stay or error.code not in _FALLBACK_CODES:
                raise
            report = build_fp32_report(mode, error.message, model, f"{backend.name}: {backend.reason}")
            return ReducedPrecisionResult(list(graphs), equivalence, report)


def _open_checker(
    variant: ModelVariant, sequence: Sequence[Sample], graph: Graph, thresholds: Mapping[str, float], folder: Path
) -> AccuracyChecker:
    """Run the float32 graph on the samples and the sequence of a variant, as the reference of the search."""
    batch = variant.picture_batch
    open_graph = NativeRunner if batch is None else partial(BatchRunner, batch=batch)
    task, options = variant.compiled.match.task, variant.compiled.options
    samples = [*variant.samples, *sequence]
    exact = exact_inputs(variant.compiled.match.inputs)
    return AccuracyChecker(graph, folder, task, options, thresholds, samples, variant.states, open_graph, exact)


def _prove(
    graph: Graph,
    model: ir.Model,
    backend: Fp16Backend,
    variant: ModelVariant,
    sequence: Sequence[Sample],
    equivalence: EquivalenceResult,
    answers: Mapping[str, Tensors],
) -> EquivalenceResult:
    """Add the comparisons of a half-precision `model` to the proof of the other graphs; `graph` is its entry."""
    return check_reduced_precision(
        graph,
        partial(backend.run, model),
        variant.compiled.match.task,
        variant.compiled.options,
        variant.samples,
        equivalence,
        sequence=sequence,
        run_sequence=partial(backend.run, model, states=variant.states),
        answers=answers,
    )


def _confirmed_search(
    options: ReductionOptions,
    model: ir.Model,
    checker: AccuracyChecker,
    search_backend: Fp16Backend,
    proof_backend: Fp16Backend,
    progress: ProgressReporter,
) -> SearchResult:
    """Search on one backend and check the result on the other; if it fails there, search again on that backend."""
    search = partial(_search, options, model, checker, progress)
    searched = search(search_backend)
    if search_backend is proof_backend or searched.best is None:
        return searched
    if reason := checker.check(searched.best.model, proof_backend).mismatch:
        progress.print(f"    {proof_backend.name} rejects it: {reason}")
        return search(proof_backend)
    progress.print(f"    {proof_backend.name} confirms it")
    return searched


def _search(
    options: ReductionOptions,
    model: ir.Model,
    checker: AccuracyChecker,
    progress: ProgressReporter,
    backend: Fp16Backend,
) -> SearchResult:
    """Search for the nodes that may be float16 on a backend, and print how long it took."""
    search = PrecisionSearch(
        model, options.table, checker, backend, options.budget, lambda line: progress.print(f"    {line}")
    )
    searched = search.run(only_full=options.precision == "fp16")
    runs = format_count(len(searched.evaluations), "evaluation")
    progress.print(f"    {runs} in {searched.seconds:.1f} s, {searched.processor_seconds:.1f} s of CPU time")
    return searched


def _in_batch(backend: Fp16Backend, variant: ModelVariant) -> Fp16Backend:
    """Return the backend for the graph of a variant, which may take a batch of pictures."""
    batch = variant.picture_batch
    return backend if batch is None else BatchFp16(backend, batch)


def _graph_precision(searched: SearchResult) -> Precision:
    """Return `fp16` if every convertible node is float16, `mixed` if the search kept some in float32."""
    return "fp16" if len(searched.evaluations) == 1 else "mixed"


def _refusal(mode: PrecisionMode, model: ir.Model, searched: SearchResult, budget: SearchBudget) -> str:
    """Return why no half-precision graph is shipped, empty if one is shipped."""
    first = next((each.mismatch for each in searched.evaluations if each.mismatch), "")
    if not searched.evaluations:
        return "no node can be float16: each needs float32 for its operator or its values"
    if searched.best is None:
        return f"the results differ with {searched.evaluations[-1].fraction.mean:.0%} of the graph in float16: {first}"
    before, after = weight_bytes(model), weight_bytes(searched.best.model)
    if mode == "auto" and after > (1 - budget.saving) * before:
        saved = 1 - after / max(before, 1)
        return f"float16 would save {saved:.0%} of the weights, less than the required {budget.saving:.0%}"
    return ""


def _fix(mode: PrecisionMode) -> str:
    if mode == "fp16":
        return (
            "use --precision mixed, which keeps some nodes in float32, or auto, which does so only if it saves enough"
        )
    return "pack it with --precision fp32, or auto, which keeps float32 here; --budget evaluations=80 searches longer"


def _result(searched: SearchResult) -> str:
    right = [each for each in searched.evaluations if not each.mismatch]
    worst = max((part for part in right[-1].tolerance_used.values()), default=0.0)
    return f"the results are the same; the largest difference is {worst:.2g} of its tolerance"
