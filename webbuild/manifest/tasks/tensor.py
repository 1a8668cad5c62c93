"""Tensors in, tensors out."""

from __future__ import annotations

from typing import Literal

from webbuild.manifest.manifest_struct import ManifestStruct
from webbuild.manifest.numbers import Count
from webbuild.manifest.tasks.task import Task


class JoinedTensor(ManifestStruct, kw_only=True, frozen=True):
    """Channels of a float32 output, from `first` up to `end` along `axis`, that the graph computes by themselves."""

    output: str
    axis: Literal[1, 3]
    first: Count
    end: Count


class TensorTask(Task, tag="tensor", kw_only=True, frozen=True):
    """A model about which nothing is known: tensors in, tensors out.

    `joined` are the tensors that the graph joins to an output as its last step, where one of them has the three
    channels of a picture; the one that takes most steps to compute is the first.
    """

    joined: list[JoinedTensor] = []
