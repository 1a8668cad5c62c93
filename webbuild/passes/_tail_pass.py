"""A pass that rewrites a detection tail: it finds one, or says why what it found is none."""

from __future__ import annotations

from abc import abstractmethod

import onnx_ir as ir

from webbuild.passes._base import Edit, Options, Pass
from webbuild.passes._tail import Tail, UnknownTailError, find_tail


class TailPass(Pass):
    """Rewrites the tail of a graph that has one of a known form, once: `done_before` is asked first."""

    def apply(self, model: ir.Model, options: Options) -> list[Edit]:
        """Find the tail and rewrite it; a form that is not known is a refusal."""
        if self.done_before(model):
            return []
        try:
            tail = find_tail(model)
        except UnknownTailError as reason:
            return [self.left(reason.where, reason.why)]
        return [] if tail is None else self.rewrite(model, tail, options)

    def done_before(self, model: ir.Model) -> bool:
        """Whether this pass has rewritten the model already."""
        return False

    @abstractmethod
    def rewrite(self, model: ir.Model, tail: Tail, options: Options) -> list[Edit]:
        """Change the model in place and return what was changed."""
