"""What the backends are judged against: native ONNX Runtime on the bundle's own graph, itself checked first."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.errors import WebbuildError
from webbuild.manifest import ClassifyTask, DepthTask, PanopticTask, PhrasesTask, RowTask, Task
from webbuild.nodes import outputs_within_one
from webbuild.tasks._base import decode
from webbuild.tasks.classify import ClassScore, probabilities
from webbuild.tasks.depth_map import DepthMap
from webbuild.tasks.detection import Detection
from webbuild.tasks.objects import of_rows
from webbuild.tasks.phrases import read_phrases
from webbuild.tasks.region_shapes import shapes
from webbuild.tasks.regions import Regions
from webbuild.verify.classes import compare_classes
from webbuild.verify.compare import Comparison, Stage, Subject, compare
from webbuild.verify.depths import compare_depth
from webbuild.verify.detections import compare_detections, thresholds, tolerance
from webbuild.verify.inputs import Given, options
from webbuild.verify.joined import whole
from webbuild.verify.native import NativeRunner
from webbuild.verify.opened import Bundle, golden
from webbuild.verify.phrased import trial

ROUNDING = 1e-6
"""How far apart right probabilities may lie however small: 1 / (1 + e) is rounded at the size of 1."""


class Expected(Struct, frozen=True):
    """The reference's answer to one input: the manifest's outputs, and what they say in the words of the task."""

    outputs: dict[str, NDArray[Any]]
    detections: tuple[Detection, ...]
    classes: tuple[ClassScore, ...] = ()
    depth: DepthMap | None = None
    regions: Regions | None = None


def reference_runner(bundle: Bundle) -> NativeRunner:
    """Open the graph with the model's own operators: the one for WASM.

    Raises:
        WebbuildError: `native-refused`, `cannot-join`.
    """
    with whole(bundle, bundle.graph("wasm") or bundle.manifest.graphs[-1]) as path:
        return NativeRunner(path)


def expect(bundle: Bundle, runner: NativeRunner, given: Given) -> Expected:
    """Compute the reference's answer.

    Raises:
        WebbuildError: `native-failed`, `missing-output`.
    """
    outputs = runner.run(given.feeds)
    missing = [spec.name for spec in bundle.manifest.outputs if spec.name not in outputs]
    if missing:
        raise WebbuildError(
            "missing-output",
            f"{runner.path.name} does not compute {', '.join(missing)}, which the manifest promises",
            "pack the model again",
        )
    named = {spec.name: outputs[spec.name] for spec in bundle.manifest.outputs}
    task = bundle.manifest.task
    found: Sequence[Detection] = ()
    if isinstance(task, PhrasesTask) and given.prompt is not None and given.placement is not None:
        found = read_phrases(task, named, given.prompt, given.placement, trial(bundle.manifest))
    if isinstance(task, RowTask) and given.placement is not None:
        found = decode(task, named, given.placement)
    classes: Sequence[ClassScore] = decode(task, named, None) if isinstance(task, ClassifyTask) else ()
    depth = decode(task, named, given.placement)[0] if isinstance(task, DepthTask) and given.placement else None
    return divided(task, given, Expected(named, tuple(found), tuple(classes), depth))


def divided(task: Task, given: Given, expected: Expected) -> Expected:
    """Return the answer with its regions, if the task has any."""
    if not isinstance(task, PanopticTask) or given.placement is None:
        return expected
    (regions,) = decode(task, expected.outputs, given.placement)
    return msgspec.structs.replace(expected, regions=regions, detections=shapes(regions))


def compare_raw(
    bundle: Bundle, runner: str, sample: str, stage: Stage, want: dict[str, Any], got: dict[str, Any]
) -> list[Comparison]:
    """Judge outputs as they come from the engine: rows of detections matched, everything else element by element.

    A runner that has the name of a graph in reduced precision may be as far off as that.
    """
    task, allowed = bundle.manifest.task, tolerance(bundle.graph(runner))
    found: list[Comparison] = []
    within_one = _within_one(reference_file(bundle), _state(reference_file(bundle)))
    for name, array in want.items():
        subject, other = Subject(runner, sample, stage, name), got.get(name)
        like = other is not None and other.shape == array.shape and other.dtype == array.dtype
        if isinstance(task, RowTask) and name == task.output and other is not None and like:
            at = thresholds(bundle.manifest)
            sides = of_rows(task, array[0]), of_rows(task, other[0])
            found += compare_detections(task, subject, *sides, at, tolerance=allowed).comparisons
        elif isinstance(task, ClassifyTask) and name == task.output and other is not None and like:
            scores = probabilities(task, array[0]), probabilities(task, other[0])
            found += compare_classes(task, subject, *scores, tolerance=allowed)
        elif isinstance(task, DepthTask) and name == task.output and other is not None and like:
            found.append(compare_depth(subject, array, other, tolerance=allowed))
        else:
            rounding = ROUNDING if name in within_one else 0.0
            found.append(compare(subject, array, other, rounding=rounding, relative=allowed.relative))
    return found


def reference_file(bundle: Bundle) -> Path:
    """Return the file of the graph that is the reference, its weights perhaps in parts beside it."""
    return bundle.stored(bundle.graph("wasm") or bundle.manifest.graphs[-1])


def _state(path: Path) -> tuple[int, int]:
    """Return what changes with a file's content."""
    status = path.stat()
    return status.st_mtime_ns, status.st_size


@cache
def _within_one(path: Path, _state: tuple[int, int]) -> frozenset[str]:
    """Read the graph once, not for each output of each sample on each backend."""
    return outputs_within_one(path)


def check_golden(bundle: Bundle, runner: NativeRunner) -> list[Comparison]:
    """Judge the reference itself against the answers recorded when the bundle was packed."""
    recorded = golden(bundle)
    if recorded is None:
        return []
    inputs, wanted = recorded
    got = runner.run({**options(bundle.manifest), **inputs})
    native = {name: np.array(value) for name, value in wanted.items()}
    return compare_raw(bundle, "native", "golden", "golden", native, got)
