"""Errors in a pipeline file, reworded from the parser's types and regular expressions to the terms of the file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import NamedTuple

_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)
_TOP = ("stages", "joins")


class Mistake(NamedTuple):
    """What is wrong, and its fix; an empty fix where the example of a file says as much."""

    what: str
    fix: str = ""


def explain_mistake(message: str, value: object, fields: Iterable[str], form: str) -> Mistake:
    """Return what a message of msgspec says.

    Args:
        message: the message, without its place.
        value: what was converted.
        fields: the names that the object at that place may have.
        form: how to write a text that has a form.
    """
    if unknown := _UNKNOWN.fullmatch(message):
        return unknown_name("field", unknown[1], fields)
    if " matching regex " in message:
        return Mistake(f"{value if isinstance(value, str) else 'a name'} is not of the right form", f"write {form}")
    return Mistake(message)


def unknown_name(what: str, name: str, known: Iterable[str]) -> Mistake:
    """Return that there is nothing of a name, with the nearest that there is."""
    names = list(known)
    if what == "field" and name in _TOP and name not in names:
        return Mistake(f"there is no field {name} in a stage", f"write [{name}] as a table of its own")
    near = get_close_matches(name, names, 1)
    return Mistake(f"there is no {what} {name}", f"write {near[0] if near else 'one of ' + ', '.join(names)}")


def stage_slug(name: str) -> str:
    """Return a stage's name as it may be written."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:60].strip("-") or "encoder"
