"""What a model is for: judged before the passes run, where it lacks its post-processing, else after them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec

from webbuild.bundle.graphs import option_inputs
from webbuild.errors import USAGE, WebbuildError
from webbuild.facts import ModelFacts, TensorFact
from webbuild.model import Source, facts
from webbuild.passes._base import Options
from webbuild.phrase_head import PhraseHead
from webbuild.plan import Plan
from webbuild.tasks._base import Guess, guess, kinds

if TYPE_CHECKING:
    import onnx_ir as ir

_ROUNDS = 8
"""A folded constant may make another one; more often than this was not seen."""
_MOST_VALUES = 1 << 16
"""Labels that are worth telling apart from whole numbers of any kind."""


def without_head(source: Source, dims: Mapping[str, int], task: str | None) -> Guess | None:
    """Return what a model is that lacks its post-processing, None for every other model.

    Args:
        source: the model, of which a clone is looked at.
        dims: sizes for its free dimensions.
        task: the task that the user gave, None for any.

    Raises:
        WebbuildError: `class-names`.
    """
    frozen = _frozen(source.model, dims)
    seen = _counted(_facts(source, frozen), frozen)
    known = kinds()
    asked = [task] if task is not None else [name for name in known if name != "tensor"]
    found = (known[name].guess(seen, asked=task is not None) for name in asked)
    return next((each for each in found if each is not None and each.raw is not None), None)


def recognise(source: Source, planned: Plan, task: str | None) -> Guess:
    """Return what the model is, judged by its interface with every size fixed and without the thresholds.

    Raises:
        WebbuildError: `wrong-task`, `unsupported-dtype`.
    """
    seen = _facts(source, planned.models["wasm"])
    added = {option.name for option in option_inputs(planned.models["wasm"])}
    seen = msgspec.structs.replace(seen, inputs=tuple(f for f in seen.inputs if f.name not in added))
    if task is None:
        return guess(seen)
    if (found := kinds()[task].guess(seen, asked=True)) is None:
        raise WebbuildError(
            "wrong-task",
            f"{source.path}: does not look like task {task}: its metadata or outputs do not fit: {_interface(seen)}",
            "leave --task out, or give --task tensor",
            exit_code=USAGE,
        )
    return found


def require_head(known: Guess, planned: Plan) -> None:
    """Raise unless every graph has the post-processing that the model lacked.

    Raises:
        WebbuildError: `no-head`, with the reason of the pass.
    """
    from webbuild.passes.append_head import KEY

    if known.raw is None or isinstance(known.raw, PhraseHead):
        return
    for target, model in planned.models.items():
        if KEY not in model.metadata_props:
            refused = (e for e in planned.edits[target] if e.code in ("append-head", "append-set-rows") and not e.done)
            why = next((edit.why for edit in refused), "it was not")
            raise WebbuildError(
                "no-head",
                f"output '{known.raw.output}': post-processing could not be appended: {why}",
                "export the model with its post-processing, or give --task tensor",
            )


def _facts(source: Source, model: ir.Model) -> ModelFacts:
    """Return the facts of what became of a model, and what lies beside the model."""
    return msgspec.structs.replace(facts(source.facts.file, model), companions=source.facts.companions)


def _counted(seen: ModelFacts, model: ir.Model) -> ModelFacts:
    """Return the facts with the number of values of each output of whole numbers, where its bounds say it."""
    from webbuild.passes._ranges import ranges

    bounds = ranges(model.graph)
    known = {value.name: bounds[value] for value in model.graph.outputs if value in bounds}
    counts = {name: int(high) + 1 for name, (low, high) in known.items() if low == 0 and high < _MOST_VALUES}
    outputs = (
        msgspec.structs.replace(fact, values=counts.get(fact.name, 0) if fact.dtype in ("int32", "int64") else 0)
        for fact in seen.outputs
    )
    return msgspec.structs.replace(seen, outputs=tuple(outputs))


def _frozen(model: ir.Model, dims: Mapping[str, int]) -> ir.Model:
    """Return a clone with fixed sizes, as far as they follow from those of the inputs."""
    from webbuild.passes.clean_up import CleanUp
    from webbuild.passes.fold_constants import FoldConstants
    from webbuild.passes.freeze_dimensions import FreezeDimensions

    clone, options = model.clone(), Options(dims=dims)
    CleanUp().apply(clone, options)
    FreezeDimensions().apply(clone, options)
    for _ in range(_ROUNDS):
        if all(_is_fixed(value) for value in clone.graph.outputs) or not FoldConstants().apply(clone, options):
            break
        CleanUp().apply(clone, options)
    return clone


def _is_fixed(value: ir.Value) -> bool:
    return value.shape is not None and all(isinstance(dim, int) for dim in value.shape)


def _interface(seen: ModelFacts) -> str:
    listed = [f"{name} {_list(values)}" for name, values in (("inputs", seen.inputs), ("outputs", seen.outputs))]
    return ", ".join(listed)


def _list(values: tuple[TensorFact, ...]) -> str:
    return ", ".join(f"'{value.name}' {value.dtype} {list(value.shape)}" for value in values)
