"""Links of a stage to other stages: its joined inputs, and the sizes that follow from them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from webbuild.compile.stages.check_image_inputs import check_pictures
from webbuild.compile.stages.crops import with_crops
from webbuild.compile.stages.planned_stage import PlannedStage
from webbuild.compile.stages.point_scale import with_point_scale
from webbuild.compile.stages.tensor_fit import stage_mismatch
from webbuild.errors import USAGE, WebbuildError
from webbuild.manifest.manifest import Input, StageInput
from webbuild.model.read_signature import read_signature
from webbuild.model.signature import ModelSignature, TensorSpec
from webbuild.model.states import describe_spec
from webbuild.tasks.registry import kind_of, task_kinds
from webbuild.tasks.task_match import TaskMatch

if TYPE_CHECKING:
    import onnx_ir as ir

StageOutputs = Mapping[tuple[str, str], TensorSpec]
"""The outputs of the patched graphs, by stage and output name."""


class StageLinks(Struct, frozen=True):
    """The links of a stage to earlier and later stages.

    Attributes:
        stage: the stage, with its joins.
        outputs: the outputs of the stages before it.
        earlier: the matches of the stages before it.
        later: the signatures of the stages that take its outputs.
        used_outputs: the outputs that later stages, or their glue, read.
        keypoints: the number of keypoints per box that a later stage aligns, 0 for none.
    """

    stage: PlannedStage
    outputs: StageOutputs = {}
    earlier: Sequence[TaskMatch] = ()
    later: Sequence[ModelSignature] = ()
    used_outputs: Collection[str] = ()
    keypoints: int = 0

    def picture_sizes(self, dims: Mapping[str, int]) -> dict[str, int]:
        """Return the sizes of free dimensions that later stages determine, by "input:axis"; without those in `dims`."""
        signature = self.stage.source.signature
        sizes = {
            key: size
            for kind in task_kinds().values()
            for key, size in kind.earlier_sizes(signature, self.later).items()
        }
        names = {f"{spec.name}:{axis}": dim for spec in signature.inputs for axis, dim in enumerate(spec.shape)}
        return {key: size for key, size in sizes.items() if names[key] not in dims}

    def earlier_stage(self, signature: ModelSignature) -> TaskMatch | None:
        """Return the match of a stage before others, by the first task that recognizes its outputs in their inputs."""
        matches = (kind.infer_earlier(signature, self.later) for kind in task_kinds().values())
        return next((match for match in matches if match is not None), None)

    def without_task_hint(self, match: TaskMatch) -> TaskMatch:
        """Return the match without the hint naming other tasks, if a later stage takes its outputs as tensors."""
        if not self.later:
            return match
        assumptions = tuple(each for each in match.assumptions if not each.startswith("task tensor: "))
        return msgspec.structs.replace(match, assumptions=assumptions)

    def with_stage_inputs(self, match: TaskMatch, signature: ModelSignature, model: ir.Model) -> TaskMatch:
        """Return the match with joined inputs as `StageInput`, or with crops.

        Args:
            match: the match of the stage by itself.
            signature: the signature of its patched graph.
            model: the exported graph.

        Raises:
            WebbuildError: `stage-mismatch`; `stages-not-joined` for a stage that takes neither tensors nor crops;
                `stage-with-picture`.
        """
        if self.earlier and not self.stage.joins and self.stage.glue is None:
            return with_crops(self.stage, match, self.earlier, signature, model)
        joins = {join.input: join for join in self.stage.joins}
        inputs = tuple(self._joined(spec) if spec.name in joins else spec for spec in match.inputs)
        joined = msgspec.structs.replace(match, inputs=inputs)
        if self.earlier:
            check_pictures(self.stage, joined)
        return with_point_scale(kind_of(match.task).with_earlier(joined, self.earlier), model) if joins else joined

    def _joined(self, spec: Input) -> StageInput:
        join = next(each for each in self.stage.joins if each.input == spec.name)
        output, input_spec = self.outputs[join.stage, join.output], TensorSpec(spec.name, spec.dtype, tuple(spec.shape))
        if (output.dtype, output.shape) != (input_spec.dtype, input_spec.shape):
            raise stage_mismatch(
                self.stage, input_spec, f"'{join.output}' of stage {join.stage} is {describe_spec(output)}"
            )
        return StageInput(name=spec.name, dtype=spec.dtype, shape=spec.shape, stage=join.stage, output=join.output)


def check_stage_outputs(stage: PlannedStage, outputs: StageOutputs) -> None:
    """Raise if a stage, or its glue, reads an output that the patched graph of an earlier stage does not have.

    Loading and lowering drop outputs that a task does not read, such as a decoder's resized masks.

    Raises:
        WebbuildError: `stage-mismatch`.
    """
    joined = [(f"input '{each.input}'", each.stage, each.output) for each in stage.joins]
    read = [("the glue", *each) for each in stage.glue.reads] if stage.glue is not None else []
    for taker, earlier, output in (*joined, *read):
        stage_specs = [(name, spec) for (of, name), spec in outputs.items() if of == earlier]
        if output not in dict(stage_specs):
            listed = ", ".join(f"'{name}' {describe_spec(spec)}" for name, spec in stage_specs)
            raise WebbuildError(
                "stage-mismatch",
                f"{taker} of {stage.source.path.name} takes '{output}' of stage {earlier}, but the packed graph has no "
                f"output of this name: it gives {listed}",
                f'take one of these with --pipeline FILE; or write task = "tensor" for stage {earlier} there, to keep '
                "its outputs",
                exit_code=USAGE,
            )


def joined_sizes(stage: PlannedStage, outputs: StageOutputs) -> dict[str, int]:
    """Return the sizes of free dimensions that the joined outputs determine, by name or "input:axis".

    Raises:
        WebbuildError: `stage-mismatch` if a size differs, or two outputs need different sizes.
    """
    sizes: dict[str, int] = {}
    specs = {spec.name: spec for spec in stage.source.signature.inputs}
    for join in stage.joins:
        spec, output = specs[join.input], outputs[join.stage, join.output]
        wrong = bool(spec.shape) and len(spec.shape) != len(output.shape)
        for axis, (dim, size) in enumerate(zip(spec.shape, output.shape, strict=False)):
            if not isinstance(size, int) or size < 0:
                continue
            wanted = dim if isinstance(dim, int) else sizes.setdefault(dim or f"{spec.name}:{axis}", size)
            wrong = wrong or wanted != size
        if wrong:
            raise stage_mismatch(stage, spec, f"'{join.output}' of stage {join.stage} is {describe_spec(output)}")
    return sizes


def stage_outputs(name: str, graph: ir.Model) -> StageOutputs:
    """Return the outputs of a stage's patched graph."""
    return {(name, spec.name): spec for spec in read_signature("", graph).outputs}
