"""Base class of passes that rewrite a detection tail: it matches the tail, or says why it does not."""

from __future__ import annotations

from abc import abstractmethod
from typing import Generic, TypeVar

import onnx_ir as ir

from webbuild.passes.analysis.use_def import UnknownNmsPatternError
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.nms.box_pattern import find_box_nms
from webbuild.passes.nms.generic_pattern import GenericNmsPattern, find_generic_nms
from webbuild.passes.nms.pattern import NmsPattern
from webbuild.passes.nms.rotated_pattern import find_rotated_nms
from webbuild.passes.rewrite import consumers, find_nodes

Pattern = TypeVar("Pattern", bound=NmsPattern | GenericNmsPattern)


NMS_REWRITTEN_KEY = "webbuild.tail"
"""Metadata key under which the pass that gave the tail its final form is kept."""


class NmsPass(Pass, Generic[Pattern]):
    """Rewrites the tail of a graph that has one of its pattern, once: `is_already_rewritten` decides."""

    scope = "main graph"
    rewrites_nms = True
    pattern: type[Pattern] | tuple[type[Pattern], ...]
    """The kind of tail that it rewrites; another kind is for another pass."""

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        """Find the tail and rewrite it; a form that is not known is a refusal."""
        if self.is_already_rewritten(model):
            return []
        try:
            tail = find_nms(model)
        except UnknownNmsPatternError as unknown:
            return [self.skipped(unknown.where, unknown.reason)]
        if not isinstance(tail, self.pattern):
            return []
        if self.target is not None and (reader := _subgraph_reader(model, tail)) is not None:
            return [self.skipped(tail.where, f"{reader.op_type} '{reader.name}' in a branch or a loop reads its rows")]
        rewrites = self.rewrite(model, tail, options)
        if self.target is not None and any(rewrite.applied for rewrite in rewrites):
            model.metadata_props[NMS_REWRITTEN_KEY] = self.code
        return rewrites

    def is_already_rewritten(self, model: ir.Model) -> bool:
        """Whether the tail has its final form: parts of it that were kept would be found again."""
        return NMS_REWRITTEN_KEY in model.metadata_props

    @abstractmethod
    def rewrite(self, model: ir.Model, tail: Pattern, options: PassOptions) -> list[Rewrite]:
        """Change the model in place and return what was changed."""


def _subgraph_reader(model: ir.Model, tail: NmsPattern | GenericNmsPattern) -> ir.Node | None:
    """Return a node of a branch or a loop that reads what becomes a fixed number of rows, None if there is none."""
    first = [tail.nms] if isinstance(tail, GenericNmsPattern) else [*tail.mask.gathers, tail.nms_node]
    waiting = [value for node in first for value in node.outputs]
    seen = set(waiting)
    while waiting:
        for node in consumers(waiting.pop()):
            if node.graph is not model.graph:
                return node
            waiting += [value for value in node.outputs if value not in seen]
            seen.update(node.outputs)
    return None


def find_nms(model: ir.Model) -> NmsPattern | GenericNmsPattern | None:
    """Return the tail of the graph, None if it has none.

    Raises:
        UnknownNmsPatternError: it has one of no known form.
    """
    try:
        return find_box_nms(model) or find_rotated_nms(model)
    except UnknownNmsPatternError:
        if any(find_nodes(model, "NonZero")):
            raise
        return find_generic_nms(model)
