"""A build of onnxruntime-web."""

from __future__ import annotations

from typing import Literal, get_args

from msgspec import Struct

from webbuild.errors import USAGE, WebbuildError
from webbuild.targets.jsep import refusal

Build = Literal["webgpu", "wasm"]
"""webgpu: the native execution provider (`onnxruntime-web/webgpu`, `/jspi`); wasm: only the CPU."""


class Target(Struct, frozen=True, order=True):
    """A version and a build, such as 1.30.0-webgpu."""

    version: str
    build: Build

    @property
    def name(self) -> str:
        """The name in options and file names: `1.30.0-webgpu`."""
        return f"{self.version}-{self.build}"


def parse_target(name: str) -> Target:
    """Parse a target's name.

    Raises:
        WebbuildError: `unknown-target`, or `jsep-build` for the deprecated entry point.
    """
    version, _, build = name.rpartition("-")
    if build == "jsep" and version:
        raise refusal(version)
    for known in get_args(Build):
        if build == known and version:
            return Target(version, known)
    raise WebbuildError(
        "unknown-target",
        f"'{name}' is not a build of onnxruntime-web",
        f"write VERSION-BUILD with one of {', '.join(get_args(Build))}: 1.30.0-webgpu",
        exit_code=USAGE,
    )
