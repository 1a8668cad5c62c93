"""The dictionary of a text recognizer: the characters of its classes, in their order."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from webbuild.errors import USAGE, WebbuildError
from webbuild.model.signature import ModelSignature
from webbuild.tasks.options.labels import LabelsFile, labels_do_not_fit

_BLANKS = ("blank", "<blank>", "[blank]", "<BLANK>", "[CTCblank]")
"""How a dictionary that lists it names the class of no character."""


class Dictionary(Struct, frozen=True):
    """Characters, and where they are from, to end a sentence with."""

    characters: tuple[str, ...]
    source: str


class FittedDictionary(Struct, frozen=True):
    """A character for each class of a model, empty for that of `blank`."""

    characters: tuple[str, ...]
    blank: int


def known_dictionary(signature: ModelSignature) -> Dictionary | None:
    """Return the dictionary in a model's metadata or configuration files, None if there is none.

    RapidOCR writes it into the metadata, Paddle into `inference.yml`, docTR as the string `vocab` into `config.json`.
    """
    vocabulary = signature.hub_files.config.get("vocab")
    if text := signature.metadata.get("character", ""):
        return Dictionary(tuple(text.removesuffix("\n").split("\n")), "the model's metadata")
    if characters := signature.hub_files.characters:
        return Dictionary(characters, "inference.yml")
    return Dictionary(tuple(vocabulary), "config.json") if isinstance(vocabulary, str) else None


def read_dictionary(labels: LabelsFile) -> Dictionary:
    """Return the characters in a file: one a line, or all of them in one line, as docTR has its vocabulary.

    Only line feeds end a line: a dictionary may hold any other space.

    Raises:
        WebbuildError: `wrong-labels` for an empty line, and for a character that is there twice.
    """
    lines = labels.text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    entries = tuple(lines[0]) if len(lines) == 1 else tuple(lines)
    seen: dict[str, int] = {}
    for number, entry in enumerate(entries, 1):
        if not entry:
            fix = "give a dictionary with one character a line; a space is a line with a space"
            raise labels_do_not_fit(f"--labels {labels.path}: line {number} is empty", fix)
        if (first := seen.setdefault(entry, number)) != number:
            what = f"--labels {labels.path}: {entry!r} is there twice, at {first} and {number}"
            raise labels_do_not_fit(what, "give the dictionary that the model was trained with, unchanged")
    return Dictionary(entries, labels.path.name)


def fit_dictionary(characters: Sequence[str], classes: int, *, blank_first: bool) -> FittedDictionary | None:
    """Return a character for each class, None where there are not as many.

    1. As many as classes, one of them called `<blank>`: that is the blank.
    2. One fewer: the blank comes before them, or after them.
    3. Two fewer: a space is the last of them, as PaddleOCR adds it.
    """
    own = list(characters)
    if len(own) == classes:
        blank = next((at for at, each in enumerate(own) if each in _BLANKS), None)
        return None if blank is None else FittedDictionary((*own[:blank], "", *own[blank + 1 :]), blank)
    if len(own) == classes - 2:
        own.append(" ")
    if len(own) != classes - 1 or any("\n" in each for each in own):
        return None
    return FittedDictionary(("", *own), 0) if blank_first else FittedDictionary((*own, ""), classes - 1)


def dictionary_mismatch(dictionary: Dictionary, output: str, classes: int) -> WebbuildError:
    """Return the error of a dictionary of another length than the head, with what would fit."""
    return labels_do_not_fit(
        f"{dictionary.source}: {len(dictionary.characters)} characters, and output '{output}' has {classes} classes",
        f"give --labels a dictionary of {classes - 1} characters, of {classes - 2} to which a space is added, or of "
        f"{classes} with a line <blank>",
    )


def no_dictionary(output: str, classes: int) -> WebbuildError:
    """Return the error of a text recognizer without a dictionary."""
    return WebbuildError(
        "no-dictionary",
        f"output '{output}' has scores of {classes} characters, and nothing says which",
        f"give the dictionary, {classes - 1} or {classes - 2} characters one a line, with --labels FILE; "
        "or --task tensor, if this is no text recognizer",
        exit_code=USAGE,
    )
