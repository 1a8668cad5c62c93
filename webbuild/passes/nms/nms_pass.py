"""Base class of passes that rewrite NMS: it matches the nodes of NMS, or reports why they do not match."""

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
"""Metadata key: the code of the pass that gave NMS its final form."""


class NmsPass(Pass, Generic[Pattern]):
    """A pass that rewrites NMS of its pattern, once: `is_already_rewritten` decides."""

    scope = "main graph"
    rewrites_nms = True
    pattern: type[Pattern] | tuple[type[Pattern], ...]
    """The kinds of NMS that the pass rewrites; other passes rewrite the others."""

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        """Find the NMS and rewrite it; an unknown form is a refusal."""
        if self.is_already_rewritten(model):
            return []
        try:
            tail = _find_nms(model)
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
        """Whether NMS has its final form, of which remaining nodes could match again."""
        return NMS_REWRITTEN_KEY in model.metadata_props

    @abstractmethod
    def rewrite(self, model: ir.Model, tail: Pattern, options: PassOptions) -> list[Rewrite]:
        """Change the model in place and return the changes and refusals."""


def _subgraph_reader(model: ir.Model, tail: NmsPattern | GenericNmsPattern) -> ir.Node | None:
    """Return a node of a branch or a loop that reads a value whose number of rows the pass fixes, None if none does."""
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


def _find_nms(model: ir.Model) -> NmsPattern | GenericNmsPattern | None:
    """Return the NMS of the graph, None if it has none.

    Raises:
        UnknownNmsPatternError: its form is not known.
    """
    try:
        return find_box_nms(model) or find_rotated_nms(model)
    except UnknownNmsPatternError:
        if any(find_nodes(model, "NonZero")):
            raise
        return find_generic_nms(model)
