"""The executable of a browser or of its driver: the one that an environment variable names, or one on the PATH."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from webbuild.errors import WebbuildError


@dataclass(frozen=True)
class Executable:
    """An executable, and why it was chosen."""

    path: Path
    source: str


def find_executable(
    variable: str, names: Sequence[str], environ: Mapping[str, str], not_found: Callable[[str], WebbuildError]
) -> Executable | None:
    """Return the executable that `variable` names, else the first of `names` on the PATH, None if none is there.

    Raises:
        WebbuildError: `not_found`, if `variable` names something else.
    """
    path = environ.get("PATH", os.defpath)
    if named := environ.get(variable):
        if executable := shutil.which(named, path=path):
            return Executable(Path(executable), variable)
        raise not_found(f"{variable} names {named}, which is not an executable file")
    found = ((name, shutil.which(name, path=path)) for name in names)
    return next((Executable(Path(executable), f"{name} on the PATH") for name, executable in found if executable), None)
