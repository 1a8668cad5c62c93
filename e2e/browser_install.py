"""A Firefox and a WebKit driver that start: the installed ones, else Debian's. Only the tests install them.

`python -m e2e.browser_install firefox` prints its path on stdout, and on stderr what was chosen and why.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from webbuild.browser import firefox, webkit
from webbuild.browser.ensure_chromium import LocalSystem, apt_install
from webbuild.errors import CLEAN, WebbuildError

Say = Callable[[str], None]


class Kind(Struct, frozen=True):
    """A browser: its name, the environment variable for another executable, its executable names, its Debian packages.

    `shows` is an argument with which the executable prints something and exits. `besides` are other required programs.
    """

    title: str
    variable: str
    names: tuple[str, ...]
    packages: tuple[str, ...]
    error: Callable[[str], WebbuildError]
    shows: str = "--version"
    besides: tuple[str, ...] = ()


KINDS = {
    "firefox": Kind("Firefox", firefox.VARIABLE, firefox.NAMES, ("firefox-esr",), firefox.no_firefox_error),
    "webkit": Kind(
        *("WebKitGTK's driver", webkit.VARIABLE, webkit.NAMES, ("webkit2gtk-driver", "xvfb"), webkit.no_webkit_error),
        shows="--help",
        besides=("Xvfb",),
    ),
}


def ensure(kind: Kind, machine: LocalSystem, say: Say) -> Path:
    """Return an executable that starts, installed if necessary. The one in the environment variable is never replaced.

    Raises:
        WebbuildError: `no-firefox`, `no-webkit`.
    """
    named = machine.environ.get(kind.variable)
    found = find(kind, machine)
    if found is None and not named and machine.which("apt-get") and (privilege := machine.privilege()) is not None:
        say(f"There is no {kind.title} here. Installing Debian's: apt-get install {' '.join(kind.packages)} ...")
        for package in kind.packages:
            apt_install(machine, privilege, package, say)
        found = find(kind, machine)
    if found is not None:
        return found
    raise kind.error(f"{kind.variable} names {named}, which does not start" if named else "none is here that starts")


def find(kind: Kind, machine: LocalSystem) -> Path | None:
    """Return the first executable that starts."""
    named = machine.environ.get(kind.variable)
    if not all(machine.which(name) for name in kind.besides):
        return None
    paths = (machine.which(name) for name in ((named,) if named else kind.names))
    return next((path for path in paths if path and machine.run([str(path), kind.shows], seconds=60) is None), None)


def main(arguments: list[str], machine: LocalSystem | None = None) -> int:
    """Print the path of an executable that starts."""
    import click

    def say(line: str) -> None:
        click.echo(line, err=True)

    kind = KINDS[arguments[0]]
    try:
        found = ensure(kind, machine or LocalSystem(), say)
    except WebbuildError as error:
        say(str(error))
        return error.exit_code
    say(f"{kind.title}: {found}")
    click.echo(str(found))
    return CLEAN


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
