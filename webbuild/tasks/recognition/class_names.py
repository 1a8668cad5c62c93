"""Read a file of class names: one per line, or JSON."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec

from webbuild.tasks.options.labels import LabelsFile, labels_do_not_fit, unreadable_labels
from webbuild.tasks.task_match import TaskMatch


def read_class_names(labels: LabelsFile) -> list[str]:
    """Return the names in the order of their indices: lines, a JSON list, or a JSON object of index to name.

    Raises:
        WebbuildError: `unreadable-labels`.
    """
    path, text = labels.path, labels.text
    return _from_json(path, text) if text.lstrip()[:1] in ("[", "{") else _from_lines(path, text)


def _from_lines(path: Path, text: str) -> list[str]:
    lines = [line.strip() for line in text.rstrip().splitlines()]
    for number, line in enumerate(lines, 1):
        if not line:
            raise unreadable_labels(path, f"line {number} is empty")
    return lines


def _from_json(path: Path, text: str) -> list[str]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise unreadable_labels(path, f"begins like JSON, but is not valid JSON: {error}") from error
    names = value
    if isinstance(value, dict):
        if sorted(value) != sorted(str(index) for index in range(len(value))):
            raise unreadable_labels(path, "its keys are not the indices 0, 1, 2 and so on")
        names = [value[str(index)] for index in range(len(value))]
    for index, name in enumerate(names):
        if not isinstance(name, str) or not name.strip():
            raise unreadable_labels(path, f"the name of index {index} is not a string")
    return [name.strip() for name in names]


def with_class_names(match: TaskMatch, labels: LabelsFile) -> TaskMatch:
    """Return the match with the class names from the file.

    Raises:
        WebbuildError: `unreadable-labels`, `wrong-labels`.
    """
    names, classes = read_class_names(labels), getattr(match.task, "classes", None)
    if classes is None:
        raise labels_do_not_fit(
            f"--labels {labels.path}: {len(names)} name(s), and no output of the model has so many classes",
            "give one name for each class, or say --task too",
        )
    if len(names) != len(classes):
        what = f"--labels {labels.path}: {len(names)} names, the model has {count_classes(len(classes))}"
        raise labels_do_not_fit(what, "give one name for each class, in the order of their indices")
    assumption = f"the class names are those in {labels.path.name}"
    named = msgspec.structs.replace(match.task, classes=names)
    return msgspec.structs.replace(match, task=named, assumptions=(*match.assumptions, assumption))


def count_classes(count: int) -> str:
    """Return `1 class`, `80 classes`."""
    return "1 class" if count == 1 else f"{count} classes"
