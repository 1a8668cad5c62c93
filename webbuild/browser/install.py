"""A Chromium that starts: the one that is here, else Playwright's, else Debian's.

`python -m webbuild.browser.install` prints its path on stdout, and on stderr what was chosen and why.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from webbuild.browser.discovery import NAMES, VARIABLE, Found
from webbuild.errors import CLEAN, USAGE, WebbuildError

Say = Callable[[str], None]

_PLAYWRIGHT = (sys.executable, "-m", "playwright")
_APT = ("env", "DEBIAN_FRONTEND=noninteractive", "apt-get")
_LIBRARY = "libatomic1"
_SECONDS = 1800.0


class Machine(Protocol):
    """What finding a browser takes of the machine."""

    environ: Mapping[str, str]

    def which(self, name: str) -> Path | None:
        """Return the executable that a name or a path means."""

    def bundled(self) -> Path | None:
        """Return where Playwright keeps its own browser, whether or not it is there."""

    def run(self, command: Sequence[str], seconds: float = _SECONDS) -> str | None:
        """Run a command without input. Returns None when it ended well, else what went wrong, in one line."""

    def privilege(self) -> Sequence[str] | None:
        """Return what to put before a command so that it may install packages, None where nothing helps."""


def ensure(machine: Machine, say: Say) -> Found:
    """Return a browser that starts, installed if it has to be. What `WEBBUILD_CHROMIUM` names is never replaced.

    Raises:
        WebbuildError: `no-chromium`, `no-playwright`.
    """
    _start_playwright(machine, say)
    if named := machine.environ.get(VARIABLE):
        return _named(machine, named)
    tried = (_present, _from_playwright, _from_debian)
    found = next((found for way in tried for found in way(machine, say)), None)
    if found is None:
        raise WebbuildError(
            "no-chromium",
            "chromium: none is here, and none could be installed",
            f"install Chromium or Google Chrome by hand, or name an executable in {VARIABLE}",
            exit_code=USAGE,
        )
    return found


def _start_playwright(machine: Machine, say: Say) -> None:
    """See that Playwright's driver starts: without it no browser is of use.

    It wants a library that small installations of Debian and Ubuntu do not have.
    """
    why = machine.run([*_PLAYWRIGHT, "--version"])
    if why is None:
        return
    privilege = machine.privilege() if machine.which("apt-get") else None
    if privilege is not None:
        say(f"Playwright does not start: {why}. Installing {_LIBRARY} ...")
        apt_install(machine, privilege, _LIBRARY, say)
        why = machine.run([*_PLAYWRIGHT, "--version"])
    if why is not None:
        raise WebbuildError(
            "no-playwright",
            f"playwright: its driver does not start: {why}",
            f"`apt-get install {_LIBRARY}` (Debian, Ubuntu), or see what `python -m playwright --version` lacks",
            exit_code=USAGE,
        )


def _named(machine: Machine, named: str) -> Found:
    path = machine.which(named)
    why = "it is no executable file" if path is None else _broken(machine, path)
    if path is not None and why is None:
        return Found(path, VARIABLE)
    raise WebbuildError(
        "no-chromium",
        f"chromium: {VARIABLE} names {named}, which does not start: {why}",
        f"name a Chromium that runs in {VARIABLE}, or unset it",
        exit_code=USAGE,
    )


def _present(machine: Machine, say: Say) -> Iterator[Found]:
    yield from _on_path(machine, say)
    yield from _bundled(machine, say)


def _from_playwright(machine: Machine, say: Say) -> Iterator[Found]:
    """Download Playwright's build and, where that may be done, the system libraries that it needs."""
    say("There is no Chromium here. Downloading Playwright's, about 170 MB ...")
    if why := machine.run([*_PLAYWRIGHT, "install", "--no-shell", "chromium"]):
        say(f"  that failed: {why}")
        return
    yield from _bundled(machine, say)
    privilege = machine.privilege()
    if privilege is not None:
        say("Installing the system libraries that it needs ...")
        if why := machine.run([*privilege, *_PLAYWRIGHT, "install-deps", "chromium"]):
            say(f"  that failed: {why}")
        yield from _bundled(machine, say)


def _from_debian(machine: Machine, say: Say) -> Iterator[Found]:
    privilege = machine.privilege()
    if machine.which("apt-get") is None:
        return
    if privilege is None:
        say("Installing Debian's takes root, or sudo without a password: apt-get install chromium")
        return
    say("Installing Debian's: apt-get install chromium ...")
    apt_install(machine, privilege, "chromium", say)
    yield from _on_path(machine, say)


def apt_install(machine: Machine, privilege: Sequence[str], package: str, say: Say) -> None:
    """Install a package of Debian's; what fails is said, and shows when the program is looked for again."""
    if why := machine.run([*privilege, *_APT, "update", "-q"]):
        say(f"  apt-get update failed: {why}")
    if why := machine.run([*privilege, *_APT, "install", "-qy", "--no-install-recommends", package]):
        say(f"  that failed: {why}")


def _on_path(machine: Machine, say: Say) -> Iterator[Found]:
    for name in NAMES:
        if path := machine.which(name):
            yield from _if_it_starts(machine, Found(path, f"{name} on the PATH"), say)


def _bundled(machine: Machine, say: Say) -> Iterator[Found]:
    path = machine.bundled()
    if path is not None and machine.which(str(path)):
        yield from _if_it_starts(machine, Found(path, "Playwright's own"), say)


def _if_it_starts(machine: Machine, found: Found, say: Say) -> Iterator[Found]:
    if why := _broken(machine, found.path):
        say(f"Passing over {found.path}, which does not start: {why}")
    else:
        yield found


def _broken(machine: Machine, path: Path) -> str | None:
    """Return why an executable is no browser: a library is missing, or it only asks to install a snap."""
    return machine.run([str(path), "--version"], seconds=60)


class ThisMachine:
    """The machine that this program runs on."""

    environ: Mapping[str, str] = os.environ

    def which(self, name: str) -> Path | None:
        """See `Machine`."""
        path = shutil.which(name)
        return None if path is None else Path(path)

    def bundled(self) -> Path | None:
        """See `Machine`."""
        from playwright.sync_api import sync_playwright

        with sync_playwright() as playwright:
            path = playwright.chromium.executable_path
        return Path(path) if path else None

    def run(self, command: Sequence[str], seconds: float = _SECONDS) -> str | None:
        """See `Machine`."""
        try:
            ended = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=seconds,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return str(error)
        return gist(ended.stdout.decode(errors="replace"), ended.returncode) if ended.returncode else None

    def privilege(self) -> Sequence[str] | None:
        """See `Machine`."""
        if os.geteuid() == 0:
            return ()
        return ("sudo", "-n") if self.run(["sudo", "-n", "true"], seconds=30) is None else None


def gist(output: str, code: int) -> str:
    """Return the line of a failed command's output that says most: the first with an error in it, else the last."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    telling = (line for line in lines if "error" in line.lower())
    return next(telling, lines[-1] if lines else f"exit code {code}")[:300]


def main(machine: Machine | None = None) -> int:
    """Print the path of a browser that starts."""
    import click

    def say(line: str) -> None:
        click.echo(line, err=True)

    try:
        found = ensure(machine or ThisMachine(), say)
    except WebbuildError as error:
        say(str(error))
        return error.exit_code
    say(f"Chromium: {found.path} ({found.origin})")
    click.echo(str(found.path))
    return CLEAN


if __name__ == "__main__":
    sys.exit(main())
