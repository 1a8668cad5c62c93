"""The proof: original against patched on native ONNX Runtime, before anything is emitted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.errors import WebbuildError
from webbuild.head import why_repeat
from webbuild.manifest import Graph, OptionInput, RowTask, Task
from webbuild.raw_head import DETECTIONS, RawHead
from webbuild.reference_head import reference_head
from webbuild.samples import Sample
from webbuild.tasks._base import Tolerance, decode
from webbuild.tasks.detection import Detection
from webbuild.tasks.match import match_rows
from webbuild.verify.compare import RELATIVE, Subject, compare
from webbuild.verify.native import NativeRunner

TOLERANCE = Tolerance(score=1e-4, pixels=0.05)
"""For rows of detections. Other outputs: 1e-4 of the original's largest magnitude."""


class Proof(Struct, frozen=True, rename="camel"):
    """One output of one graph on one sample, against the original's.

    `objects` is the number of matched detections, None for an output that is not detections. `excused` rows lie
    within tolerance of a threshold. `repeated` says that the graph asked for its fallback, as at run time.
    """

    sample: str
    target: str
    output: str
    verdict: str
    objects: int | None
    excused: int
    repeated: bool
    distance: str
    why: str


class Witness(Struct, frozen=True):
    """Everything that was compared, what each runner found in each sample, and at which thresholds."""

    proofs: list[Proof]
    detections: dict[str, dict[str, Sequence[Detection]]]
    thresholds: dict[str, float]


def prove(
    original: NativeRunner,
    graphs: Sequence[Graph],
    folder: Path,
    task: Task,
    options: Sequence[OptionInput],
    samples: Sequence[Sample],
    *,
    raw: RawHead | None = None,
    confidence: float | None = None,
) -> Witness:
    """Run every sample through the original and every graph in `folder`, and judge each output.

    Native ONNX Runtime, optimisations disabled. What `raw` says that the original lacks is computed in its place.
    Thresholds are the exported ones, unless `confidence` is given: then `original` takes thresholds as inputs
    too, or has none.
    """
    runners = {graph.target: NativeRunner(folder / graph.file) for graph in graphs}
    values: dict[str, float] = {option.option: option.default for option in options}
    if confidence is not None:
        values["confidence"] = confidence
    thresholds = {option.name: np.array([values[option.option]], np.float32) for option in options}
    proofs: list[Proof] = []
    detections: dict[str, dict[str, Sequence[Detection]]] = {}
    for sample in samples:
        given = {**sample.feeds, **thresholds} if confidence is not None and raw is None else sample.feeds
        want = _narrowed(original.run({name: array.astype(original.types[name]) for name, array in given.items()}))
        if raw is not None:
            want = _completed(raw, want, values)
        seen = detections.setdefault(sample.name, {})
        seen["native"] = _detections(task, want, sample)
        for graph in graphs:
            feeds = {**sample.feeds, **thresholds}
            got = runners[graph.target].run(feeds)
            repeated = bool(why_repeat(graph, got))
            if repeated and graph.status is not None:
                got = runners[graph.status.fallback].run(feeds)
            seen[graph.target] = _detections(task, got, sample)
            proofs += [_judge(sample, graph, name, want[name], got.get(name), task, values, repeated) for name in want]
    return Witness(proofs, detections, values)


def _narrowed(outputs: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return outputs as a browser can hold them: float64 as float32."""
    return {name: a.astype(np.float32) if a.dtype == np.float64 else a for name, a in outputs.items()}


def _completed(
    raw: RawHead, outputs: Mapping[str, NDArray[Any]], values: Mapping[str, float]
) -> dict[str, NDArray[Any]]:
    """Return the outputs with `DETECTIONS` in the place of the raw one."""
    found = reference_head(raw, outputs[raw.output], values["confidence"], values.get("iou", raw.iou))
    return {DETECTIONS: found, **{name: array for name, array in outputs.items() if name != raw.output}}


def _detections(task: Task, outputs: Mapping[str, NDArray[Any]], sample: Sample) -> Sequence[Detection]:
    if not isinstance(task, RowTask) or sample.placement is None or task.output not in outputs:
        return ()
    return decode(task, outputs, sample.placement)


def _judge(
    sample: Sample,
    graph: Graph,
    name: str,
    want: NDArray[Any],
    got: NDArray[Any] | None,
    task: Task,
    values: Mapping[str, float],
    repeated: bool,
) -> Proof:
    if isinstance(task, RowTask) and name == task.output and got is not None and got.shape == want.shape:
        match = match_rows(
            task, want[0], got[0], TOLERANCE, confidence=values.get("confidence", 0.0), iou=values.get("iou", 1.0)
        )
        distance = f"score {match.score:.2g}, box {match.box:.2g} px, keypoint {match.keypoint:.2g} px"
        why = "; ".join((*match.problems, *match.unmatched))
        verdict = "OK" if match.same else "DIFFERS"
        return Proof(sample.name, graph.target, name, verdict, match.pairs, match.excused, repeated, distance, why)
    subject = Subject(runner=graph.target, sample=sample.name, stage="raw", output=name)
    result = compare(subject, want, got)
    place = f" at {list(result.worst)}: wanted {result.want}, got {result.got}" if result.verdict == "DIFFERS" else ""
    largest = "not finite" if result.max_abs is None else f"{result.max_abs:.2g}"
    return Proof(
        sample.name,
        graph.target,
        name,
        result.verdict,
        None,
        0,
        repeated,
        f"{largest} of {RELATIVE:g} x {result.signal:.3g}",
        result.why + place,
    )


def found_nothing(witness: Witness) -> bool:
    """Whether there are detections to compare, and on no sample any."""
    counts = [proof.objects for proof in witness.proofs if proof.objects is not None]
    return bool(counts) and not any(counts)


def require(proofs: Sequence[Proof]) -> None:
    """Raise unless everything is proven.

    Raises:
        WebbuildError: `not-proven` with output, place, wanted and got; or `proved-nothing` where no sample gave
            the comparison anything to compare.
    """
    if not proofs:
        raise WebbuildError("proved-nothing", "there was no sample to compare", "give some with --sample FILE...")
    if wrong := [proof for proof in proofs if proof.verdict == "DIFFERS"]:
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
            what = "no sample has a detection" if mine[0].objects is not None else "it is empty or zero on every sample"
            raise WebbuildError(
                "proved-nothing",
                f"output '{output}': {what}, so equal results prove nothing",
                "give pictures or tensors on which the model finds something: --sample FILE...",
            )
