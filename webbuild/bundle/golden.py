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
    """Choose the sample with the most objects that no graph has to repeat, and compute its outputs.

    Returns:
        The sample, its thresholds among the feeds, and the outputs of the WASM graph on native ONNX Runtime;
        None without samples.
    """
    if not samples:
        return None
    repeated = {proof.sample for proof in proofs if proof.repeated}
    counts = {proof.sample: proof.objects or 0 for proof in proofs if proof.sample not in repeated}
    best = max((s for s in samples if s.name in counts), key=lambda s: counts[s.name], default=samples[0])
    thresholds = {option.name: np.array([trial[option.option]], np.float32) for option in options}
    complete = msgspec.structs.replace(best, feeds={**best.feeds, **thresholds})
    graph = next(graph for graph in graphs if graph.target == "wasm")
    runner = NativeRunner(folder / graph.file)
    outputs = runner.run(complete.feeds)
    runner.close()
    return complete, outputs
