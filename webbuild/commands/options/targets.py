"""Arguments and options of `webbuild targets`."""

from __future__ import annotations

from dataclasses import dataclass

from webbuild.commands.dataclass_command import argument, option


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TargetsArguments:
    """List the measured builds of onnxruntime-web, or print the differences between two.

    Example: webbuild targets 1.30.0-webgpu 1.30.0-wasm
    """

    names: tuple[str, ...] = argument(metavar="[A B]", required=False)
    as_json: bool = option("--json", default=False, help="Print as JSON on stdout.")
