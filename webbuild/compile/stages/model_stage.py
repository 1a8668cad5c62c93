"""Stages: the models of a bundle, compiled for each size and batch. Most bundles have one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from webbuild.bundle.stage_files import StageGlue
from webbuild.compile.compile_model import CompiledModel
from webbuild.compile.load_model import LoadedModel
from webbuild.compile.model_variant import ModelVariant, prefix_errors
from webbuild.compile.stages.crops import aligned_keypoints
from webbuild.compile.stages.links import StageLinks, StageOutputs, check_stage_outputs, joined_sizes, stage_outputs
from webbuild.compile.stages.planned_stage import PlannedStage
from webbuild.errors import USAGE, WebbuildError
from webbuild.inspection.before_after import BeforeAfter
from webbuild.manifest.states import state_inputs
from webbuild.model.states import describe_spec


class ModelStage(Struct, frozen=True):
    """A compiled stage, with the findings before and after the passes. The name is empty for a single stage.

    `given` is the user's file, next to `samples/`.
    """

    name: str
    given: Path
    variants: Sequence[ModelVariant]
    findings: BeforeAfter | None = None
    glue: StageGlue | None = None

    @property
    def loaded(self) -> LoadedModel:
        """The loaded model at its first size."""
        return self.variants[0].loaded

    @property
    def compiled(self) -> CompiledModel:
        """The compiled model at its first size."""
        return self.variants[0].compiled

    @property
    def assumptions(self) -> tuple[str, ...]:
        """The assumptions about the model and its glue."""
        return (*self.compiled.assumptions, *(() if self.glue is None else self.glue.assumptions))


def compile_stages(
    planned: Sequence[PlannedStage],
    compile_one: Callable[[StageLinks, Mapping[str, int]], ModelStage],
) -> list[ModelStage]:
    """Compile the stages in order, because outputs determine the sizes of later inputs.

    Args:
        planned: the stages in order.
        compile_one: compiles a stage with its links, at the given sizes of its free dimensions.

    Raises:
        WebbuildError: `stage-mismatch`, `stage-with-state`, and what `compile_one` raises; the message names the stage.
    """
    done: list[ModelStage] = []
    outputs: StageOutputs = {}
    for at, stage in enumerate(planned):
        later = [each.source.signature for each in planned if any(join.stage == stage.name for join in each.joins)]
        used_outputs = set[str]().union(*(each.outputs_used_of(stage.name) for each in planned))
        matches = [each.compiled.match for each in done]
        links = StageLinks(stage, outputs, matches, later, used_outputs, aligned_keypoints(planned[at + 1 :]))
        with prefix_errors(stage.name):
            check_stage_outputs(stage, outputs)
            compiled = compile_one(links, joined_sizes(stage, outputs))
            if len(planned) > 1:
                _check_stateless(compiled)
        if at == 0:
            _check_sizes(compiled, planned[1:])
        done.append(_with_stage_name(compiled))
        outputs = {**outputs, **stage_outputs(stage.name, compiled.compiled.lowered.graphs["wasm"])}
    return done


def _check_stateless(stage: ModelStage) -> None:
    """Raise for a stage with states: the runtime keeps no states in a pipeline."""
    states = state_inputs(stage.compiled.match.inputs)
    if states:
        named = ", ".join(f"'{each.name}'" for each in states)
        raise WebbuildError(
            "stage-with-state",
            f"{stage.given.name} takes {named} from its last run, and the stages of a bundle keep no state",
            "pack that model alone; or give --state none, which makes its states inputs of the caller",
            exit_code=USAGE,
        )


def _check_sizes(stage: ModelStage, later: Sequence[PlannedStage]) -> None:
    """Check that the outputs that later stages take have the same shape at every picture size.

    Raises:
        WebbuildError: `stage-mismatch` with the output, and the input that takes it.
    """
    first, *others = (stage_outputs(stage.name, each.compiled.lowered.graphs["wasm"]) for each in stage.variants)
    joins = [(taker, join) for taker in later for join in taker.joins if join.stage == stage.name]
    for taker, join in joins:
        for variant, other_outputs in zip(stage.variants[1:], others, strict=True):
            at_first, at_other = first[stage.name, join.output], other_outputs[stage.name, join.output]
            if at_other.shape != at_first.shape:
                raise WebbuildError(
                    "stage-mismatch",
                    f"input '{join.input}' of {taker.source.path.name} takes '{join.output}' of {stage.given.name}, "
                    f"which is {describe_spec(at_first)} at {stage.variants[0].name} "
                    f"and {describe_spec(at_other)} at {variant.name}",
                    "give one --size, or pack a bundle for each size: later stages are packed for one shape",
                    exit_code=USAGE,
                )


def _with_stage_name(stage: ModelStage) -> ModelStage:
    """Return a stage with its name prefixed to the names of its variants."""
    names = (" ".join(filter(None, (stage.name, each.name))) for each in stage.variants)
    variants = [msgspec.structs.replace(each, name=name) for each, name in zip(stage.variants, names, strict=True)]
    return msgspec.structs.replace(stage, variants=variants)
