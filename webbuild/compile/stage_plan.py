"""The stages of a model that is given as several files: their names, their order, and the tensors that join them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import permutations, takewhile
from pathlib import Path

import msgspec
from msgspec import Struct

from webbuild.bundle.file_names import safe_file_name
from webbuild.bundle.stage_files import StageGlue
from webbuild.errors import USAGE, WebbuildError
from webbuild.model.load import OnnxModel
from webbuild.model.signature import Dim, TensorSpec
from webbuild.model.states import describe_spec
from webbuild.tasks.symbolic_dims import picture_sides

_MOST_REORDERED = 4
"""Stages whose order is looked for."""
_FLOATS = ("float16", "float32", "float64", "bfloat16")


class Join(Struct, frozen=True):
    """An input of a stage, and the output of an earlier one that it takes."""

    input: str
    stage: str
    output: str


class PlannedStage(Struct, frozen=True):
    """A model, and what it takes from the stages before it. `task` is that which the user gave, None for any.

    `given` is the file that was given: its samples lie beside that, and `source` may be an export of it.
    """

    name: str
    given: Path
    source: OnnxModel
    joins: tuple[Join, ...] = ()
    task: str | None = None
    glue: StageGlue | None = None

    def taken_of(self, stage: str) -> set[str]:
        """Return the outputs of an earlier stage that this one takes, or that its glue reads."""
        joined = [(each.stage, each.output) for each in self.joins]
        read = () if self.glue is None else self.glue.reads
        return {output for of, output in (*joined, *read) if of == stage}


def stage_names(stems: Sequence[str]) -> tuple[str, list[str]]:
    """Return what file names have in common, and what is left of each: `sam`, [`encoder`, `decoder`] of `sam_encoder`.

    Names that have nothing in common are joined.
    """
    if len(set(stems)) == 1:
        return stems[0], [f"{stems[0]}-{at}" for at in range(1, len(stems) + 1)]
    alike = "".join(letters[0] for letters in takewhile(lambda each: len(set(each)) == 1, zip(*stems, strict=False)))
    common = re.sub(r"[^-_.]*$", "", alike)
    left = [safe_file_name((stem[len(common) :] or stem).replace(".", "-")) for stem in stems]
    if len(set(left)) < len(left):
        left = [safe_file_name(f"{name}-{at}") for at, name in enumerate(left, 1)]
    return common.strip("-_.") or "-".join(stems), left


def plan_stages(models: Sequence[PlannedStage]) -> list[PlannedStage]:
    """Return the models with what joins them, in the order given, else in the only one in which they join.

    Where tensors join none of them, a model of pictures may look at crops of what the one before it finds. Whether it
    does shows when it is compiled.

    Raises:
        WebbuildError: `stage-mismatch` where two tensors of one name do not fit; `stages-not-joined` where a stage
            takes nothing from those before it, or gives nothing to those after it.
    """
    try:
        return _joined(models)
    except WebbuildError as error:
        found = list(_other_orders(models)) if len(models) <= _MOST_REORDERED else []
        if len(found) == 1:
            return found[0]
        if all(_takes_pictures_alone(each) for each in models[1:]):
            return list(models)
        raise error from None


def _takes_pictures_alone(model: PlannedStage) -> bool:
    inputs = model.source.signature.inputs
    return len(inputs) == 1 and bool(picture_sides(inputs[0])) and 3 in inputs[0].shape


def _may_take_crops(stage: PlannedStage) -> bool:
    return not stage.joins and stage.glue is None and _takes_pictures_alone(stage)


def _other_orders(models: Sequence[PlannedStage]) -> Iterator[list[PlannedStage]]:
    for order in permutations(models):
        try:
            yield _joined(order, by_type=False)
        except WebbuildError:
            continue


def _joined(models: Sequence[PlannedStage], *, by_type: bool = True) -> list[PlannedStage]:
    done: list[PlannedStage] = list(models[:1])
    for model in models[1:]:
        done.append(msgspec.structs.replace(model, joins=automatic_joins(done, model, by_type=by_type)))
    check_all_taken(done)
    return done


def automatic_joins(earlier: Sequence[PlannedStage], model: PlannedStage, *, by_type: bool = True) -> tuple[Join, ...]:
    """Return what joins a model to the stages before it: tensors of one name, else those that are alike.

    Raises:
        WebbuildError: `stage-mismatch`; `stages-not-joined` where there is nothing.
    """
    joins = _joins_by_name(earlier, model) or (_joins_by_type(earlier, model) if by_type else ())
    if not joins:
        raise _not_joined(earlier, model)
    return joins


def joins_or_crops(earlier: Sequence[PlannedStage], model: PlannedStage) -> tuple[Join, ...]:
    """Return what joins a model to the stages before it: nothing where it may look at crops of what one finds.

    Raises:
        WebbuildError: what `automatic_joins` raises.
    """
    try:
        return automatic_joins(earlier, model)
    except WebbuildError as error:
        if error.code == "stages-not-joined" and _takes_pictures_alone(model):
            return ()
        raise


def check_all_taken(stages: Sequence[PlannedStage]) -> None:
    """Raise for a stage of which no later one takes an output, nor may look at crops of what it finds.

    Raises:
        WebbuildError: `stages-not-joined`.
    """
    read = {stage for each in stages if each.glue for stage, _ in each.glue.reads}
    taken = read | {join.stage for stage in stages for join in stage.joins}
    looking = max((at for at, each in enumerate(stages) if at and _may_take_crops(each)), default=0)
    for at, stage in enumerate(stages[:-1]):
        if stage.name not in taken and at >= looking:
            raise _not_joined([stage], stages[at + 1])


def _joins_by_name(earlier: Sequence[PlannedStage], model: PlannedStage) -> tuple[Join, ...]:
    """Return the inputs that have the name of an output, of the latest stage that has one."""
    made = {spec.name: (stage, spec) for stage in earlier for spec in stage.source.signature.outputs}
    found = []
    for spec in model.source.signature.inputs:
        if spec.name in made:
            stage, output = made[spec.name]
            check_fit(stage, output, model, spec)
            found.append(Join(spec.name, stage.name, output.name))
    return tuple(found)


def _joins_by_type(earlier: Sequence[PlannedStage], model: PlannedStage) -> tuple[Join, ...]:
    """Return the inputs whose type and shape one output alone has, which no other input has."""
    pairs = [
        (spec, stage, output)
        for spec in model.source.signature.inputs
        for stage in earlier
        for output in stage.source.signature.outputs
        if _is_alike(spec, output)
    ]
    inputs, outputs = [id(pair[0]) for pair in pairs], [id(pair[2]) for pair in pairs]
    alone = [pair for pair in pairs if inputs.count(id(pair[0])) == outputs.count(id(pair[2])) == 1]
    return tuple(Join(spec.name, stage.name, output.name) for spec, stage, output in alone)


def _is_alike(one: TensorSpec, other: TensorSpec) -> bool:
    """Whether two tensors are of one type and shape, of which something besides the batch is known."""
    known = [size for size in one.shape[1:] if isinstance(size, int) and size > 1]
    return len(one.shape) > 1 and bool(known) and fits(one, other) and one.shape[1:] == other.shape[1:]


def fits(one: TensorSpec, other: TensorSpec) -> bool:
    """Whether an output may be an input, as far as the files tell: floats of any width, and free sizes."""
    same = one.dtype == other.dtype or (one.dtype in _FLOATS and other.dtype in _FLOATS)
    free = not one.shape or not other.shape
    return same and (free or (len(one.shape) == len(other.shape) and all(map(_may_equal, one.shape, other.shape))))


def _may_equal(one: Dim, other: Dim) -> bool:
    return one == other or not isinstance(one, int) or not isinstance(other, int)


def check_fit(stage: PlannedStage, output: TensorSpec, model: PlannedStage, spec: TensorSpec) -> None:
    """Raise where an input cannot take an output.

    Raises:
        WebbuildError: `stage-mismatch`.
    """
    if not fits(output, spec):
        raise stage_mismatch(model, spec, f"'{output.name}' of {stage.source.path.name} is {describe_spec(output)}")


def stage_mismatch(model: PlannedStage, spec: TensorSpec, made: str) -> WebbuildError:
    """Return the error of an input that cannot take the output that `made` describes."""
    return WebbuildError(
        "stage-mismatch",
        f"input '{spec.name}' of {model.source.path.name} is {describe_spec(spec)}, and output {made}",
        "export both with the same sizes and types; --dim fixes a free size, and --pipeline FILE joins other tensors",
        exit_code=USAGE,
    )


def _not_joined(earlier: Sequence[PlannedStage], model: PlannedStage) -> WebbuildError:
    made = "; ".join(f"{stage.source.path.name} gives {_listed(stage.source.signature.outputs)}" for stage in earlier)
    return WebbuildError(
        "stages-not-joined",
        f"no output is an input of the next stage: {made}; {model.source.path.name} takes "
        f"{_listed(model.source.signature.inputs)}",
        "give the files in the order in which they run, or say what joins them with --pipeline FILE",
        exit_code=USAGE,
    )


def _listed(specs: Sequence[TensorSpec]) -> str:
    return ", ".join(f"'{spec.name}' {describe_spec(spec)}" for spec in specs)
