"""A classifier that looks at crops: how a box goes into it."""

from __future__ import annotations

from webbuild.manifest.manifest import ClassifyTask, CropClassesTask, CropInput, ImageInput
from webbuild.tasks.task_match import TaskMatch


def classifier_of_crops(match: TaskMatch) -> TaskMatch:
    """Return a classifier that looks at crops: its pictures are the boxes themselves.

    What its own pre-processing stretches is stretched. Elsewhere it saw undistorted pictures, so a box grows along one
    side to the input's aspect ratio; cutting it to its middle would lose a person's head.
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
    said = tuple(each for each in match.assumptions if "pictures are " not in each and "task classify" not in each)
    told = f"task crop-classes with {len(task.classes)} classes; boxes are {how}"
    return TaskMatch(
        CropClassesTask(output=task.output, classes=task.classes, logits=task.logits), (crop,), (told, *said)
    )
