"""Models that decide on the way to their answer: how far the original itself leaps when its input is rounded.

Mask2Former attends where its own masks are above one half, and asks that of a million numbers in each layer. Another
order of summation moves one of them across, and the layers behind it make a thousandth of that. No tolerance of
rounding holds then. So the original is asked: it runs the sample again, its input changed by one part in a million,
several times. A difference that it makes itself is no difference of the graphs, if, on another sample, they agree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from webbuild.equivalence.compare_outputs import OutputComparison

PERTURBED_RUNS = 12
NOISE_FACTOR = 2.0
"""How much larger than the original's own largest leap a difference may be."""
MAX_NOISE = 0.05
"""Leap from which on nothing could be told apart any more, relative to the output's largest magnitude."""

Arrays = Mapping[str, NDArray[Any]]
RunPerturbed = Callable[[str, int], Arrays]
"""From the name of a sample and a seed to the original's answer on the sample, changed."""


def accept_within_noise(
    proofs: Sequence[OutputComparison], wanted: Mapping[str, Arrays], again: RunPerturbed
) -> list[OutputComparison]:
    """Judge anew what differs by no more than the original's own answer leaps by.

    Args:
        proofs: of all samples, outputs and graphs. A run that was repeated is the fallback's, and vouches for nothing.
        wanted: the original's answers, by sample.
        again: runs the original on a changed sample. It is asked only where something differs, and no more often than
            it takes to explain it.

    Returns:
        The proofs, some of them now OK, with the leap that explains them.
    """
    agreed = {(proof.target, proof.output) for proof in proofs if proof.verdict == "OK" and not proof.repeated}
    judged = list(proofs)
    for sample in dict.fromkeys(proof.sample for proof in proofs):
        open_ = {
            number: proof.apart
            for number, proof in enumerate(proofs)
            if proof.sample == sample and proof.verdict == "DIFFERS" and proof.apart is not None
            if (proof.target, proof.output) in agreed
        }
        leaps: dict[str, float] = {}
        for seed in range(PERTURBED_RUNS):
            if not open_:
                break
            answer = again(sample, seed)
            for number, apart in list(open_.items()):
                name = proofs[number].output
                leap = leaps[name] = max(leaps.get(name, 0.0), _output_change(wanted[sample][name], answer.get(name)))
                if apart <= NOISE_FACTOR * leap:
                    judged[number] = _accepted(proofs[number], leap)
                    del open_[number]
    return judged


def _output_change(want: NDArray[Any], got: NDArray[Any] | None) -> float:
    """Return the largest difference; 0 where there is none that means anything, or so large that nothing would."""
    if got is None or got.shape != want.shape or want.dtype.kind != "f" or not want.size:
        return 0.0
    with np.errstate(invalid="ignore"):
        apart = np.abs(want.astype(np.float64) - got.astype(np.float64))
    largest = float(np.where(want == got, 0.0, apart).max())
    finite = np.abs(want[np.isfinite(want)])
    return largest if finite.size and largest <= MAX_NOISE * float(finite.max()) else 0.0


def _accepted(proof: OutputComparison, leap: float) -> OutputComparison:
    distance = f"{proof.distance}; one part in a million of the input moves the original by {leap:.2g}"
    return msgspec.structs.replace(proof, verdict="OK", distance=distance, why="", leap=leap)
