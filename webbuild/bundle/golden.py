"""The golden run: a sample whose answers are known, for the bundle's self-test."""

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
REDUCED = (" fp16", " mixed")
"""Ends of the names of graphs in half precision; see `Graph.name`."""


class GoldenRun(Struct, frozen=True):
    """A run with known answers. `uint8_inputs` are those of its inputs that are kept as such.

    `sequence` are outputs of the last of `STEPS` such runs of a model with states.
    """

    sample: Sample
    outputs: Arrays
    uint8_inputs: Mapping[str, NDArray[np.uint8]] = {}
    sequence: Arrays = {}


def choose_golden_run(
    samples: Sequence[Sample], comparisons: Sequence[Comparison], answers: Mapping[str, Arrays], thresholds: Arrays
) -> GoldenRun | None:
    """Choose the sample for the self-test, among those that need no fallback on any graph.

    With a float16 graph it is the sample, with detections if there are any, on which that graph comes
    nearest to its tolerance. Else it is the one with the most objects or, where there are no objects, with the largest
    magnitude in the output that has the smallest.

    Args:
        samples: to choose from.
        comparisons: on all of them.
        answers: what the WASM graph gave on native ONNX Runtime, by sample.
        thresholds: with which it was run, by input.

    Returns:
        The sample, its thresholds among the feeds, and its outputs; None without samples, and where a tensor is larger
        than a file of a bundle may be.
    """
    if not samples:
        return None
    elsewhere = {each.subject.sample for each in comparisons if each.from_fallback}
    groups = group_by_output(each for each in comparisons if each.subject.sample not in elsewhere)
    counts = {sample: matched_objects(group) or 0 for (sample, *_), group in groups.items()}
    able = [sample for sample in samples if sample.name in counts] or [samples[0]]
    used = _tolerance_used(comparisons)
    finds = any(counts.values())
    if shown := [each for each in able if used.get(each.name) and (counts.get(each.name) or not finds)]:
        best = max(shown, key=lambda sample: used[sample.name])
    elif finds:
        best = max(able, key=lambda sample: counts[sample.name])
    else:
        best = max(able, key=lambda sample: _smallest_magnitude(answers[sample.name]))
    recorded = [*best.feeds.values(), *answers[best.name].values()]
    if any(array.nbytes > SHARD_BYTES for array in recorded):
        return None
    return GoldenRun(msgspec.structs.replace(best, feeds={**best.feeds, **thresholds}), answers[best.name])


def _tolerance_used(comparisons: Sequence[Comparison]) -> dict[str, float]:
    """Return by sample the largest part of a tolerance that a graph in half precision uses."""
    used: dict[str, float] = {}
    for each in comparisons:
        if each.subject.runner.endswith(REDUCED):
            used[each.subject.sample] = max(used.get(each.subject.sample, 0.0), each.tolerance_used)
    return used


def with_uint8_images(recorded: GoldenRun, inputs: Sequence[Input], graphs: Sequence[Graph], folder: Path) -> GoldenRun:
    """Return the run with its pictures rounded to whole levels, a quarter of the bytes, and the answers to those.

    As it was where a graph would have to repeat that run, or would find nothing any more.

    Args:
        recorded: as `choose_golden_run` chose it.
        inputs: of the model.
        graphs: those of the bundle.
        folder: in which they lie.
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
            continue  # what has no fallback cannot ask for it
        runner = NativeRunner(folder / graph.file)
        answers[graph.target] = runner.run(feeds)
        runner.close()
        if fallback_reason(graph, answers[graph.target]):
            return recorded
    outputs = {name: answers["wasm"][name] for name in recorded.outputs}
    if _smallest_magnitude(outputs) < _smallest_magnitude(recorded.outputs) / 2:
        return recorded
    return GoldenRun(msgspec.structs.replace(recorded.sample, feeds=feeds), outputs, levels)


def _smallest_magnitude(outputs: Arrays) -> float:
    """Return the largest magnitude of the output that has the smallest; nothing for one that is not finite."""
    largest = (float(np.abs(a.astype(np.float64)).max(initial=0.0)) for a in outputs.values())
    return min((value if np.isfinite(value) else 0.0 for value in largest), default=0.0)
