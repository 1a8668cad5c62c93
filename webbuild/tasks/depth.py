"""Depth: how far away each pixel of a picture is, from one picture or from a stack of differently focused ones."""

from __future__ import annotations

from collections.abc import Sequence

from webbuild.facts import ModelFacts
from webbuild.manifest import DepthTask
from webbuild.tasks._base import Guess, Tensors
from webbuild.tasks.depth_map import DepthMap, extent, read_map
from webbuild.tasks.focal_stack import guess_stack
from webbuild.tasks.geometry import Placement
from webbuild.tasks.single_depth import guess_single


class DepthKind:
    """See `DepthTask` for what a map is."""

    kind = "depth"

    def guess(self, facts: ModelFacts, *, asked: bool = False) -> Guess | None:
        """Recognise models whose outputs, or whose configuration beside them, say that they are about depth."""
        return guess_stack(facts, asked=asked) or guess_single(facts, asked=asked)

    def decode(self, task: DepthTask, outputs: Tensors, placement: Placement | None) -> Sequence[DepthMap]:
        """Return the one map there is, over the source picture."""
        assert placement is not None
        depth = read_map(outputs[task.output], placement)
        confidence = None if task.confidence is None else read_map(outputs[task.confidence], placement)
        return [DepthMap(depth, confidence, *extent(depth))]


TASK = DepthKind()
