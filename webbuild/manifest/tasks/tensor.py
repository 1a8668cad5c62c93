"""Models with plain tensors as inputs and outputs."""

from __future__ import annotations

from typing import Literal

from webbuild.manifest.manifest_struct import ManifestStruct
from webbuild.manifest.numbers import Count
from webbuild.manifest.tasks.task import Task


class JoinedTensor(ManifestStruct, kw_only=True, frozen=True):
    """Channels of a float32 output, from `first` up to `end` along `axis`, that are a separate tensor in the graph."""

    output: str
    axis: Literal[1, 3]
    first: Count
    end: Count


class TensorTask(Task, tag="tensor", kw_only=True, frozen=True):
    """A model with an unknown task: its inputs and outputs are plain tensors.

    `joined` are the tensors that the graph concatenates to an output as its last step, if one of them has the three
    channels of a picture; the first one takes the most steps to compute.
    """

    joined: list[JoinedTensor] = []
