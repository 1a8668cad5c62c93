"""The float16 or mixed-precision graph of a bundle: searched, proven and written, with its report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec
from msgspec import Struct

from webbuild.bundle.graphs import write_reduced_precision_graph
from webbuild.bundle.weight_shards import SharedWeights
from webbuild.equivalence.check import EquivalenceResult
from webbuild.equivalence.reduced_precision import check_reduced_precision
from webbuild.errors import USAGE, WebbuildError
from webbuild.precision.accuracy_checker import AccuracyChecker
from webbuild.precision.budget import SearchBudget
from webbuild.precision.fp16_backends import EmulatedFp16, Fp16Backend, select_backend
from webbuild.precision.fp16_backends.batch import BatchFp16
from webbuild.precision.report import PrecisionReport
from webbuild.precision.search import PrecisionSearch, SearchResult
from webbuild.precision.search_report import build_fp32_report, build_report, weight_bytes
from webbuild.precision.strip_metadata import strip_metadata
from webbuild.reporting.quantities import format_count
from webbuild.runners.batch_runner import BatchRunner, PictureBatch
from webbuild.runners.native import NativeRunner

if TYPE_CHECKING:
    import onnx_ir as ir

    from webbuild.manifest.manifest import Graph, OptionInput, Precision, StateInput, Task
    from webbuild.reporting.progress import ProgressReporter
    from webbuild.samples.sample import Sample
    from webbuild.targets.table import KernelTable

_FALLBACK_CODES = ("fp16-backend-failed", "output-mismatch", "vacuous-comparison")
"""With `may_stay`, the model stays in float32 after these errors."""
PrecisionMode = Literal["fp32", "fp16", "mixed", "auto"]


class ReducedPrecisionResult(Struct, frozen=True):
    """The graphs of a bundle, the best first, their proof, and the report of the search.

    `fp16_backend` is the backend of the half-precision proof, empty if no graph is in half precision.
    """

    graphs: list[Graph]
    proof: EquivalenceResult
    report: PrecisionReport
    fp16_backend: str = ""


def build_reduced_precision_graph(
    mode: PrecisionMode,
    model: ir.Model,
    table: KernelTable | None,
    graphs: Sequence[Graph],
    folder: Path,
    task: Task,
    options: Sequence[OptionInput],
    samples: Sequence[Sample],
    equivalence: EquivalenceResult,
    budget: SearchBudget,
    progress: ProgressReporter,
    *,
    browser: bool,
    shared: SharedWeights | None = None,
    sequence: Sequence[Sample] = (),
    states: Sequence[StateInput] = (),
    may_stay: bool = False,
    batch: PictureBatch | None = None,
) -> ReducedPrecisionResult:
    """Search for a half-precision graph, prove it, and write it to `folder`.

    Args:
        mode: `fp16` = all convertible nodes, `mixed` = the largest accurate subset, `auto` = `mixed` if it pays.
        model: the graph for WebGPU.
        table: the kernel table of its target.
        graphs: the float32 graphs, written and proven.
        folder: the folder of the bundle.
        task: the task.
        options: the threshold inputs.
        samples: the samples of the search and the proof.
        equivalence: the proof of `graphs`.
        budget: limits of the search, and the fraction of the weights that `auto` must save.
        progress: prints each step.
        browser: whether Chromium may run float16.
        shared: the half-precision weights of other variants.
        sequence: the steps of a model with states, for search and proof.
        states: the states.
        may_stay: whether the model stays in float32 if no float16 graph can be shipped, as with `auto`.
        batch: the batch of a graph for several pictures.

    Raises:
        WebbuildError: `fp16-unavailable`, `fp16-mismatch`, `fp16-backend-failed`, `output-mismatch` or
            `vacuous-comparison`. None of them with `may_stay`.
    """
    may_stay = may_stay or mode == "auto"
    graph = next((graph for graph in graphs if graph.target == "webgpu"), None)
    if graph is None:
        reason = "the bundle has no WebGPU graph, and only WebGPU uses float16"
        if not may_stay:
            raise WebbuildError(
                "fp16-unavailable", reason, "pack it with --precision fp32, or with auto, which keeps float32 here"
            )
        return ReducedPrecisionResult(list(graphs), equivalence, build_fp32_report(mode, reason, model, ""))
    with select_backend(browser=browser) as opened:
        proof_backend = opened if batch is None else BatchFp16(opened, batch)
        search_backend = proof_backend if isinstance(opened, EmulatedFp16) else _search_backend(opened, batch)
        open_graph = NativeRunner if batch is None else partial(BatchRunner, batch=batch)
        graph = graph if batch is None else graph.for_one_picture
        try:
            checker = AccuracyChecker(
                graph, folder, task, options, equivalence.thresholds, [*samples, *sequence], states, open_graph
            )

            def search(backend: Fp16Backend) -> SearchResult:
                searched = PrecisionSearch(
                    model, table, checker, backend, budget, lambda line: progress.print(f"    {line}")
                ).run(only_full=mode == "fp16")
                _print_search(searched, progress)
                return searched

            searched = _confirmed_search(search, search_backend, proof_backend, checker, progress)
            if (reason := _refusal(mode, model, searched, budget)) and not may_stay:
                raise WebbuildError("fp16-mismatch", reason, _fix(mode))
            if reason or searched.best is None:
                report = build_report(mode, "fp32", reason, model, searched, proof_backend)
                return ReducedPrecisionResult(list(graphs), equivalence, report)
            fp16_graph, precision = searched.best.model, _graph_precision(searched)
            proven = check_reduced_precision(
                msgspec.structs.replace(graph, precision=precision),
                partial(proof_backend.run, fp16_graph),
                task,
                options,
                samples,
                equivalence,
                sequence,
                partial(proof_backend.run, fp16_graph, states=states),
                checker.answers,
            )
            variant = write_reduced_precision_graph(strip_metadata(fp16_graph), precision, folder / "model", shared)
            report = build_report(mode, precision, _result(searched), model, searched, proof_backend)
            return ReducedPrecisionResult([variant, *graphs], proven, report, proof_backend.name)
        except WebbuildError as error:
            if not may_stay or error.code not in _FALLBACK_CODES:
                raise
            computed = f"{proof_backend.name}: {proof_backend.reason}"
            return ReducedPrecisionResult(
                list(graphs), equivalence, build_fp32_report(mode, error.message, model, computed)
            )


def _confirmed_search(
    search: Callable[[Fp16Backend], SearchResult],
    search_backend: Fp16Backend,
    proof_backend: Fp16Backend,
    checker: AccuracyChecker,
    progress: ProgressReporter,
) -> SearchResult:
    """Search on one backend and check the result on the other; if it fails there, search again on that backend."""
    searched = search(search_backend)
    if proof_backend is search_backend or searched.best is None:
        return searched
    if reason := checker.check(searched.best.model, proof_backend).mismatch:
        progress.print(f"    {proof_backend.name} rejects it: {reason}")
        return search(proof_backend)
    progress.print(f"    {proof_backend.name} confirms it")
    return searched


def _search_backend(opened: Fp16Backend, batch: PictureBatch | None) -> Fp16Backend:
    """Return the emulation for the search; the browser only confirms, since GPUs round differently."""
    emulation = EmulatedFp16(f"{opened.name} confirms what it finds")
    return emulation if batch is None else BatchFp16(emulation, batch)


def _print_search(searched: SearchResult, progress: ProgressReporter) -> None:
    runs = format_count(len(searched.evaluations), "evaluation")
    progress.print(f"    {runs} in {searched.seconds:.1f} s, {searched.processor_seconds:.1f} s of CPU time")


def check_exclusive_options(precision: PrecisionMode, weights: str) -> None:
    """Check that only one of --precision and --weight-dtype makes the model smaller.

    Raises:
        WebbuildError: `conflicting-options`.
    """
    if precision != "fp32" and weights != "fp32":
        raise WebbuildError(
            "conflicting-options",
            f"--precision {precision} and --weight-dtype {weights} are not combined",
            "leave one of them out: int8 is the smaller download, float16 also runs faster",
            exit_code=USAGE,
        )


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
