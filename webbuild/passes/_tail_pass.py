"""A pass that rewrites a detection tail: it finds one, or says why what it found is none."""

from __future__ import annotations

from abc import abstractmethod
from typing import Generic, TypeVar

import onnx_ir as ir

from webbuild.passes._base import Edit, Options, Pass
from webbuild.passes._box_tail import find_box_tail
from webbuild.passes._follow import UnknownTailError
from webbuild.passes._graph import nodes_of
from webbuild.passes._rotated_tail import find_rotated_tail
from webbuild.passes._selection import Selection, find_selection
from webbuild.passes._tail import Tail

Form = TypeVar("Form", bound=Tail | Selection)


KEY = "webbuild.tail"
"""Metadata key under which the pass that gave the tail its final form is kept."""


class TailPass(Pass, Generic[Form]):
    """Rewrites the tail of a graph that has one of its form, once: `done_before` is asked first."""

    suppresses = True
    form: type[Form] | tuple[type[Form], ...]
    """The kind of tail that it rewrites; another kind is for another pass."""

    def apply(self, model: ir.Model, options: Options) -> list[Edit]:
        """Find the tail and rewrite it; a form that is not known is a refusal."""
        if self.done_before(model):
            return []
        try:
            tail = find_tail(model)
        except UnknownTailError as reason:
            return [self.left(reason.where, reason.why)]
        if not isinstance(tail, self.form):
            return []
        edits = self.rewrite(model, tail, options)
        if self.target is not None:
            model.metadata_props[KEY] = self.code
        return edits

    def done_before(self, model: ir.Model) -> bool:
        """Whether the tail has its final form: parts of it that were kept would be found again."""
        return KEY in model.metadata_props

    @abstractmethod
    def rewrite(self, model: ir.Model, tail: Form, options: Options) -> list[Edit]:
        """Change the model in place and return what was changed."""


def find_tail(model: ir.Model) -> Tail | Selection | None:
    """Return the tail of the graph, None if it has none.

    Raises:
        UnknownTailError: it has one of no known form.
    """
    try:
        return find_box_tail(model) or find_rotated_tail(model)
    except UnknownTailError:
        if any(nodes_of(model, "NonZero")):
            raise
        return find_selection(model)
