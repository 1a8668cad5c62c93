"""Find a Chromium that starts: an installed one, else Playwright's, else Debian's.

`python -m webbuild.browser.ensure_chromium` prints its path on stdout, and the reason for the choice on stderr.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from webbuild.browser.executable import Executable
from webbuild.browser.find_chromium import CHROMIUM_VARIABLE, EXECUTABLE_NAMES, usual_places
from webbuild.browser.require_playwright import require_playwright
from webbuild.errors import CLEAN, USAGE, WebbuildError

ProgressCallback = Callable[[str], None]

_PLAYWRIGHT = (sys.executable, "-P", "-m", "playwright")
_APT = ("env", "DEBIAN_FRONTEND=noninteractive", "apt-get")
_MISSING_LIBRARY = "libatomic1"
_TIMEOUT = 1800.0


class LocalSystem:
    """The parts of this machine that the search for a browser needs; tests replace it."""

    environ: Mapping[str, str] = os.environ

    def which(self, name: str) -> Path | None:
        """Return the executable for a name or a path."""
        path = shutil.which(name)
        return None if path is None else Path(path)

    def bundled(self) -> Path | None:
        """Return the path of Playwright's own browser, which may not exist."""
        from playwright.sync_api import sync_playwright

        with sync_playwright() as playwright:
            path = playwright.chromium.executable_path
        return Path(path) if path else None

    def run(self, command: Sequence[str], seconds: float = _TIMEOUT) -> str | None:
        """Run a command without input. Returns None if it succeeds, else the error in one line."""
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
        return error_summary(ended.stdout.decode(errors="replace"), ended.returncode) if ended.returncode else None

    def privilege(self) -> Sequence[str] | None:
        """Return the command prefix for installing packages, such as sudo; None if there is no way to get root."""
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            return ()
        return ("sudo", "-n") if self.run(["sudo", "-n", "true"], seconds=30) is None else None


def ensure_chromium(machine: LocalSystem, progress: ProgressCallback) -> Executable:
    """Return a browser that starts; install one if necessary. If `WEBBUILD_CHROMIUM` is set, only that one is tried.

    Raises:
        WebbuildError: `no-chromium`, `no-playwright`.
    """
    require_playwright()
    _start_playwright(machine, progress)
    if named := machine.environ.get(CHROMIUM_VARIABLE):
        return _from_variable(machine, named)
    tried = (_installed, _from_playwright, _from_debian)
    executable = next((executable for way in tried for executable in way(machine, progress)), None)
    if executable is None:
        raise WebbuildError(
            "no-chromium",
            "chromium: none is here, and none could be installed",
            f"install Chromium or Google Chrome by hand, or name an executable in {CHROMIUM_VARIABLE}",
            exit_code=USAGE,
        )
    return executable


def _start_playwright(machine: LocalSystem, progress: ProgressCallback) -> None:
    """Check that Playwright's driver starts, which every browser needs.

    It needs a library that minimal installations of Debian and Ubuntu lack; it is installed if possible.
    """
    reason = machine.run([*_PLAYWRIGHT, "--version"])
    if reason is None:
        return
    privilege = machine.privilege() if machine.which("apt-get") else None
    if privilege is not None:
        progress(f"Playwright does not start: {reason}. Installing {_MISSING_LIBRARY} ...")
        apt_install(machine, privilege, _MISSING_LIBRARY, progress)
        reason = machine.run([*_PLAYWRIGHT, "--version"])
    if reason is not None:
        raise WebbuildError(
            "no-playwright",
            f"playwright: its driver does not start: {reason}",
            f"`apt-get install {_MISSING_LIBRARY}` (Debian, Ubuntu), or see what `python -m playwright "
            f"--version` lacks",
            exit_code=USAGE,
        )


def _from_variable(machine: LocalSystem, named: str) -> Executable:
    path = machine.which(named)
    reason = "it is not an executable file" if path is None else _launch_problem(machine, path)
    if path is not None and reason is None:
        return Executable(path, CHROMIUM_VARIABLE)
    raise WebbuildError(
        "no-chromium",
        f"chromium: {CHROMIUM_VARIABLE} names {named}, which does not start: {reason}",
        f"name a Chromium that runs in {CHROMIUM_VARIABLE}, or unset it",
        exit_code=USAGE,
    )


def _installed(machine: LocalSystem, progress: ProgressCallback) -> Iterator[Executable]:
    yield from _on_path(machine, progress)
    yield from _bundled(machine, progress)


def _from_playwright(machine: LocalSystem, progress: ProgressCallback) -> Iterator[Executable]:
    """Download Playwright's build, and install the system libraries that it needs if permitted."""
    progress("There is no Chromium here. Downloading Playwright's, about 170 MB ...")
    if reason := machine.run([*_PLAYWRIGHT, "install", "--no-shell", "chromium"]):
        progress(f"  that failed: {reason}")
        return
    yield from _bundled(machine, progress)
    privilege = machine.privilege()
    if privilege is not None:
        progress("Installing the system libraries that it needs ...")
        if reason := machine.run([*privilege, *_PLAYWRIGHT, "install-deps", "chromium"]):
            progress(f"  that failed: {reason}")
        yield from _bundled(machine, progress)


def _from_debian(machine: LocalSystem, progress: ProgressCallback) -> Iterator[Executable]:
    privilege = machine.privilege()
    if machine.which("apt-get") is None:
        return
    if privilege is None:
        progress("Installing Debian's takes root, or sudo without a password: apt-get install chromium")
        return
    progress("Installing Debian's: apt-get install chromium ...")
    apt_install(machine, privilege, "chromium", progress)
    yield from _on_path(machine, progress)


def apt_install(machine: LocalSystem, privilege: Sequence[str], package: str, progress: ProgressCallback) -> None:
    """Install a Debian package. A failure is only printed: the next search for the program shows whether it worked."""
    if reason := machine.run([*privilege, *_APT, "update", "-q"]):
        progress(f"  apt-get update failed: {reason}")
    if reason := machine.run([*privilege, *_APT, "install", "-qy", "--no-install-recommends", package]):
        progress(f"  that failed: {reason}")


def _on_path(machine: LocalSystem, progress: ProgressCallback) -> Iterator[Executable]:
    for name in EXECUTABLE_NAMES:
        if path := machine.which(name):
            yield from _if_usable(machine, Executable(path, f"{name} on the PATH"), progress)
    for candidate in usual_places(machine.environ):
        if path := machine.which(str(candidate)):
            yield from _if_usable(machine, Executable(path, "where Chrome is installed"), progress)


def _bundled(machine: LocalSystem, progress: ProgressCallback) -> Iterator[Executable]:
    path = machine.bundled()
    if path is not None and machine.which(str(path)):
        yield from _if_usable(machine, Executable(path, "Playwright's own"), progress)


def _if_usable(machine: LocalSystem, executable: Executable, progress: ProgressCallback) -> Iterator[Executable]:
    if reason := _launch_problem(machine, executable.path):
        progress(f"Passing over {executable.path}, which does not start: {reason}")
    else:
        yield executable


def _launch_problem(machine: LocalSystem, path: Path) -> str | None:
    """Return why an executable does not start: a missing library, or a stub that only asks to install a snap."""
    return machine.run([str(path), "--version"], seconds=60)


def error_summary(output: str, code: int) -> str:
    """Return the most useful line of a failed command's output: the first with "error", else the last."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    error_lines = (line for line in lines if "error" in line.lower())
    return next(error_lines, lines[-1] if lines else f"exit code {code}")[:300]


def main(machine: LocalSystem | None = None) -> int:
    """Print the path of a browser that starts."""
    import click

    def say(line: str) -> None:
        click.echo(line, err=True)

    try:
        executable = ensure_chromium(machine or LocalSystem(), say)
    except WebbuildError as error:
        say(str(error))
        return error.exit_code
    say(f"Chromium: {executable.path} ({executable.source})")
    click.echo(str(executable.path))
    return CLEAN


if __name__ == "__main__":
    sys.exit(main())
