"""Lowering: run every pass on clones of the model and return one graph for each target. A dry run is the same call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from onnx_ir.passes import PassError, PassManager

from webbuild.manifest.manifest import TargetName
from webbuild.passes.base import Pass, PassFailedError, PassOptions, Rewrite
from webbuild.passes.dtypes.int32_inputs import take_int32
from webbuild.passes.registry import all_passes

if TYPE_CHECKING:
    import onnx_ir as ir

TARGETS: tuple[TargetName, ...] = ("webgpu", "wasm")

_MAX_ROUNDS = 8


class LoweredGraphs(Struct, frozen=True):
    """The graph and the rewrites for each target. Weights are shared, not copied."""

    graphs: dict[TargetName, ir.Model]
    rewrites: dict[TargetName, tuple[Rewrite, ...]]

    def with_rewrites(self, target: TargetName, more: Sequence[Rewrite]) -> LoweredGraphs:
        """Return the same graphs, with more rewrites for one of them."""
        return LoweredGraphs(self.graphs, {**self.rewrites, target: (*self.rewrites[target], *more)})


def lower(model: ir.Model, options: PassOptions, targets: Sequence[TargetName] = TARGETS) -> LoweredGraphs:
    """Apply the passes to clones of `model`, which is not changed.

    A pass that raises is left out and reported as `pass-failed`. The other passes start again from a fresh clone, as
    the pass may have stopped in the middle of a rewrite. Too little memory is not reported as a bug of the pass.
    """
    kinds, failures = list(all_passes()), list[Rewrite]()
    while True:
        try:
            lowered = _lower(kinds, model, options, targets)
        except PassFailedError as error:
            kinds = [kind for kind in kinds if kind.code != error.code]
            where = f"{error.code}, at {error.where}" if error.where else error.code
            no_memory = isinstance(error.error, MemoryError)
            cause = "the machine has too little memory" if no_memory else "this is a bug in webbuild"
            failures.append(Rewrite("pass-failed", where, False, f"{cause}: {error}"))
            continue
        for target in targets:
            lowered = lowered.with_rewrites(target, failures)
        return lowered


def _lower(
    kinds: Sequence[type[Pass]], model: ir.Model, options: PassOptions, targets: Sequence[TargetName]
) -> LoweredGraphs:
    shared = model.clone()
    common = run_to_fixpoint([kind for kind in kinds if kind.runs_on(None, options)], shared, options)
    models: dict[TargetName, ir.Model] = {}
    rewrites: dict[TargetName, tuple[Rewrite, ...]] = {}
    for target in targets:
        models[target] = shared.clone()
        specific = run_to_fixpoint([kind for kind in kinds if kind.runs_on(target, options)], models[target], options)
        done = [rewrite for rewrite in common if rewrite.applied]
        refused = [rewrite for rewrite in common if not rewrite.applied and rewrite not in specific]
        rewrites[target] = (*done, *refused, *specific)
    if options.int32_inputs and "wasm" in models and "webgpu" in models:
        rewrites["wasm"] += tuple(take_int32(models["wasm"], models["webgpu"]))
    return LoweredGraphs(models, rewrites)


def run_to_fixpoint(kinds: Sequence[type[Pass]], model: ir.Model, options: PassOptions) -> list[Rewrite]:
    """Apply passes in this order, again and again, until none of them changes anything.

    Returns:
        All changes, pass by pass, then the refusals of the last round.

    Raises:
        PassFailedError: a pass raised.
    """
    passes = [kind(options) for kind in kinds]
    if not passes:
        return []
    try:
        PassManager(passes, steps=_MAX_ROUNDS, early_stop=True)(model)
    except PassError as error:
        raise _failure(error) from error
    return [
        *(rewrite for each in passes for rewrite in each.rewrites),
        *(rewrite for each in passes for rewrite in each.skips),
    ]


def _failure(error: BaseException) -> BaseException:
    """Return the error of a pass from inside the error that the pass manager wraps it in."""
    while not isinstance(error, PassFailedError) and error.__cause__ is not None:
        error = error.__cause__
    return error
