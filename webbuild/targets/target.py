"""A build of onnxruntime-web."""

from __future__ import annotations

from typing import Literal, get_args

from msgspec import Struct

from webbuild.errors import USAGE, WebbuildError

Build = Literal["webgpu", "jsep", "wasm"]
"""webgpu: the native execution provider (`onnxruntime-web/webgpu`, `/jspi`); jsep: the default entry's."""


class Target(Struct, frozen=True, order=True):
    """A version and a build, such as 1.30.0-webgpu."""

    version: str
    build: Build

    @property
    def name(self) -> str:
        """The name that people give and files have."""
        return f"{self.version}-{self.build}"


def parse(name: str) -> Target:
    """Read a target's name. Raises WebbuildError `no-target` for what is none."""
    version, _, build = name.rpartition("-")
    for known in get_args(Build):
        if build == known and version:
            return Target(version, known)
    raise WebbuildError(
        "no-target",
        f"'{name}' names no build of onnxruntime-web",
        f"write VERSION-BUILD with one of {', '.join(get_args(Build))}: 1.30.0-webgpu",
        exit_code=USAGE,
    )
