"""Crop embeddings: a unit vector for each detected object, for example to compare faces."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from webbuild.compare.tolerances import Tolerance
from webbuild.manifest.manifest import CropEmbeddingsTask, CropInput
from webbuild.model.signature import ModelSignature, TensorSpec
from webbuild.postprocess.unit_vectors import unit_vectors
from webbuild.preprocess.crop_box import Crop
from webbuild.tasks.decoding.crop_detection import CropDetection
from webbuild.tasks.kind.crop_kind import CropKind, detection_fields
from webbuild.tasks.recognition.crop_embedding_families import embedding_family
from webbuild.tasks.recognition.image_input import fixed_image_input
from webbuild.tasks.task_match import TaskMatch


class CropEmbeddingsKind(CropKind):
    """See `CropEmbeddingsTask` for the output."""

    spec = CropEmbeddingsTask
    needs_earlier = True
    crop_attribute = "embedding"
    description = "Gives a vector for each object that a detector found, to compare it with others"
    required_signature = "one picture, and one output [1, size], a vector"

    def infer(self, signature: ModelSignature, *, requested: bool = False) -> TaskMatch | None:
        """Return a match if the user requests the task; after a detector, `for_crops` of `TensorKind` gives it."""
        return infer_embedding(signature) if requested else None

    def decode_crop(self, task: CropEmbeddingsTask, crop: Crop, values: NDArray[Any]) -> CropDetection:
        """Return the object of a crop with its unit vector."""
        return CropDetection(**{**detection_fields(crop), "embedding": tuple(unit_vectors(values.ravel()).tolist())})

    def tolerance_text(self, tolerance: Tolerance) -> str:
        """Return the tolerance of predictions in words."""
        return f"vectors a cosine distance of {tolerance.cosine:g}"

    def summary(self, task: CropEmbeddingsTask, pictures: int) -> str:
        """Return what the model does."""
        return f"Gives a vector of {task.size} numbers for a crop."

    def summary_behind_detector(self, task: CropEmbeddingsTask) -> str:
        """Return what an earlier stage and this stage do together."""
        return f"Finds objects, and gives a vector of {task.size} numbers for each, looked at in a crop."


def infer_embedding(signature: ModelSignature) -> TaskMatch | None:
    """Return the spec of a model that takes one picture and has one output [1, size], or [1, size, 1, 1]."""
    vectors = [each for each in signature.outputs if each.dtype == "float32" and vector_size(each)]
    if len(signature.inputs) != 1 or len(vectors) != 1:
        return None
    (picture,), (output,) = signature.inputs, vectors
    image = fixed_image_input(picture, "nchw", "nhwc")
    if image is None:
        return None
    crop = CropInput(
        name=image.name, dtype=image.dtype, shape=image.shape, layout=image.layout,
        scale=1.0, mean=[0.0] * 3, std=[1.0] * 3, padding=1.0,
    )  # fmt: skip
    family = embedding_family(signature, crop)
    size = vector_size(output)
    assumption = f"task crop-embeddings: output '{output.name}' is a vector of {size} numbers, divided by its length"
    advice = f"{assumption}; --task classify or --labels FILE if these are scores of classes"
    task = CropEmbeddingsTask(output=output.name, size=size)
    return TaskMatch(task, (family.crop,), (advice, family.assumption), guessed_recipe=family.assumption)


def vector_size(output: TensorSpec) -> int:
    """Return the size of an output's vector, 0 if the output is not a vector."""
    match output.shape:
        case (1, int(size)) | (1, int(size), 1, 1) if size > 1:
            return size
    return 0


TASK = CropEmbeddingsKind()
