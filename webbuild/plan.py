"""Every pass, on clones of the model: one graph for each target. A dry run is the same call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from webbuild.manifest import TargetName
from webbuild.passes._base import Edit, Options, Pass, all_passes

if TYPE_CHECKING:
    import onnx_ir as ir

TARGETS: tuple[TargetName, ...] = ("webgpu", "wasm")

_ROUNDS = 8


class Plan(Struct, frozen=True):
    """The graph for each target, and what was done to get there. Weights are shared, not copied."""

    models: dict[TargetName, ir.Model]
    edits: dict[TargetName, tuple[Edit, ...]]

    def with_edits(self, target: TargetName, more: Sequence[Edit]) -> Plan:
        """Return the same graphs, and what more was done to one of them."""
        return Plan(self.models, {**self.edits, target: (*self.edits[target], *more)})


def plan(model: ir.Model, options: Options) -> Plan:
    """Apply the passes to clones of `model`, which stays as it is."""
    shared = model.clone()
    common = _settle(None, shared, options)
    models: dict[TargetName, ir.Model] = {}
    edits: dict[TargetName, tuple[Edit, ...]] = {}
    for target in TARGETS:
        models[target] = shared.clone()
        own = _settle(target, models[target], options)
        done = [edit for edit in common if edit.done]
        refused = [edit for edit in common if not edit.done and edit not in own]
        edits[target] = (*done, *refused, *own)
    return Plan(models, edits)


def _settle(target: TargetName | None, model: ir.Model, options: Options) -> list[Edit]:
    """Apply the passes for a target, or for every graph where it is None."""
    return settle([kind for kind in all_passes() if kind.is_for(target, options)], model, options)


def settle(kinds: Sequence[type[Pass]], model: ir.Model, options: Options) -> list[Edit]:
    """Apply passes in this order, again and again, until none of them changes anything.

    Returns:
        Everything done, and what the last round refused: an earlier refusal may since have been resolved.
    """
    passes = [kind() for kind in kinds]
    done: list[Edit] = []
    for _ in range(_ROUNDS):
        edits = [edit for each in passes for edit in each.apply(model, options)]
        done += [edit for edit in edits if edit.done]
        if not any(edit.done for edit in edits):
            break
    return [*done, *(edit for edit in edits if not edit.done)]
