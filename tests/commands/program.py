"""Runs the program in this process, through its entry point."""

from __future__ import annotations

import contextlib
import hashlib
import io
import sys
from pathlib import Path
from unittest.mock import patch

import click
from msgspec import Struct

from webbuild.cli import cli, main
from webbuild.manifest.manifest import Manifest, decode

ROOT = Path(__file__).parents[2]
POSE = ROOT / "models" / "yolo-pose.onnx"


class Done(Struct, frozen=True):
    """What a run printed, and its exit code."""

    code: int
    stdout: str
    stderr: str

    @property
    def error(self) -> str:
        """The code of the only error that was printed."""
        lines = [line for line in self.stderr.splitlines() if line.startswith("error[")]
        assert len(lines) == 1, self.stderr
        assert self.stderr.splitlines()[self.stderr.splitlines().index(lines[0]) + 1].startswith("  fix: ")
        return lines[0].removeprefix("error[").partition("]")[0]


def command(name: str) -> click.Command:
    """Return a command of the program."""
    found = cli.get_command(click.Context(cli), name)
    assert found is not None
    return found


def webbuild(*arguments: str | Path) -> Done:
    stdout, stderr = io.StringIO(), io.StringIO()
    code: object = 0
    with (
        patch.object(sys, "argv", ["webbuild", *map(str, arguments)]),
        contextlib.redirect_stdout(stdout),
        contextlib.redirect_stderr(stderr),
    ):
        try:
            main()
        except SystemExit as stop:
            code = stop.code or 0
    assert isinstance(code, int)
    return Done(code, stdout.getvalue(), stderr.getvalue())


def hashes(folder: Path) -> dict[str, str]:
    """Return the hash of every file in a folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {f.relative_to(folder).as_posix(): hashlib.sha256(f.read_bytes()).hexdigest() for f in files}


def pack(path: Path, *options: str) -> Manifest:
    """Pack a model into `out` next to it, and assert success."""
    out = path.parent / "out"
    done = webbuild("pack", path, "-o", out, "--no-verify", *options)
    assert done.code == 0, done.stderr
    assert done.stdout == ""
    return decode((out / "manifest.json").read_bytes())


def refused(path: Path, *options: str) -> str:
    """Return the error code of a pack that fails; assert that it leaves no files."""
    done = webbuild("pack", path, "-o", path.parent / "out", "--no-verify", *options)
    assert done.code in (1, 2), done.stderr
    assert [p.name for p in path.parent.iterdir() if "out" in p.name] == []
    return done.error
