"""What joins a model to the stages before it, where nobody says so: tensors of one name, else of one type."""

from __future__ import annotations

from collections.abc import Sequence

from webbuild.compile.stages.planned_stage import Join, PlannedStage
from webbuild.compile.stages.tensor_fit import check_fit, fits, is_alike
from webbuild.errors import USAGE, WebbuildError
from webbuild.model.signature import TensorSpec
from webbuild.model.states import describe_spec
from webbuild.tasks.symbolic_dims import picture_sides


def automatic_joins(earlier: Sequence[PlannedStage], model: PlannedStage, *, by_type: bool = True) -> tuple[Join, ...]:
    """Return what joins a model to the stages before it: tensors of one name, else those that are alike.

    Raises:
        WebbuildError: `stage-mismatch`; `stages-not-joined` where there is nothing.
    """
    joins = _joins_by_name(earlier, model) or (_joins_by_type(earlier, model) if by_type else ())
    if not joins:
        raise not_joined(earlier, model)
    return joins


def joins_or_crops(earlier: Sequence[PlannedStage], model: PlannedStage) -> tuple[Join, ...]:
    """Return what joins a model to the stages before it: nothing where it may look at crops of what one finds.

    Raises:
        WebbuildError: what `automatic_joins` raises.
    """
    try:
        return automatic_joins(earlier, model)
    except WebbuildError as error:
        if error.code == "stages-not-joined" and takes_pictures_alone(model):
            return ()
        raise


def fitting_joins(earlier: Sequence[PlannedStage], model: PlannedStage) -> tuple[Join, ...]:
    """Return the inputs that have both the name and the type of an output."""
    return tuple(
        Join(spec.name, stage.name, output.name)
        for spec, stage, output in _namesakes(earlier, model)
        if fits(output, spec)
    )


def takes_pictures_alone(model: PlannedStage) -> bool:
    """Whether a picture is all that a model takes, so that it may be a crop."""
    inputs = model.source.signature.inputs
    return len(inputs) == 1 and bool(picture_sides(inputs[0])) and 3 in inputs[0].shape


def _joins_by_name(earlier: Sequence[PlannedStage], model: PlannedStage) -> tuple[Join, ...]:
    """Return the inputs that have the name of an output."""
    found = _namesakes(earlier, model)
    for spec, stage, output in found:
        check_fit(stage, output, model, spec)
    return tuple(Join(spec.name, stage.name, output.name) for spec, stage, output in found)


def _namesakes(
    earlier: Sequence[PlannedStage], model: PlannedStage
) -> list[tuple[TensorSpec, PlannedStage, TensorSpec]]:
    """Return each input that has the name of an output, with the latest stage that has one, and that."""
    made = {spec.name: (stage, spec) for stage in earlier for spec in stage.source.signature.outputs}
    return [(spec, *made[spec.name]) for spec in model.source.signature.inputs if spec.name in made]


def _joins_by_type(earlier: Sequence[PlannedStage], model: PlannedStage) -> tuple[Join, ...]:
    """Return the inputs whose type and shape one output alone has, which no other input has."""
    pairs = [
        (spec, stage, output)
        for spec in model.source.signature.inputs
        for stage in earlier
        for output in stage.source.signature.outputs
        if is_alike(spec, output)
    ]
    inputs, outputs = [id(pair[0]) for pair in pairs], [id(pair[2]) for pair in pairs]
    alone = [pair for pair in pairs if inputs.count(id(pair[0])) == outputs.count(id(pair[2])) == 1]
    return tuple(Join(spec.name, stage.name, output.name) for spec, stage, output in alone)


def not_joined(earlier: Sequence[PlannedStage], model: PlannedStage) -> WebbuildError:
    """Return the error of a model that takes no output of the stages before it."""
    made = "; ".join(
        f"{stage.source.path.name} gives {list_tensors(stage.source.signature.outputs)}" for stage in earlier
    )
    return WebbuildError(
        "stages-not-joined",
        f"no output is an input of the next stage: {made}; {model.source.path.name} takes "
        f"{list_tensors(model.source.signature.inputs)}",
        "give the files in the order in which they run, or say what joins them with --pipeline FILE; --glue FILE.js "
        "makes an input of outputs that do not fit",
        exit_code=USAGE,
    )


def list_tensors(specs: Sequence[TensorSpec]) -> str:
    """Return the names, types and shapes of tensors."""
    return ", ".join(f"'{spec.name}' {describe_spec(spec)}" for spec in specs)
