"""An image classifier as a stage that classifies crops of detected boxes."""

from __future__ import annotations

from webbuild.manifest.manifest import ClassifyTask, CropClassesTask, CropInput, ImageInput
from webbuild.tasks.task_match import TaskMatch


def to_crop_classifier(match: TaskMatch) -> TaskMatch:
    """Return the match of a classifier for crops; each crop is a detected box without a margin.

    If the classifier's preprocessing stretches pictures, boxes are stretched. Otherwise it was trained on undistorted
    pictures, so a box is enlarged to the input's aspect ratio; a centre crop could lose a person's head.
    """
    task, (image,) = match.task, match.inputs
    assert isinstance(task, ClassifyTask)
    assert isinstance(image, ImageInput)
    stretched = image.letterbox.mode == "stretch"
    crop = CropInput(
        name=image.name, dtype=image.dtype, shape=image.shape, layout=image.layout, color=image.color,
        scale=image.scale, mean=image.mean, std=image.std, padding=1.0, aspect="stretch" if stretched else "keep",
    )  # fmt: skip
    how = "stretched to the input" if stretched else "enlarged to the input's aspect ratio"
    assumptions = tuple(
        each for each in match.assumptions if "pictures are " not in each and "task classify" not in each
    )
    assumption = f"task crop-classes with {len(task.classes)} classes; boxes are {how}"
    return TaskMatch(
        CropClassesTask(output=task.output, classes=task.classes, logits=task.logits),
        (crop,),
        (assumption, *assumptions),
    )
