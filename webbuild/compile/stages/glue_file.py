"""Checks a stage's glue, a JavaScript module, before it is copied into a bundle."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from webbuild.compile.stages.javascript_text import STRING, JavaScriptText, scan_javascript
from webbuild.errors import USAGE, WebbuildError

_SUFFIXES = (".js", ".mjs")
_IMPORT = re.compile(rf"(?<![.\w$])(?:from\s*|import\s*\(?\s*)(?P<name>{STRING})")
_ADDRESS = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|/")
_DEFAULT = re.compile(r"(?<![.\w$])export\s*(?:default(?![\w$])|\{[^}]*(?<![\w$])default(?![\w$]))")


class GlueProblem(NamedTuple):
    """A problem of a module, and its fix."""

    what: str
    fix: str


def check_glue(file: Path | None, pipeline: Path | None, models: int) -> None:
    """Check that the module of `--glue` can compute inputs of the last of several models.

    Raises:
        WebbuildError: `conflicting-options`, `invalid-glue`.
    """
    if file is None:
        return
    if pipeline is not None:
        what, fix = (
            f"--glue {file}: the file of --pipeline {pipeline} sets the glue of its stages",
            "write glue = there",
        )
        raise WebbuildError("conflicting-options", what, fix, exit_code=USAGE)
    if models < 2:
        what, fix = f"--glue {file}: glue runs between two models", "give also the model that runs before it"
        raise WebbuildError("conflicting-options", what, fix, exit_code=USAGE)
    if (problem := glue_problem(file)) is not None:
        raise WebbuildError("invalid-glue", problem.what, problem.fix, exit_code=USAGE)


def glue_problem(file: Path, folder: Path | None = None) -> GlueProblem | None:
    """Return why a file cannot be the module of a stage, None if it can.

    The module is published with the bundle: if a pipeline file in `folder` names it, it must be in that folder, after
    resolving links. Only this file is copied: it may not import other local files.
    """
    resolved = file.resolve()
    if not resolved.is_file():
        relative_text = "" if folder is None else ", relative to the folder of the pipeline file"
        return GlueProblem(f"{file}: no such file", f"write its path{relative_text}")
    if resolved.suffix not in _SUFFIXES:
        return GlueProblem(f"{file}: it is not a .js or .mjs file", "write the path of a JavaScript module")
    if folder is not None and not resolved.is_relative_to(folder.resolve()):
        fix = "move it into that folder: all files of a bundle are published"
        return GlueProblem(f"{file}: it is outside of the folder of the pipeline file", fix)
    try:
        text = scan_javascript(resolved.read_text("utf-8"))
    except (OSError, ValueError) as error:
        return GlueProblem(f"{file}: it cannot be read: {error}", "write the path of a JavaScript module in UTF-8")
    if not _DEFAULT.search(text.code):
        fix = "write `export default (tensors, context) => ({ ... })`, which returns inputs of the stage by name"
        return GlueProblem(f"{file}: it has no default export", fix)
    missing = next((name for name in _imports(text) if not _ADDRESS.match(name)), None)
    if missing is None:
        return None
    fix = "bundle it into one file, for example with esbuild, or import a URL"
    return GlueProblem(f'{file}: it imports "{missing}", and only this file is copied into the bundle', fix)


def _imports(text: JavaScriptText) -> list[str]:
    """Return the module names that a text imports; for a template, its constant beginning."""
    names = [text.string_at(match.start("name")) for match in _IMPORT.finditer(text.code)]
    return [name for name in names if name]
