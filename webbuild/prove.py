"""The proof: original against patched on native ONNX Runtime, before anything is emitted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.completed import Head, completed, with_ones
from webbuild.errors import WebbuildError
from webbuild.head import why_repeat
from webbuild.leaps import explain
from webbuild.manifest import ClassifyTask, Graph, OptionInput, PanopticTask, PhrasesTask, RowTask, Task
from webbuild.memory import give_back
from webbuild.proof import MASKS, REGIONS, Answer, Proof, judge
from webbuild.samples import Sample
from webbuild.tasks._base import decode
from webbuild.tasks.classify import ClassScore
from webbuild.tasks.detection import Detection, needed_outputs
from webbuild.tasks.phrases import read_phrases
from webbuild.tasks.phrases import thresholds as thresholds_of
from webbuild.tasks.region_modes import in_any_case
from webbuild.tasks.region_shapes import shapes
from webbuild.verify.changed import changed
from webbuild.verify.native import NativeRunner


class Witness(Struct, frozen=True):
    """Everything that was compared, what each runner found in each sample, and at which thresholds.

    `classes` are the original's, by sample; empty unless the task is to classify. `outputs` are what the graph for WASM
    gave, by sample.
    """

    proofs: list[Proof]
    detections: dict[str, dict[str, Sequence[Detection]]]
    classes: dict[str, Sequence[ClassScore]]
    thresholds: dict[str, float]
    outputs: dict[str, Mapping[str, NDArray[Any]]]


def prove(
    original: NativeRunner,
    graphs: Sequence[Graph],
    folder: Path,
    task: Task,
    options: Sequence[OptionInput],
    samples: Sequence[Sample],
    *,
    raw: Head | None = None,
    confidence: float | None = None,
) -> Witness:
    """Run every sample through the original and every graph in `folder`, and judge each output.

    Native ONNX Runtime, optimisations disabled. What `raw` says that the original lacks is computed in its place.
    Thresholds are the exported ones, unless `confidence` is given: then `original` takes thresholds as inputs
    too, or has none.
    """
    values: dict[str, float] = {option.option: option.default for option in options}
    if isinstance(task, PhrasesTask):
        values |= thresholds_of(task)
    if confidence is not None:
        values["confidence"] = confidence
    thresholds = {option.name: np.array([values[option.option]], np.float32) for option in options}
    given = [{**s.feeds, **thresholds} if confidence is not None and raw is None else s.feeds for s in samples]
    give_back()  # what planning has let go of is room for a run
    references = [
        answer_of(task, _reference(original, feeds, raw, values), sample, values)
        for feeds, sample in zip(given, samples, strict=True)
    ]
    if isinstance(task, PanopticTask) and not any(want.regions and want.regions.regions for want in references):
        task = in_any_case(task)
        references = [
            answer_of(task, want.outputs, sample, values) for sample, want in zip(samples, references, strict=True)
        ]
    original.close()
    classes = {
        sample.name: decode(task, want.outputs, None)
        for sample, want in zip(samples, references, strict=True)
        if isinstance(task, ClassifyTask)
    }
    detections = {sample.name: {"native": want.found} for sample, want in zip(samples, references, strict=True)}
    proofs: dict[str, list[Proof]] = {graph.target: [] for graph in graphs}
    fallbacks = [graph.status.fallback for graph in graphs if graph.status is not None]
    answers: dict[str, list[Answer]] = {}
    outputs: dict[str, Mapping[str, NDArray[Any]]] = {}
    for graph in sorted(graphs, key=lambda graph: graph.target not in fallbacks):
        runner = NativeRunner(folder / graph.file)
        answers[graph.target] = []
        for index, (sample, want) in enumerate(zip(samples, references, strict=True)):
            answer = answer_of(task, runner.run({**sample.feeds, **thresholds}), sample, values)
            repeated = bool(why_repeat(graph, answer.outputs))
            if repeated and graph.status is not None:
                answer = answers[graph.status.fallback][index]
            detections[sample.name][graph.target] = answer.found
            if graph.target == "wasm":
                outputs[sample.name] = answer.outputs
            answers[graph.target].append(answer if graph.target in fallbacks else _NOTHING)
            reference = _with_room(want, original, graph)
            proofs[graph.target] += judge(sample, graph, task, values, reference, answer, repeated=repeated)
        runner.close()
    feeds = {sample.name: (one, sample) for one, sample in zip(given, samples, strict=True)}

    def again(name: str, seed: int) -> Mapping[str, NDArray[Any]]:
        one, sample = feeds[name]
        moved = {**one, **changed({given: one[given] for given in sample.feeds}, seed)}
        return _reference(original, moved, raw, values)

    wanted = {sample.name: want.outputs for sample, want in zip(samples, references, strict=True)}
    judged = explain([proof for graph in graphs for proof in proofs[graph.target]], wanted, again)
    original.close()
    return Witness(judged, detections, classes, values, outputs)


_NOTHING = Answer({}, ())


def _reference(
    original: NativeRunner, feeds: Mapping[str, NDArray[Any]], raw: Head | None, values: Mapping[str, float]
) -> Mapping[str, NDArray[Any]]:
    """Return what the original gives, with what it lacks."""
    given = with_ones(raw, feeds)
    outputs = _narrowed(original.run({name: array.astype(original.types[name]) for name, array in given.items()}))
    return outputs if raw is None else completed(raw, outputs, given, values)


def _with_room(want: Answer, original: NativeRunner, graph: Graph) -> Answer:
    """Return an answer of the original in the shapes that a graph gives its outputs."""
    room = {output.name: output.shape for output in graph.outputs}
    filled = {name: _filled(a, original.declared.get(name, ()), room.get(name)) for name, a in want.outputs.items()}
    return Answer(filled, want.found, want.regions)


def _narrowed(outputs: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return outputs as a browser can hold them: float64 as float32."""
    return {name: a.astype(np.float32) if a.dtype == np.float64 else a for name, a in outputs.items()}


def _filled(array: NDArray[Any], declared: Sequence[int | str | None], room: Sequence[int] | None) -> NDArray[Any]:
    """Return the original's rows, as many as the data decided, and zeros up to what the patched graph has room for."""
    if room is None or not len(room) == len(declared) == array.ndim:
        return array
    missing = [wanted - size for wanted, size in zip(room, array.shape, strict=True)]
    free = [axis for axis, more in enumerate(missing) if more > 0 and not isinstance(declared[axis], int)]
    fits = len(free) == 1 and sum(map(abs, missing)) == missing[free[0]]
    return np.pad(array, [(0, more) for more in missing]) if fits else array


def answer_of(task: Task, outputs: Mapping[str, NDArray[Any]], sample: Sample, values: Mapping[str, float]) -> Answer:
    """Return what a graph gave, and what is in it for the task; `values` are the thresholds by option."""
    if sample.placement is None:
        return Answer(outputs, ())
    if isinstance(task, PhrasesTask):
        if sample.prompt is None or not {task.output, task.boxes} <= set(outputs):
            return Answer(outputs, ())
        return Answer(outputs, read_phrases(task, outputs, sample.prompt, sample.placement, values))
    if isinstance(task, PanopticTask) and task.masks in outputs:
        (regions,) = decode(task, outputs, sample.placement)
        return Answer(outputs, shapes(regions), regions)
    known = isinstance(task, RowTask) and all(name in outputs for name in needed_outputs(task))
    return Answer(outputs, decode(task, outputs, sample.placement) if known else ())


def found_nothing(witness: Witness) -> bool:
    """Whether there are detections to compare, and on no sample any."""
    counts = [proof.objects for proof in witness.proofs if proof.objects is not None]
    return bool(counts) and not any(counts)


def only_repeated(witness: Witness) -> bool:
    """Whether some graph handed every sample to its fallback."""
    own = {proof.target for proof in witness.proofs if not proof.repeated}
    return not {proof.target for proof in witness.proofs} <= own


def differing(proofs: Sequence[Proof]) -> list[Proof]:
    """Return the comparisons that found a difference."""
    return [proof for proof in proofs if proof.verdict == "DIFFERS"]


def require(proofs: Sequence[Proof]) -> None:
    """Raise unless everything is proven.

    Raises:
        WebbuildError: `not-proven` with output, place, wanted and got; or `proved-nothing` where no sample gave
            the comparison anything to compare.
    """
    if not proofs:
        raise WebbuildError("proved-nothing", "there was no sample to compare", "give some with --sample FILE...")
    if wrong := differing(proofs):
        first = wrong[0]
        raise WebbuildError(
            "not-proven",
            f"{len(wrong)} of {len(proofs)} comparisons differ; first: output '{first.output}' of the {first.target} "
            f"graph on sample {first.sample}: {first.why}",
            "nothing was emitted; run with --dry-run to see which passes changed what, and report the model",
        )
    for target, output in sorted({(proof.target, proof.output) for proof in proofs}):
        mine = [proof for proof in proofs if (proof.target, proof.output) == (target, output)]
        if all(proof.repeated for proof in mine):
            raise WebbuildError(
                "proved-nothing",
                f"the {target} graph hands every sample to its fallback, so nothing is known of its own answers",
                "give samples with fewer objects: --sample FILE...",
            )
        if all(p.verdict == "VACUOUS" or p.objects == 0 for p in mine):
            thing = "mask" if output.startswith(MASKS) else "region" if output == REGIONS else "detection"
            what = f"no sample has a {thing}" if mine[0].objects is not None else f"on every sample {mine[0].why}"
            raise WebbuildError(
                "proved-nothing",
                f"output '{output}': {what}, so equal results prove nothing",
                "give pictures or tensors on which the model finds something: --sample FILE...",
            )
