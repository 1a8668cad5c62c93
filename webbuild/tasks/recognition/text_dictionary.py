"""The dictionary of a text recognizer: the characters of its classes, in order."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from webbuild.errors import USAGE, WebbuildError
from webbuild.model.signature import ModelSignature
from webbuild.tasks.options.labels import LabelsFile, labels_do_not_fit
from webbuild.tasks.recognition.metadata import listed_labels

_BLANKS = ("blank", "<blank>", "[blank]", "<BLANK>", "[CTCblank]")
"""Names of the blank class (no character) in a dictionary that lists it."""


class Dictionary(Struct, frozen=True):
    """Characters, and their source as the end of a sentence."""

    characters: tuple[str, ...]
    source: str


class FittedDictionary(Struct, frozen=True):
    """A character for each class of a model; the character of class `blank` is empty."""

    characters: tuple[str, ...]
    blank: int


def known_dictionary(signature: ModelSignature) -> Dictionary | None:
    """Return the dictionary in a model's metadata or configuration files, None if there is none.

    RapidOCR writes it into the metadata, Paddle into `inference.yml`, docTR as the string `vocab` into `config.json`.
    """
    vocabulary = signature.hub_files.config.get("vocab")
    if labels := listed_labels(signature):
        return Dictionary(tuple(labels), "the model's metadata")
    if characters := signature.hub_files.characters:
        return Dictionary(characters, "inference.yml")
    return Dictionary(tuple(vocabulary), "config.json") if isinstance(vocabulary, str) else None


def read_dictionary(labels: LabelsFile) -> Dictionary:
    """Return the characters in a file: one per line, or all in one line, as in docTR's vocabularies.

    Only line feeds end a line: a dictionary may contain any other space. A character may be there twice, as in
    PaddleOCR's `ppocrv5_arabic_dict.txt`: each line is a class.

    Raises:
        WebbuildError: `wrong-labels` for an empty line.
    """
    lines = labels.text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    entries = tuple(lines[0]) if len(lines) == 1 else tuple(lines)
    if "" in entries:
        fix = "give a dictionary with one character a line; a space is a line with a space"
        raise labels_do_not_fit(f"--labels {labels.path}: line {entries.index('') + 1} is empty", fix)
    return Dictionary(entries, labels.path.name)


def fit_dictionary(characters: Sequence[str], classes: int, *, blank_first: bool) -> FittedDictionary | None:
    """Return a character for each class, None if the number of characters does not fit.

    1. As many characters as classes, one of them `<blank>`: that class is the blank.
    2. One character fewer: the blank comes first, or last.
    3. Two characters fewer: also append a space, as PaddleOCR does.
    """
    letters = list(characters)
    if len(letters) == classes:
        blank = next((at for at, each in enumerate(letters) if each in _BLANKS), None)
        return None if blank is None else FittedDictionary((*letters[:blank], "", *letters[blank + 1 :]), blank)
    if len(letters) == classes - 2:
        letters.append(" ")
    if len(letters) != classes - 1 or any("\n" in each for each in letters):
        return None
    return FittedDictionary(("", *letters), 0) if blank_first else FittedDictionary((*letters, ""), classes - 1)


def dictionary_mismatch(dictionary: Dictionary, output: str, classes: int) -> WebbuildError:
    """Return the error for a dictionary of the wrong length, with the lengths that would fit."""
    return labels_do_not_fit(
        f"{dictionary.source}: {len(dictionary.characters)} characters, and output '{output}' has {classes} classes",
        f"give --labels a dictionary of {classes - 1} characters, of {classes - 2} to which a space is added, or of "
        f"{classes} with a line <blank>",
    )


def no_dictionary(output: str, classes: int) -> WebbuildError:
    """Return the error for a text recognizer without a dictionary."""
    return WebbuildError(
        "no-dictionary",
        f"output '{output}' has scores of {classes} characters, and its dictionary is unknown",
        f"give the dictionary, {classes - 1} or {classes - 2} characters one per line, with --labels FILE; "
        "or --task tensor, if this is not a text recognizer",
        exit_code=USAGE,
    )
