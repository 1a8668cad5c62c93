"""What a stage says of each crop, in words."""

from __future__ import annotations

from webbuild.manifest.manifest import CropClassesTask, CropEmbeddingsTask, KeypointsTask, Task, TextTask


def crop_attribute_text(task: Task) -> str:
    """Return what a stage says of an object, as part of a sentence; empty for one that looks at no crops."""
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
