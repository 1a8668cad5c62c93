"""Inferred joins: outputs of earlier stages become a model's inputs by name, type and shape."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from webbuild.compile.stages.planned_stage import Join, PlannedStage
from webbuild.compile.stages.tensor_fit import check_fit, fits, is_alike, may_be_map
from webbuild.errors import USAGE, WebbuildError
from webbuild.model.signature import TensorSpec
from webbuild.model.states import describe_spec
from webbuild.tasks.options.symbolic_dims import is_channel_name, picture_sides

_OUTPUT_NAMES = {"encoder_hidden_states": "last_hidden_state"}
"""Names of the outputs that feed the inputs of transformers' decoders."""


def automatic_joins(earlier: Sequence[PlannedStage], model: PlannedStage, *, by_type: bool = True) -> tuple[Join, ...]:
    """Return the joins of a model: by names, else by equal types and shapes, and feature maps that fit.

    Raises:
        WebbuildError: `stage-mismatch`; `stages-not-joined` if there is no join.
    """
    joins = _joins_by_name(earlier, model) or (_joins_by_type(earlier, model) if by_type else ())
    if not joins:
        raise not_joined(earlier, model)
    return joins


def joins_or_crops(earlier: Sequence[PlannedStage], model: PlannedStage) -> tuple[Join, ...]:
    """Return the joins of a model; none if it may be a crop stage.

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
    """Return joins of inputs with outputs of the same name and a fitting type and shape."""
    return tuple(
        Join(spec.name, stage.name, output.name)
        for spec, stage, output in _namesakes(earlier, model)
        if fits(output, spec)
    )


def takes_pictures_alone(model: PlannedStage) -> bool:
    """Whether a model's only input is a picture, which may be a crop."""
    inputs = model.source.signature.inputs
    return len(inputs) == 1 and _may_be_crop(inputs[0])


def _may_be_crop(spec: TensorSpec) -> bool:
    """Whether an input may be a picture in colour or grey, or of a free number of channels with transformers' name."""
    sides = picture_sides(spec)
    return bool(sides) and (spec.shape[1 if 1 not in sides else 3] in (1, 3) or is_channel_name(spec.shape[1]))


def _joins_by_name(earlier: Sequence[PlannedStage], model: PlannedStage) -> tuple[Join, ...]:
    """Return joins of inputs with outputs of the same name. Raises `stage-mismatch` if they do not fit."""
    namesakes = _namesakes(earlier, model)
    for spec, stage, output in namesakes:
        check_fit(stage, output, model, spec)
    return tuple(Join(spec.name, stage.name, output.name) for spec, stage, output in namesakes)


def _namesakes(
    earlier: Sequence[PlannedStage], model: PlannedStage
) -> list[tuple[TensorSpec, PlannedStage, TensorSpec]]:
    """Return (input, stage, output) of equal names, or of transformers' names; of several stages, the latest."""
    outputs = {spec.name: (stage, spec) for stage in earlier for spec in stage.source.signature.outputs}
    equal = [(spec, *outputs[spec.name]) for spec in model.source.signature.inputs if spec.name in outputs]
    return equal or [
        (spec, *outputs[name])
        for spec in model.source.signature.inputs
        if (name := _OUTPUT_NAMES.get(spec.name)) in outputs and fits(outputs[name][1], spec)
    ]


def _joins_by_type(earlier: Sequence[PlannedStage], model: PlannedStage) -> tuple[Join, ...]:
    """Return joins by unique type and shape, then joins of remaining feature maps that uniquely fit."""
    alike = _only_joins(earlier, model, is_alike)
    return (*alike, *_only_joins(earlier, model, may_be_map, alike))


def _only_joins(
    earlier: Sequence[PlannedStage],
    model: PlannedStage,
    suits: Callable[[TensorSpec, TensorSpec], bool],
    done: Sequence[Join] = (),
) -> tuple[Join, ...]:
    """Return joins of inputs and outputs that match only each other; `done` joins are excluded."""
    taken, used_outputs = {each.input for each in done}, {(each.stage, each.output) for each in done}
    pairs = [
        (spec, stage, output)
        for spec in model.source.signature.inputs
        for stage in earlier
        for output in stage.source.signature.outputs
        if spec.name not in taken and (stage.name, output.name) not in used_outputs and suits(spec, output)
    ]
    inputs, outputs = [id(pair[0]) for pair in pairs], [id(pair[2]) for pair in pairs]
    alone = [pair for pair in pairs if inputs.count(id(pair[0])) == outputs.count(id(pair[2])) == 1]
    return tuple(Join(spec.name, stage.name, output.name) for spec, stage, output in alone)


def not_joined(earlier: Sequence[PlannedStage], model: PlannedStage) -> WebbuildError:
    """Return the error of a model that takes no output of the stages before it."""
    outputs_text = "; ".join(
        f"{stage.source.path.name} gives {list_tensors(stage.source.signature.outputs)}" for stage in earlier
    )
    return WebbuildError(
        "stages-not-joined",
        f"no output is an input of the next stage: {outputs_text}; {model.source.path.name} takes "
        f"{list_tensors(model.source.signature.inputs)}",
        _why_no_crops(model)
        or _as_text_encoder(earlier, model)
        or "give the files in the order in which they run, or write their joins in a file for --pipeline; --glue "
        "FILE.js computes an input from outputs that do not fit",
        exit_code=USAGE,
    )


def _why_no_crops(model: PlannedStage) -> str:
    """Return the fix that makes a model with a picture input a crop stage; empty for other models."""
    inputs = model.source.signature.inputs
    pictures, others = ([spec for spec in inputs if bool(picture_sides(spec)) is wanted] for wanted in (True, False))
    if len(pictures) != 1 or any(not _is_number(spec) for spec in others):
        return ""
    if not _may_be_crop(pictures[0]):
        return f"export it with a picture of 1 or 3 channels as '{pictures[0].name}': crops have no others"
    if not others:
        return ""
    values = " ".join(f"--set {spec.name}=0" for spec in others)
    return (
        f"give {values}, or another value, to make {'it' if len(others) == 1 else 'them'} constant: a model that "
        "runs on crops takes only a picture"
    )


def _as_text_encoder(earlier: Sequence[PlannedStage], model: PlannedStage) -> str:
    """Return the fix for a text encoder given as a stage; empty unless all inputs are integers [texts, tokens]."""
    tokens = all(len(spec.shape) == 2 and spec.dtype in ("int64", "int32") for spec in model.source.signature.inputs)
    if len(earlier) != 1 or not tokens:
        return ""
    return f"if it embeds texts, give it as the text encoder of the other: --text {model.source.path}"


def _is_number(spec: TensorSpec) -> bool:
    return all(size == 1 for size in spec.shape)


def list_tensors(specs: Sequence[TensorSpec]) -> str:
    """Return the names, types and shapes of tensors."""
    return ", ".join(f"'{spec.name}' {describe_spec(spec)}" for spec in specs)
