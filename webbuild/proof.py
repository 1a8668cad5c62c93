"""One graph's answer to one sample, judged output by output against the original's."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from numpy.typing import NDArray

from webbuild.manifest import ClassifyTask, DepthTask, Graph, PanopticTask, PhrasesTask, RowTask, Task
from webbuild.samples import Sample
from webbuild.tasks._base import REDUCED as REDUCED
from webbuild.tasks._base import Tolerance
from webbuild.tasks.classify import probabilities
from webbuild.tasks.detection import Detection, Segment
from webbuild.tasks.match import match
from webbuild.tasks.match_classes import match_classes
from webbuild.tasks.match_depth import match_depth
from webbuild.tasks.match_phrases import match_phrases
from webbuild.tasks.match_regions import match_regions
from webbuild.tasks.objects import Objects, of_rows
from webbuild.tasks.regions import Regions
from webbuild.verify.compare import Subject, compare

TOLERANCE = Tolerance(score=1e-4, pixels=0.05)
"""For rows of detections; `score` also for classes and, on average, for depth. Other outputs: `relative` of the
original's largest magnitude."""

MASKS = "masks of "
"""In front of the name of the rows whose masks were compared."""

PHRASES = "phrases"
"""What is compared besides the outputs, where a prompt says what to look for: what they say in its words."""

REGIONS = "regions"
"""What is compared besides the outputs where each pixel belongs to a region."""

Arrays = Mapping[str, NDArray[Any]]


class Proof(Struct, frozen=True, rename="camel"):
    """One output of one graph on one sample, against the original's.

    `objects` is the number of matched detections or regions, or of their masks that cover anything; None for an output
    that is not detections. `excused` ones lie within tolerance of a threshold. `repeated` says that the graph asked for
    its fallback, as at run time. `apart` is the largest difference between tensors, None for what is not compared
    number by number; `leap` is what the original itself moves by, where that explains it. `used` is the part of the
    tolerance that the difference takes, infinite for what differs in kind, None where that is not one number.
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
    apart: float | None = None
    leap: float | None = None
    used: float | None = None


class Answer(Struct, frozen=True):
    """What a graph gave, and the detections in it."""

    outputs: Arrays
    found: Sequence[Detection]
    regions: Regions | None = None


def judge(
    sample: Sample,
    graph: Graph,
    task: Task,
    values: Mapping[str, float],
    want: Answer,
    got: Answer,
    *,
    repeated: bool,
) -> list[Proof]:
    """Judge every output that the original has; `values` are the thresholds by option."""
    proofs = []
    for name, array in want.outputs.items():
        other = got.outputs.get(name)
        if isinstance(task, RowTask) and name == task.output and other is not None and other.shape == array.shape:
            sides = (_objects(task, array, want.found), _objects(task, other, got.found))
            proofs += _rows(sample, graph, name, *sides, values, repeated=repeated)
        elif (
            isinstance(task, ClassifyTask) and name == task.output and other is not None and other.shape == array.shape
        ):
            proofs.append(_classes(sample, graph, task, array, other))
        elif isinstance(task, DepthTask) and name == task.output and other is not None and other.shape == array.shape:
            proofs.append(_depth(sample, graph, name, array, other))
        else:
            proofs.append(_tensor(sample, graph, name, array, other, repeated=repeated))
    if isinstance(task, PhrasesTask):
        proofs.append(_phrases(sample, graph, values, want, got))
    if isinstance(task, PanopticTask) and want.regions is not None and got.regions is not None:
        proofs.append(_regions(sample, graph, task, want.regions, got.regions))
    return proofs


def tolerance(graph: Graph) -> Tolerance:
    """Return how far a graph's answers may lie from the original's: further where it has fewer bits."""
    return TOLERANCE if graph.precision == graph.weights_stored == "fp32" else REDUCED


def matched_detections(proofs: Sequence[Proof]) -> int:
    """Count the detections that were matched, each once: not their masks again."""
    return sum(proof.objects or 0 for proof in proofs if not proof.output.startswith(MASKS))


def _objects(task: RowTask, rows: NDArray[Any], found: Sequence[Detection]) -> Objects:
    return of_rows(task, rows[0], [each.mask for each in found if isinstance(each, Segment)])


def _rows(
    sample: Sample,
    graph: Graph,
    name: str,
    want: Objects,
    got: Objects,
    values: Mapping[str, float],
    *,
    repeated: bool,
) -> list[Proof]:
    allowed = tolerance(graph)
    found = match(want, got, allowed, confidence=values.get("confidence", 0.0), iou=values.get("iou", 1.0))
    why = "; ".join((*found.problems, *found.unmatched))
    verdict = "OK" if found.same else "DIFFERS"
    points = f", keypoint {found.keypoint:.2g} px" if want.keypoints.shape[1] else ""
    distance = f"score {found.score:.2g}, box {found.box:.2g} px{points}"
    pixels = max(found.box, found.keypoint) / allowed.pixels
    used = math.inf if found.unmatched else max(found.score / allowed.score, pixels, found.mask / allowed.mask)
    rows = Proof(sample.name, graph.name, name, verdict, found.pairs, found.excused, repeated, distance, why, used=used)
    if not want.masks and not got.masks:
        return [rows]
    least = "none" if found.min_mask_iou is None else f"{found.min_mask_iou:.4f}"
    distance = f"{found.mask:.2g} of {allowed.mask:g}, least IoU {least}"
    masks = Proof(sample.name, graph.name, MASKS + name, verdict, found.masks, 0, repeated, distance, why)
    return [rows, masks]


def _classes(sample: Sample, graph: Graph, task: ClassifyTask, want: NDArray[Any], got: NDArray[Any]) -> Proof:
    match = match_classes(probabilities(task, want[0]), probabilities(task, got[0]), tolerance(graph).score)
    verdict = "DIFFERS" if not match.same else "OK" if match.says else "VACUOUS"
    distance = f"score {match.distance:.2g} of {match.allowed:.2g}"
    silent = "" if match.says else "all classes have the same score"
    why = silent if match.same else f"wanted class {match.want}, got class {match.got}; {distance}"
    used = match.distance / match.allowed
    return Proof(sample.name, graph.name, task.output, verdict, None, match.excused, False, distance, why, used=used)


def _depth(sample: Sample, graph: Graph, name: str, want: NDArray[Any], got: NDArray[Any]) -> Proof:
    match = match_depth(want, got, tolerance(graph).score)
    verdict = "DIFFERS" if not match.same else "VACUOUS" if match.silent else "OK"
    distance = f"absolute relative error {match.error:.2g} of {match.allowed:g}, at worst {match.worst:.2g}"
    why = match.problem or match.silent
    used = match.error / match.allowed
    return Proof(sample.name, graph.name, name, verdict, None, 0, False, distance, why, used=used)


def _phrases(sample: Sample, graph: Graph, values: Mapping[str, float], want: Answer, got: Answer) -> Proof:
    allowed = tolerance(graph)
    match = match_phrases(want.found, got.found, allowed, values["confidence"], values["textThreshold"])
    why = "; ".join((*match.problems, *match.unmatched))
    distance = f"score {match.score:.2g}, box {match.box:.2g} px"
    verdict = "OK" if match.same else "DIFFERS"
    used = math.inf if match.unmatched else max(match.score / allowed.score, match.box / allowed.pixels)
    return Proof(sample.name, graph.name, PHRASES, verdict, match.pairs, match.excused, False, distance, why, used=used)


def _regions(sample: Sample, graph: Graph, task: PanopticTask, want: Regions, got: Regions) -> Proof:
    allowed = tolerance(graph)
    match = match_regions(want, got, allowed, task.threshold)
    verdict = "OK" if match.same else "DIFFERS"
    least = "none" if match.least is None else f"{match.least:.4f}"
    mask = f"mask {match.mask:.2g} of {allowed.region:g}"
    distance = f"score {match.score:.2g}, {mask}, least IoU {least}, quality {match.quality:.4f}"
    why = "; ".join((*match.problems, *match.unmatched))
    used = math.inf if match.unmatched else max(match.score / allowed.score, match.mask / allowed.region)
    return Proof(sample.name, graph.name, REGIONS, verdict, match.pairs, match.excused, False, distance, why, used=used)


def _tensor(
    sample: Sample, graph: Graph, name: str, want: NDArray[Any], got: NDArray[Any] | None, *, repeated: bool
) -> Proof:
    relative = tolerance(graph).relative
    subject = Subject(runner=graph.name, sample=sample.name, stage="raw", output=name)
    result = compare(subject, want, got, relative=relative)
    place = f" at {list(result.worst)}: wanted {result.want}, got {result.got}" if result.verdict == "DIFFERS" else ""
    largest = "not finite" if result.max_abs is None else f"{result.max_abs:.2g}"
    distance = f"{largest} of {relative:g} x {result.signal:.3g}"
    why = result.why + place
    apart, allowed = result.max_abs, result.tolerance
    used = (math.inf if apart is None else apart / allowed) if allowed else None
    return Proof(
        sample.name, graph.name, name, result.verdict, None, 0, repeated, distance, why, apart=apart, used=used
    )
