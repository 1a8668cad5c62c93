"""Classifiers behind a detector: which models are classifiers, and what their classes are called."""

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


def crop_classifier(signature: ModelSignature) -> TaskMatch | None:
    """Return what a model is as a classifier of pictures, with the names that `config.json` has for its classes."""
    match = CLASSIFY.infer(signature, requested=True)
    names = hub_class_names(signature)
    if match is None or not isinstance(match.task, ClassifyTask) or len(names) != len(match.task.classes):
        return match
    said = tuple(each for each in match.assumptions if "are numbered" not in each)
    task = msgspec.structs.replace(match.task, classes=names)
    return msgspec.structs.replace(match, task=task, assumptions=(*said, "the class names are those in config.json"))


def is_classifier(signature: ModelSignature) -> bool:
    """Whether the one output [1, classes] of a model are scores, and no embedding: names, numbers or its end say so."""
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
