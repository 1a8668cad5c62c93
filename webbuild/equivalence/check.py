"""The proof: original against patched on native ONNX Runtime, before anything is emitted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.compare.perturbation import perturb
from webbuild.equivalence.answer import Answer, with_nonempty_mode
from webbuild.equivalence.compare_outputs import MASKS, REGIONS, OutputComparison, compare_outputs
from webbuild.equivalence.sensitivity import accept_within_noise
from webbuild.errors import WebbuildError
from webbuild.manifest.head_status import fallback_reason
from webbuild.manifest.manifest import ClassifyTask, Graph, OptionInput, Task
from webbuild.postprocess.reference import DetectionHead, add_constant_masks, apply_reference_postprocess
from webbuild.runners.malloc_trim import trim_malloc
from webbuild.runners.native import NativeRunner
from webbuild.samples.collect import Sample
from webbuild.tasks.base import RunContext, kind_of
from webbuild.tasks.class_scores import ClassScore
from webbuild.tasks.detection import Detection


class EquivalenceResult(Struct, frozen=True):
    """Everything that was compared, what each runner found in each sample, and at which thresholds.

    `classes` are the original's, by sample; empty unless the task is to classify. `outputs` are what the graph for WASM
    gave, by sample.
    """

    comparisons: list[OutputComparison]
    detections: dict[str, dict[str, Sequence[Detection]]]
    classes: dict[str, Sequence[ClassScore]]
    thresholds: dict[str, float]
    outputs: dict[str, Mapping[str, NDArray[Any]]]


def check_equivalence(
    original: NativeRunner,
    graphs: Sequence[Graph],
    folder: Path,
    task: Task,
    options: Sequence[OptionInput],
    samples: Sequence[Sample],
    *,
    head: DetectionHead | None = None,
    confidence: float | None = None,
) -> EquivalenceResult:
    """Run every sample through the original and every graph in `folder`, and judge each output.

    Native ONNX Runtime, optimisations disabled. What `head` says that the original lacks is computed in its place.
    Thresholds are the exported ones, unless `confidence` is given: then `original` takes thresholds as inputs
    too, or has none.
    """
    values: dict[str, float] = {option.option: option.default for option in options}
    values |= kind_of(task).default_thresholds(task)
    if confidence is not None:
        values["confidence"] = confidence
    thresholds = {option.name: np.array([values[option.option]], np.float32) for option in options}
    given = [{**s.feeds, **thresholds} if confidence is not None and head is None else s.feeds for s in samples]
    trim_malloc()  # what planning has let go of is room for a run
    references = with_nonempty_mode(
        [
            Answer(task, _run_reference(original, feeds, head, values), run_context(sample, values))
            for feeds, sample in zip(given, samples, strict=True)
        ]
    )
    original.close()
    classes = {
        sample.name: want.prediction
        for sample, want in zip(samples, references, strict=True)
        if isinstance(task, ClassifyTask)
    }
    detections = {sample.name: {"native": want.detections} for sample, want in zip(samples, references, strict=True)}
    proofs: dict[str, list[OutputComparison]] = {graph.target: [] for graph in graphs}
    fallbacks = [graph.status.fallback for graph in graphs if graph.status is not None]
    answers: dict[str, list[Answer]] = {}
    outputs: dict[str, Mapping[str, NDArray[Any]]] = {}
    for graph in sorted(graphs, key=lambda graph: graph.target not in fallbacks):
        runner = NativeRunner(folder / graph.file)
        answers[graph.target] = []
        for index, (sample, want) in enumerate(zip(samples, references, strict=True)):
            answer = replace(want, outputs=runner.run({**sample.feeds, **thresholds}))
            repeated = bool(fallback_reason(graph, answer.outputs))
            if repeated and graph.status is not None:
                answer = answers[graph.status.fallback][index]
            detections[sample.name][graph.target] = answer.detections
            if graph.target == "wasm":
                outputs[sample.name] = answer.outputs
            answers[graph.target].append(answer if graph.target in fallbacks else replace(want, outputs={}))
            reference = _pad_to_graph_shapes(want, original, graph)
            proofs[graph.target] += compare_outputs(sample, graph, reference, answer, repeated=repeated)
        runner.close()
    feeds = {sample.name: (one, sample) for one, sample in zip(given, samples, strict=True)}

    def again(name: str, seed: int) -> Mapping[str, NDArray[Any]]:
        one, sample = feeds[name]
        moved = {**one, **perturb({given: one[given] for given in sample.feeds}, seed)}
        return _run_reference(original, moved, head, values)

    wanted = {sample.name: want.outputs for sample, want in zip(samples, references, strict=True)}
    judged = accept_within_noise([proof for graph in graphs for proof in proofs[graph.target]], wanted, again)
    original.close()
    return EquivalenceResult(judged, detections, classes, values, outputs)


def _run_reference(
    original: NativeRunner, feeds: Mapping[str, NDArray[Any]], head: DetectionHead | None, values: Mapping[str, float]
) -> Mapping[str, NDArray[Any]]:
    """Return what the original gives, with what it lacks."""
    given = add_constant_masks(head, feeds)
    outputs = _float64_to_float32(
        original.run({name: array.astype(original.input_dtypes[name]) for name, array in given.items()})
    )
    return outputs if head is None else apply_reference_postprocess(head, outputs, given, values)


def _pad_to_graph_shapes(want: Answer, original: NativeRunner, graph: Graph) -> Answer:
    """Return an answer of the original in the shapes that a graph gives its outputs."""
    room = {output.name: output.shape for output in graph.outputs}
    filled = {
        name: _pad_rows(a, original.output_shapes.get(name, ()), room.get(name)) for name, a in want.outputs.items()
    }
    return want if all(filled[name] is array for name, array in want.outputs.items()) else replace(want, outputs=filled)


def _float64_to_float32(outputs: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return outputs as a browser can hold them: float64 as float32."""
    return {name: a.astype(np.float32) if a.dtype == np.float64 else a for name, a in outputs.items()}


def _pad_rows(array: NDArray[Any], declared: Sequence[int | str | None], room: Sequence[int] | None) -> NDArray[Any]:
    """Return the original's rows, as many as the data decided, and zeros up to what the patched graph has room for."""
    if room is None or not len(room) == len(declared) == array.ndim:
        return array
    missing = [wanted - size for wanted, size in zip(room, array.shape, strict=True)]
    free = [axis for axis, more in enumerate(missing) if more > 0 and not isinstance(declared[axis], int)]
    fits = len(free) == 1 and sum(map(abs, missing)) == missing[free[0]]
    return np.pad(array, [(0, more) for more in missing]) if fits else array


def run_context(sample: Sample, thresholds: Mapping[str, float]) -> RunContext:
    """Return what a sample is decoded with; `thresholds` by option."""
    return RunContext(sample.placement, thresholds, sample.prompt)


def has_no_detections(witness: EquivalenceResult) -> bool:
    """Whether there are detections to compare, and on no sample any."""
    counts = [proof.objects for proof in witness.comparisons if proof.objects is not None]
    return bool(counts) and not any(counts)


def used_only_fallback(witness: EquivalenceResult) -> bool:
    """Whether some graph handed every sample to its fallback."""
    own = {proof.target for proof in witness.comparisons if not proof.repeated}
    return not {proof.target for proof in witness.comparisons} <= own


def mismatches(proofs: Sequence[OutputComparison]) -> list[OutputComparison]:
    """Return the comparisons that found a difference."""
    return [proof for proof in proofs if proof.verdict == "DIFFERS"]


def require_equivalent(proofs: Sequence[OutputComparison]) -> None:
    """Raise unless everything is proven.

    Raises:
        WebbuildError: `output-mismatch` with output, place, wanted and got; or `vacuous-comparison` where no sample
        gave
            the comparison anything to compare.
    """
    if not proofs:
        raise WebbuildError("vacuous-comparison", "there was no sample to compare", "give some with --input FILE...")
    if wrong := mismatches(proofs):
        first = wrong[0]
        raise WebbuildError(
            "output-mismatch",
            f"{len(wrong)} of {len(proofs)} comparisons differ; first: output '{first.output}' of the {first.target} "
            f"graph on sample {first.sample}: {first.why}",
            "nothing was emitted; run with --dry-run to see which passes changed what, and report the model",
        )
    for target, output in sorted({(proof.target, proof.output) for proof in proofs}):
        mine = [proof for proof in proofs if (proof.target, proof.output) == (target, output)]
        if all(proof.repeated for proof in mine):
            raise WebbuildError(
                "vacuous-comparison",
                f"the {target} graph hands every sample to its fallback, so nothing is known of its own answers",
                "give samples with fewer objects: --input FILE...",
            )
        if all(p.verdict == "VACUOUS" or p.objects == 0 for p in mine):
            thing = "mask" if output.startswith(MASKS) else "region" if output == REGIONS else "detection"
            what = f"no sample has a {thing}" if mine[0].objects is not None else f"on every sample {mine[0].why}"
            raise WebbuildError(
                "vacuous-comparison",
                f"output '{output}': {what}, so equal results prove nothing",
                "give pictures or tensors on which the model finds something: --input FILE...",
            )
