"""The attribute that a crop stage adds to each object, as text."""

from __future__ import annotations

from webbuild.manifest.manifest import CropClassesTask, CropEmbeddingsTask, KeypointsTask, Task, TextTask


def crop_attribute_text(task: Task) -> str:
    """Return the attribute that a stage adds to an object, as part of a sentence; "" for a stage without crops."""
    match task:
        case KeypointsTask():
            return f"{len(task.keypoints)} keypoints"
        case CropClassesTask():
            return f"which of {len(task.classes)} classes it is"
        case CropEmbeddingsTask():
            return f"a vector of {task.size} numbers"
        case TextTask():
            return "its text"
    return ""
