"""The golden run: a sample whose answers are known, for the bundle's self-test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from webbuild.bundle.weights import SHARD_BYTES
from webbuild.proof import Proof
from webbuild.samples import Sample

Arrays = Mapping[str, NDArray[Any]]


def golden_run(
    samples: Sequence[Sample], proofs: Sequence[Proof], answers: Mapping[str, Arrays], thresholds: Arrays
) -> tuple[Sample, Arrays] | None:
    """Choose the sample that says most and that no graph has to repeat.

    That is the one with the most objects or, where there are no objects, with the largest magnitude in the output
    that has the smallest.

    Args:
        samples: to choose from.
        proofs: of all of them.
        answers: what the WASM graph gave on native ONNX Runtime, by sample.
        thresholds: with which it was run, by input.

    Returns:
        The sample, its thresholds among the feeds, and its outputs; None without samples, and where a tensor is larger
        than a file of a bundle may be.
    """
    if not samples:
        return None
    repeated = {proof.sample for proof in proofs if proof.repeated}
    counts = {proof.sample: proof.objects or 0 for proof in proofs if proof.sample not in repeated}
    able = [sample for sample in samples if sample.name in counts] or [samples[0]]
    if any(counts.values()):
        best = max(able, key=lambda sample: counts[sample.name])
    else:
        best = max(able, key=lambda sample: _weakest(answers[sample.name]))
    recorded = [*best.feeds.values(), *answers[best.name].values()]
    if any(array.nbytes > SHARD_BYTES for array in recorded):
        return None
    return msgspec.structs.replace(best, feeds={**best.feeds, **thresholds}), answers[best.name]


def _weakest(outputs: Arrays) -> float:
    """Return the largest magnitude of the output that has the smallest; nothing for one that is not finite."""
    largest = (float(np.abs(a.astype(np.float64)).max(initial=0.0)) for a in outputs.values())
    return min((value if np.isfinite(value) else 0.0 for value in largest), default=0.0)
