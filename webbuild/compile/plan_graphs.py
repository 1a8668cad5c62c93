"""The patched graphs of a model for a target, and the nodes that fall back to the CPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webbuild.compile.load_model import LoadedModel
from webbuild.compile.plan_cache import plan_key, read_plan, write_plan
from webbuild.compile.weights_to_file import weights_to_file
from webbuild.inspection.cpu_fallback import FallbackPlan, apply_cpu_fallback, check_wasm_session
from webbuild.inspection.reshape_check import check_reshapes
from webbuild.passes.base import NmsPlacement, PassOptions
from webbuild.passes.lower import LoweredGraphs, lower
from webbuild.targets.table import find_table
from webbuild.targets.target import Target

if TYPE_CHECKING:
    from webbuild.postprocess.postprocess import Postprocess


def plan_graphs(
    loaded: LoadedModel, target: Target, missing: Postprocess | None, nms: NmsPlacement, *, int32_inputs: bool
) -> tuple[LoweredGraphs, FallbackPlan]:
    """Return the patched graphs, and the CPU fallback plan of the WebGPU graph."""
    table = find_table(target)
    options = PassOptions(
        dims=loaded.dims.dims,
        missing_postprocess=missing,
        table=table,
        nms=nms,
        int32_inputs=int32_inputs,
        states=frozenset(pair.input for pair in loaded.source.states),
    )
    planned = _lower_once(loaded, options)
    fallback_plan = FallbackPlan() if table is None else apply_cpu_fallback(planned.graphs["webgpu"], table)
    planned = planned.with_rewrites("webgpu", fallback_plan.rewrites)
    wasm = find_table(Target(target.version, "wasm"))
    if fallback_plan.disabled is not None and wasm is not None:
        check_wasm_session(planned.graphs["wasm"], wasm, fallback_plan.disabled)
    check_reshapes(planned.graphs["wasm"])  # the passes have folded the shapes
    weights_to_file(planned.graphs.values())
    return planned, fallback_plan


def _lower_once(loaded: LoadedModel, options: PassOptions) -> LoweredGraphs:
    """Return the graphs after the passes, from the cache if an earlier pack lowered the same model."""
    model, cache = loaded.source.model, loaded.cache
    key = None if cache is None else plan_key(model, options)
    if cache is None or key is None:
        return lower(model, options)
    if (cached := read_plan(cache, key, model)) is not None:
        return cached
    planned = lower(model, options)
    write_plan(cache, key, model, planned)
    return planned
