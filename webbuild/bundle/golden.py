"""The golden run: a sample whose answers are known, for the bundle's self-test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from webbuild.manifest import Graph, OptionInput
from webbuild.proof import Proof
from webbuild.samples import Sample
from webbuild.verify.native import NativeRunner


def golden_run(
    samples: Sequence[Sample],
    proofs: Sequence[Proof],
    graphs: Sequence[Graph],
    folder: Path,
    options: Sequence[OptionInput],
    trial: Mapping[str, float],
) -> tuple[Sample, Mapping[str, NDArray[Any]]] | None:
    """Choose the sample that says most and that no graph has to repeat, and compute its outputs.

    That is the one with the most objects or, where there are no objects, with the largest magnitude in the output
    that has the smallest.

    Returns:
        The sample, its thresholds among the feeds, and the outputs of the WASM graph on native ONNX Runtime;
        None without samples.
    """
    if not samples:
        return None
    repeated = {proof.sample for proof in proofs if proof.repeated}
    counts = {proof.sample: proof.objects or 0 for proof in proofs if proof.sample not in repeated}
    thresholds = {option.name: np.array([trial[option.option]], np.float32) for option in options}
    runner = NativeRunner(folder / next(graph for graph in graphs if graph.target == "wasm").file)
    able = [sample for sample in samples if sample.name in counts] or [samples[0]]
    if any(counts.values()):
        best = max(able, key=lambda sample: counts[sample.name])
    else:
        best = max(able, key=lambda sample: _weakest(runner.run({**sample.feeds, **thresholds})))
    complete = msgspec.structs.replace(best, feeds={**best.feeds, **thresholds})
    outputs = runner.run(complete.feeds)
    runner.close()
    return complete, outputs


def _weakest(outputs: Mapping[str, NDArray[Any]]) -> float:
    """Return the largest magnitude of the output that has the smallest; nothing for one that is not finite."""
    largest = (float(np.abs(a.astype(np.float64)).max(initial=0.0)) for a in outputs.values())
    return min((value if np.isfinite(value) else 0.0 for value in largest), default=0.0)
