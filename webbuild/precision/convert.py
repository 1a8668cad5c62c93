"""A float32 graph made float16, except where that would be wrong."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import onnx_ir as ir
from msgspec import Struct

from webbuild.inspection.graph import read
from webbuild.precision.between import between
from webbuild.precision.inspected import refused
from webbuild.precision.masks import soften
from webbuild.precision.names import name_nodes
from webbuild.precision.rewire import Rewiring, chosen_nodes
from webbuild.precision.rules import reasons
from webbuild.precision.slots import Slots, slots
from webbuild.targets.table import Table

ASKED = "kept as asked"


class Halved(Struct, frozen=True):
    """A graph in which what can be is float16.

    Attributes:
        model: the graph; its inputs and outputs are float32, unless asked.
        casts: Casts that run in every run, besides those that were there.
        kept: why nodes of float32 stayed so, by name.
        halved: names of the nodes that became float16.
        masks: names of constants that stood for a mask and were beyond float16: they became -1e4.
    """

    model: ir.Model
    casts: int
    kept: dict[str, str]
    halved: tuple[str, ...]
    masks: tuple[str, ...]


class Convertible(Struct, frozen=True):
    """A graph that was looked at once, to be converted many times.

    `model` is a copy of float32, every node with a name. `able` are the nodes that could be float16 by their operator,
    by name; `kept` says why some of them, and others, must not be.
    """

    model: ir.Model
    able: tuple[str, ...]
    kept: dict[str, str]
    masks: tuple[str, ...]

    def halved(
        self, keep: Collection[str] = (), why: str = ASKED, *, border: bool = True, stored: bool = True
    ) -> Halved:
        """Convert, and keep what must be and, for the reason that is given, these nodes. See `to_half`."""
        model = self.model.clone()
        found = able(model)
        kept = {**dict.fromkeys(keep, why), **self.kept}
        kept |= between(model.graph, chosen_nodes(model.graph, found, kept), border=border)
        chosen = chosen_nodes(model.graph, found, kept)
        names = {node.name for node in model.graph}
        rewiring = Rewiring(model.graph, chosen, border=border, stored=stored)
        rewiring.run()
        told = {name: why for name, why in kept.items() if name in names}
        return Halved(model, rewiring.casts, told, tuple(node.name or "" for node in chosen), self.masks)


def to_half(
    model: ir.Model,
    keep: Collection[str] = (),
    table: Table | None = None,
    *,
    ranges: Mapping[str, str] | None = None,
    border: bool = True,
    stored: bool = True,
) -> Halved:
    """Convert a clone of a graph to float16.

    Index arithmetic, the computation of shapes, and inner graphs are never touched.

    Args:
        model: a graph of float32 with fixed sizes; it stays as it is.
        keep: names of nodes that stay float32 besides those that have to.
        table: what the target can do; without one nothing is known of its kernels.
        ranges: why nodes must stay float32 by the numbers that went through them, by name.
        border: whether the graph's inputs and outputs stay float32.
        stored: whether the weights of nodes that stay float32 are kept as float16, where that changes them by
            rounding only.
    """
    return convertible(model, table, ranges).halved(keep, border=border, stored=stored)


def softened(model: ir.Model) -> tuple[ir.Model, tuple[str, ...]]:
    """Return a copy whose nodes have names and whose masks are within float16, and the names of those constants.

    It holds its numbers itself, so that it can be run and written anywhere.
    """
    copy, _ = read(model, {})
    for graph in copy.graphs():
        for name, value in graph.initializers.items():
            if isinstance(value.const_value, ir.ExternalTensor):
                value.const_value = ir.tensor(value.const_value.numpy(), name=name)
    name_nodes(copy.graph)
    return copy, tuple(soften(copy))


def convertible(model: ir.Model, table: Table | None = None, ranges: Mapping[str, str] | None = None) -> Convertible:
    """Look at a graph once. See `to_half`."""
    copy, masks = softened(model)
    found = able(copy)
    kept = {**reasons(copy, found, table), **(ranges or {})}
    chosen = chosen_nodes(copy.graph, found, kept)
    if table is not None:
        trial = Convertible(copy, (), kept, masks).halved()
        kept |= refused(trial.model, [node.name or "" for node in chosen], table, measured=ranges is not None)
    return Convertible(copy, tuple(node.name or "" for node in found), kept, masks)


def able(model: ir.Model) -> dict[ir.Node, Slots]:
    """Return the nodes that have a form of float16, and which of their values that is about."""
    opsets = model.graph.opset_imports
    found = {}
    for node in model.graph:
        domain = "" if node.domain in ("", "ai.onnx") else node.domain
        version = opsets.get(domain, opsets.get("ai.onnx", 1) if not domain else 1)
        if (places := slots(node, version)) is not None:
            found[node] = places
    return found
