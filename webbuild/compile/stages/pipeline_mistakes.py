"""Errors in a pipeline file, reworded from the parser's types and regular expressions to the terms of the file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import NamedTuple

_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)
_TOP = ("stages", "joins")


class Mistake(NamedTuple):
    """A mistake and its fix; if it is empty, the fix is an example of a pipeline file."""

    what: str
    fix: str = ""


def explain_mistake(message: str, value: object, fields: Iterable[str], form: str) -> Mistake:
    """Return the mistake that a validation message of msgspec reports.

    Args:
        message: the message, without its path.
        value: the value that was converted.
        fields: the field names that are allowed at that path.
        form: the valid form, if the value is a text with a pattern.
    """
    if unknown := _UNKNOWN.fullmatch(message):
        return unknown_name("field", unknown[1], fields)
    if " matching regex " in message:
        return Mistake(f"{value if isinstance(value, str) else 'a name'} is not of the right form", f"write {form}")
    return Mistake(message)


def unknown_name(what: str, name: str, known: Iterable[str]) -> Mistake:
    """Return the mistake of an unknown name, with the most similar known name."""
    names = list(known)
    if what == "field" and name in _TOP and name not in names:
        return Mistake(f"there is no field {name} in a stage", f"write [{name}] as a separate table")
    near = get_close_matches(name, names, 1)
    return Mistake(f"there is no {what} {name}", f"write {near[0] if near else 'one of ' + ', '.join(names)}")


def stage_slug(name: str) -> str:
    """Return a valid stage name close to `name`."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:60].strip("-") or "encoder"
