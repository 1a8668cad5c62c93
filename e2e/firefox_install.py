"""A Firefox that starts: the one that is here, else Debian's. The tests alone need it.

`python -m e2e.firefox_install` prints its path on stdout, and on stderr what was chosen and why.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from webbuild.browser.ensure_chromium import LocalSystem, apt_install
from webbuild.errors import CLEAN, USAGE, WebbuildError

VARIABLE = "WEBBUILD_FIREFOX"
NAMES = ("firefox-esr", "firefox")

Say = Callable[[str], None]


def ensure(machine: LocalSystem, say: Say) -> Path:
    """Return a Firefox that starts, installed if it has to be. What `WEBBUILD_FIREFOX` names is never replaced.

    Raises:
        WebbuildError: `no-firefox`.
    """
    named = machine.environ.get(VARIABLE)
    names = (named,) if named else NAMES
    found = find(machine, names)
    if found is None and not named and machine.which("apt-get") and (privilege := machine.privilege()) is not None:
        say(f"There is no Firefox here. Installing Debian's: apt-get install {NAMES[0]} ...")
        apt_install(machine, privilege, NAMES[0], say)
        found = find(machine, names)
    if found is not None:
        return found
    raise WebbuildError(
        "no-firefox",
        f"firefox: {VARIABLE} names {named}, which does not start" if named else "firefox: none is here that starts",
        "`apt-get install firefox-esr` (Debian), Mozilla's own package (Ubuntu, whose archive has only a snap), "
        f"or name an executable in {VARIABLE}",
        exit_code=USAGE,
    )


def find(machine: LocalSystem, names: tuple[str, ...]) -> Path | None:
    """Return the first that starts."""
    paths = (machine.which(name) for name in names)
    return next((path for path in paths if path and machine.run([str(path), "--version"], seconds=60) is None), None)


def main(machine: LocalSystem | None = None) -> int:
    """Print the path of a Firefox that starts."""
    import click

    def say(line: str) -> None:
        click.echo(line, err=True)

    try:
        found = ensure(machine or LocalSystem(), say)
    except WebbuildError as error:
        say(str(error))
        return error.exit_code
    say(f"Firefox: {found}")
    click.echo(str(found))
    return CLEAN


if __name__ == "__main__":
    sys.exit(main())
