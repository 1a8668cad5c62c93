"""Phrases: what a prompt names, and where it is."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from webbuild.facts import ModelFacts
from webbuild.manifest import PhrasesTask
from webbuild.tasks._base import Guess, Tensors
from webbuild.tasks.detection import Box, Detection
from webbuild.tasks.geometry import Placement
from webbuild.tasks.grounded import guess_grounded
from webbuild.tasks.prompt import Prompt

OPTIONS = ("confidence", "textThreshold")
"""The thresholds, as the caller of the runtime names them."""


class PhraseFound(Detection, frozen=True, rename="camel", kw_only=True):
    """A detection whose `label` are the words that were found, and whose class is a phrase of the prompt.

    `margin` is how far the token's score is from the threshold of words that is nearest to it.
    """

    margin: float = 1.0


class PhrasesKind:
    """See `PhrasesTask` for what a query says."""

    kind = "phrases"

    def guess(self, facts: ModelFacts, *, asked: bool = False) -> Guess | None:
        """Recognise detectors that take a prompt by the names of what goes in and comes out."""
        return guess_grounded(facts)

    def decode(self, task: PhrasesTask, outputs: Tensors, placement: Placement | None) -> Sequence[Detection]:
        """Return nothing: what the outputs say hangs on the prompt, see `read_phrases`."""
        return []


def thresholds(task: PhrasesTask) -> dict[str, float]:
    """Return the exported thresholds by option."""
    return {"confidence": task.confidence, "textThreshold": task.text_threshold}


def read_phrases(
    task: PhrasesTask,
    outputs: Tensors,
    prompt: Prompt,
    placement: Placement,
    values: Mapping[str, float],
) -> list[PhraseFound]:
    """Return what was found, best first, in source pixels; `values` are the thresholds by option."""
    logits, boxes = outputs[task.output][0], outputs[task.boxes][0]
    with np.errstate(over="ignore"):
        scores = 1 / (1 + np.exp(-logits.astype(np.float64)))
    best = scores.max(axis=1)
    kept = [int(query) for query in np.flatnonzero(best > values["confidence"])]
    kept.sort(key=lambda query: -best[query])
    return [_found(prompt, scores[query], boxes[query], placement, values["textThreshold"]) for query in kept]


def _found(
    prompt: Prompt, scores: NDArray[np.float64], box: NDArray[np.float32], placement: Placement, text: float
) -> PhraseFound:
    last = min(len(scores) - 1, len(prompt.ids))
    read = [place for place in range(1, last) if scores[place] > text]
    label = prompt.reader.decode([prompt.ids[place] for place in read]).replace(".", "")
    token = int(scores.argmax())
    phrase = min(max(bisect_left(prompt.ends, token) - 1, 0), len(prompt.phrases) - 1)
    x, y, width, height = box.astype(np.float64)
    size = (placement.input_width, placement.input_height)
    corners = np.array([[x - width / 2, y - height / 2], [x + width / 2, y + height / 2]]) * size
    margin = float(np.abs(scores[1:last] - text).min(initial=1.0))
    return PhraseFound(
        box=Box(*placement.to_source(corners, clamp=True).ravel().tolist()),
        score=float(scores[token]),
        class_index=phrase,
        label=label,
        margin=margin,
    )


TASK = PhrasesKind()
