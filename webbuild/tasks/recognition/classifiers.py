"""Recognition of image classifiers for a stage after a detector, with class names from `config.json`."""

from __future__ import annotations

import re

import msgspec

from webbuild.manifest.manifest import ClassifyTask
from webbuild.model.signature import ModelSignature, TensorSpec
from webbuild.tasks.classify import TASK as CLASSIFY
from webbuild.tasks.recognition.metadata import hub_class_names
from webbuild.tasks.task_match import TaskMatch

_SCORES = re.compile(r"logit|prob|softmax|score|class|pred", re.IGNORECASE)
_CLASSIFIER_FILE = re.compile(r"(^|[-_.])cls|classif", re.IGNORECASE)
_IMAGENET_CLASSES = (1000, 1001)


def infer_classifier(signature: ModelSignature) -> TaskMatch | None:
    """Return the match of an image classifier, with class names from `config.json`; None for other models."""
    match = CLASSIFY.infer(signature, requested=True)
    names = hub_class_names(signature)
    if match is None or not isinstance(match.task, ClassifyTask) or len(names) != len(match.task.classes):
        return match
    assumptions = tuple(each for each in match.assumptions if "are numbered" not in each)
    task = msgspec.structs.replace(match.task, classes=names)
    return msgspec.structs.replace(
        match, task=task, assumptions=(*assumptions, "the class names are those in config.json")
    )


def is_classifier(signature: ModelSignature) -> bool:
    """Whether the only output [1, classes] has class scores, not an embedding: by names, count or last operator."""
    match signature.outputs:
        case (TensorSpec(shape=(1, int(count))) as output,):
            return bool(
                len(hub_class_names(signature)) == count
                or count in _IMAGENET_CLASSES
                or output.operator in ("Softmax", "Sigmoid", "LogSoftmax")
                or _SCORES.search(output.name)
                or _CLASSIFIER_FILE.search(signature.file)
            )
    return False
