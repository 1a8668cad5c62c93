"""The golden run: a sample with known outputs, for the bundle's self-test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.bundle.weight_shards import SHARD_BYTES
from webbuild.compare.by_output import group_by_output, matched_objects
from webbuild.compare.comparison import Comparison
from webbuild.manifest.detection_head_status import fallback_reason
from webbuild.manifest.manifest import Graph, Input, PictureInput, StackInput
from webbuild.manifest.uint8_tensors import from_uint8, to_uint8
from webbuild.runners.native import NativeRunner
from webbuild.samples.sample import Sample

Arrays = Mapping[str, NDArray[Any]]
TOLERANCE = 0.02
"""The difference that the self-test allows, relative to an output's root mean square; see `golden-compare.ts`."""
_REDUCED = (" fp16", " mixed")
"""Suffixes of the names of graphs in half precision; see `Graph.name`."""


class GoldenRun(Struct, frozen=True):
    """A run with known outputs. `uint8_inputs` are the inputs that are stored as bytes.

    `sequence` are outputs of the last of `STEPS` consecutive runs of a model with states. `tolerance` is the relative
    difference that the self-test allows.
    """

    sample: Sample
    outputs: Arrays
    uint8_inputs: Mapping[str, NDArray[np.uint8]] = {}
    sequence: Arrays = {}
    tolerance: float = TOLERANCE


def choose_golden_run(
    samples: Sequence[Sample], comparisons: Sequence[Comparison], answers: Mapping[str, Arrays], thresholds: Arrays
) -> GoldenRun | None:
    """Choose the sample for the self-test, among the samples that need no fallback on any graph.

    With a float16 graph it is the sample (with detections, if any sample has some) on which that graph comes nearest to
    its tolerance. Otherwise it is the sample with the most objects; if there are no objects, the sample whose smallest
    output magnitude is largest.

    Args:
        samples: the samples to choose from.
        comparisons: comparisons on all of them.
        answers: outputs of the WASM graph on native ONNX Runtime, by sample.
        thresholds: the thresholds of those runs, by input.

    Returns:
        The sample, with its thresholds among the feeds, and its outputs. None without samples, or if a tensor is larger
        than a file of a bundle may be.
    """
    if not samples:
        return None
    on_fallback = {each.subject.sample for each in comparisons if each.from_fallback}
    groups = group_by_output(each for each in comparisons if each.subject.sample not in on_fallback)
    counts = {sample: matched_objects(group) or 0 for (sample, *_), group in groups.items()}
    candidates = [sample for sample in samples if sample.name in counts] or [samples[0]]
    used = _tolerance_used(comparisons)
    finds = any(counts.values())
    if reduced := [each for each in candidates if used.get(each.name) and (counts.get(each.name) or not finds)]:
        best = max(reduced, key=lambda sample: used[sample.name])
    elif finds:
        best = max(candidates, key=lambda sample: counts[sample.name])
    else:
        best = max(candidates, key=lambda sample: _smallest_magnitude(answers[sample.name]))
    recorded = [*best.feeds.values(), *answers[best.name].values()]
    if any(array.nbytes > SHARD_BYTES for array in recorded):
        return None
    return GoldenRun(msgspec.structs.replace(best, feeds={**best.feeds, **thresholds}), answers[best.name])


def _tolerance_used(comparisons: Sequence[Comparison]) -> dict[str, float]:
    """Return, by sample, the largest fraction of a tolerance that a graph in half precision uses."""
    used: dict[str, float] = {}
    for each in comparisons:
        if each.subject.runner.endswith(_REDUCED):
            used[each.subject.sample] = max(used.get(each.subject.sample, 0.0), each.tolerance_used)
    return used


def with_uint8_images(recorded: GoldenRun, inputs: Sequence[Input], graphs: Sequence[Graph], folder: Path) -> GoldenRun:
    """Return the run with its pictures rounded to integer levels, a quarter of the bytes, and the outputs for these.

    The run is returned unchanged if a graph would then need its fallback, or the output magnitude would halve.

    Args:
        recorded: the run that `choose_golden_run` chose.
        inputs: the inputs of the model.
        graphs: the graphs of the bundle.
        folder: the folder of the graphs.
    """
    pictures = {
        spec.name: spec for spec in inputs if isinstance(spec, PictureInput | StackInput) and spec.dtype == "float32"
    }
    levels = {name: to_uint8(recorded.sample.feeds[name], spec) for name, spec in pictures.items()}
    feeds = {**recorded.sample.feeds, **{name: from_uint8(levels[name], spec) for name, spec in pictures.items()}}
    if not levels:
        return recorded
    answers: dict[str, Arrays] = {}
    for graph in graphs:
        if graph.precision != "fp32" or (graph.target != "wasm" and graph.head_status is None):
            continue  # no fallback to check
        runner = NativeRunner(folder / graph.file)
        answers[graph.target] = runner.run(feeds)
        runner.close()
        if fallback_reason(graph, answers[graph.target]):
            return recorded
    outputs = {name: answers["wasm"][name] for name in recorded.outputs}
    if _smallest_magnitude(outputs) < _smallest_magnitude(recorded.outputs) / 2:
        return recorded
    sample = msgspec.structs.replace(recorded.sample, feeds=feeds)
    return msgspec.structs.replace(recorded, sample=sample, outputs=outputs, uint8_inputs=levels)


def _smallest_magnitude(outputs: Arrays) -> float:
    """Return the smallest of the outputs' largest magnitudes; an output that is not finite counts as 0."""
    largest = (float(np.abs(a.astype(np.float64)).max(initial=0.0)) for a in outputs.values())
    return min((value if np.isfinite(value) else 0.0 for value in largest), default=0.0)
