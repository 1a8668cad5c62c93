"""Syntax check of glue in Chromium."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from webbuild.browser.module_syntax import compile_modules
from webbuild.errors import USAGE, WebbuildError


def check_glue_syntax(files: Sequence[Path]) -> Iterator[str]:
    """Raise for a module with a syntax error; yield a note if modules cannot be checked, as without Chromium.

    Raises:
        WebbuildError: `invalid-glue`, with the line.
    """
    if not files:
        return
    try:
        mistakes = compile_modules(files)
    except WebbuildError as error:
        named = ", ".join(map(str, files))
        yield f"the syntax of {named} is not checked: {error.message}; the page checks it when it loads the bundle"
        return
    for file, mistake in zip(files, mistakes, strict=True):
        if mistake is not None:
            what = f"{file}:{mistake['line']}: {mistake['message']}"
            fix = f"correct line {mistake['line']}: the module is not valid JavaScript"
            raise WebbuildError("invalid-glue", what, fix, exit_code=USAGE)
