"""Tensor: the fallback for models without a recognized task, with inputs and outputs as plain tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from webbuild.manifest.manifest import TensorTask
from webbuild.manifest.tasks.tensor import JoinedTensor
from webbuild.model.signature import ModelSignature
from webbuild.runners.tensors import Tensors
from webbuild.tasks.base import TaskKind
from webbuild.tasks.crop_embeddings import infer_embedding
from webbuild.tasks.options.symbolic_dims import picture_sides
from webbuild.tasks.recognition.classifiers import infer_classifier, is_classifier
from webbuild.tasks.recognition.keypoint_families import infer_keypoint_maps
from webbuild.tasks.recognition.tensor_inputs import tensor_input_spec
from webbuild.tasks.recognition.to_crop_classifier import to_crop_classifier
from webbuild.tasks.run_context import RunContext
from webbuild.tasks.task_match import TaskMatch
from webbuild.tasks.type_names import TypeNames

GIVE_TASK = "give one with --task"
"""The fix for a model without a recognized task."""
_UNKNOWN = "task tensor: no task was recognized, so inputs and outputs stay tensors; {}"
_EXPORT_ONE = "input '{}' takes {} pictures in every run, so export the model with batch 1 or a free batch"


class TensorKind(TaskKind):
    """The caller passes every input, and gets every output."""

    spec = TensorTask
    description = "Returns the outputs of the model as they are"
    compares_predictions = False

    def infer(self, signature: ModelSignature, *, requested: bool = False) -> TaskMatch:
        """Return a match with all inputs as plain tensors."""
        return TaskMatch(
            TensorTask(),
            tuple(tensor_input_spec(fact) for fact in signature.inputs),
            () if requested else (_UNKNOWN.format(_fix(signature)),),
        )

    def needed_outputs(self, task: TensorTask) -> Sequence[str]:
        """Return no outputs."""
        return ()

    def decode(self, task: TensorTask, outputs: Tensors, context: RunContext) -> Sequence[object]:
        """Return no predictions."""
        return ()

    def for_crops(self, match: TaskMatch, signature: ModelSignature) -> TaskMatch | None:
        """Return the match as a crop stage: a classifier by names, else an embedding, else keypoint maps.

        Outside of crops, maps may be anything, so there names must indicate keypoints.
        """
        if is_classifier(signature) and (classifier := infer_classifier(signature)) is not None:
            return to_crop_classifier(classifier)
        return infer_embedding(signature) or infer_keypoint_maps(signature)

    def with_joined(self, task: TensorTask, joined: Sequence[JoinedTensor]) -> TensorTask:
        """Return the task with the tensors that its outputs are joined from; the page draws them."""
        return TensorTask(joined=list(joined))

    def typescript(self, task: TensorTask) -> TypeNames:
        """Return the type of a result that contains the outputs by name."""
        return TypeNames(named_outputs=True)


def _fix(signature: ModelSignature) -> str:
    """Return what to do for a task: tasks take one picture at a time, or a free batch."""
    for spec in signature.inputs:
        match spec.shape:
            case (int(batch), 3, _, _) | (int(batch), _, _, 3) if batch > 1 and picture_sides(spec):
                return _EXPORT_ONE.format(spec.name, batch)
    return GIVE_TASK


def result_tensors(result: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
    """Return the outputs in a result of the runtime, by name."""
    return {
        name: tensor["data"].reshape(tensor["dims"]).astype(bool if tensor["type"] == "bool" else tensor["data"].dtype)
        for name, tensor in result["outputs"].items()
    }


TASK = TensorKind()
