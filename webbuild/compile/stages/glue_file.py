"""The JavaScript module of a stage, before it is copied into a bundle: a single file of the pipeline's folder."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

_SUFFIXES = (".js", ".mjs")
_COMMENT = re.compile(r"/\*.*?\*/|(?<!:)//[^\n]*", re.DOTALL)
_IMPORT = re.compile(r"""(?<![.\w$])(?:from\s*|import\s*\(?\s*)(["'])(?P<name>[^"'\n]+)\1""")
_ADDRESS = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|/")


class GlueProblem(NamedTuple):
    """What is wrong with a module, and its fix."""

    what: str
    fix: str


def glue_problem(file: Path, folder: Path) -> GlueProblem | None:
    """Return why a file cannot be the module of a stage of a pipeline in `folder`, None where it can.

    It is published with the bundle, so it has to be a JavaScript file of that folder, links followed. It is copied
    alone, so it may import nothing from beside it.
    """
    found = file.resolve()
    if not found.is_file():
        return GlueProblem(f"{file}: no such file", "write its path, seen from the folder of the pipeline's file")
    if found.suffix not in _SUFFIXES:
        return GlueProblem(f"{file}: it is no .js or .mjs file", "write the path of a JavaScript module")
    if not found.is_relative_to(folder.resolve()):
        fix = "move it into that folder: what a bundle holds is published"
        return GlueProblem(f"{file}: it lies outside of the folder of the pipeline's file", fix)
    try:
        text = found.read_text("utf-8")
    except (OSError, ValueError) as error:
        return GlueProblem(f"{file}: it cannot be read: {error}", "write the path of a JavaScript module in UTF-8")
    missing = next((name for name in _imports(text) if not _ADDRESS.match(name)), None)
    if missing is None:
        return None
    fix = "put all of it into one file, with a bundler such as esbuild, or import a URL"
    return GlueProblem(f'{file}: it imports "{missing}", and a bundle holds this file alone', fix)


def _imports(text: str) -> list[str]:
    """Return the names of modules that a text imports, outside of its comments."""
    return [match["name"] for match in _IMPORT.finditer(_COMMENT.sub("", text))]
