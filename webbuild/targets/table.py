"""The kernel table of a target: the element types of its kernels, and the outcomes of special cases."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any, Literal

import msgspec
from msgspec import Struct

from webbuild.errors import USAGE, WebbuildError
from webbuild.targets.target import Target, parse_target

KernelPlacement = Literal["gpu", "cpu", "none"]
"""Placement of a node: a GPU kernel, a CPU kernel of the same build, or no kernel, so that no session loads."""

Outcome = Literal["gpu", "cpu", "no-session", "throws", "wrong"]
"""Outcome of a node: a right result on the GPU or on the CPU, or one of three failures."""

OUTCOMES: dict[Outcome, str] = {
    "gpu": "on the GPU",
    "cpu": "on the CPU",
    "wrong": "wrong",
    "throws": "throw",
    "no-session": "without a session",
}
"""Texts after a number of cases: `12 on the GPU`."""

KernelPlacements = dict[str, dict[str, dict[KernelPlacement, list[str]]]]
"""Operator -> version of its schema -> placement -> element types.

Types are ONNX's names for the deciding type variable (`float`, `int64`), for Cast `from->to`. Operators of other
domains than ONNX's are `domain:operator`.
"""


class CaseInput(Struct, frozen=True, array_like=True, omit_defaults=True):
    """An input: element type, shape, and the elements if they are part of the model and 16 at most."""

    dtype: str
    shape: list[int]
    value: list[Any] | None = None


class MeasuredCase(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A measured model of one node: its special property, and its outcome.

    `name` is family and variant, `pool/MaxPool ceil_mode`, unique in a table. `error` is the largest difference from
    native ONNX Runtime if the result is wrong. `message` is the exception, the difference, or the nodes on the CPU.
    `attributes` and `inputs` are stored for failing cases only; the probe of the same name has them for all. `inputs`
    are in the node's order, None for an omitted input. `subgroups`: one of its shaders uses subgroups.
    """

    name: str
    op: str
    opset: int
    dtype: str
    outcome: Outcome
    message: str = ""
    error: float | None = None
    attributes: dict[str, Any] = {}
    inputs: list[CaseInput | None] = []
    subgroups: bool = False


class KernelTable(Struct, frozen=True, kw_only=True):
    """All measurements of a target.

    `measured` is the date, `adapter` and `browser` the place, `native` the version of the native ONNX Runtime that was
    compared. For the build without a GPU, only cases that fail though they have a kernel are stored.
    """

    target: Target
    measured: str
    adapter: str
    browser: str
    kernels: KernelPlacements
    native: str = ""
    cases: list[MeasuredCase] = []

    def placement(self, op: str, since: int, dtype: str, domain: str = "") -> KernelPlacement | None:
        """Return the placement of a node of this schema version and element type; None if it was not measured."""
        if dtype.startswith("complex"):
            return "none"  # ONNX Runtime loads no model with this type
        rows = self.kernels.get(op if domain in ("", "ai.onnx") else f"{domain}:{op}", {})
        for where, types in rows.get(str(since), {}).items():
            if dtype in types:
                return where
        return None


def measured_targets() -> list[Target]:
    """Return the targets that were measured, oldest first."""
    folder = files("webbuild.targets").joinpath("measured_kernels")
    names = [file.name.removesuffix(".json") for file in folder.iterdir() if file.name.endswith(".json")]
    return sorted((parse_target(name) for name in names), key=_age)


@cache
def load_table(target: Target) -> KernelTable:
    """Return the table of a target. Raises WebbuildError `unknown-target` if it was not measured."""
    file = files("webbuild.targets").joinpath("measured_kernels", f"{target.name}.json")
    if not file.is_file():
        known = ", ".join(known.name for known in measured_targets())
        raise WebbuildError(
            "unknown-target",
            f"{target.name} was not measured",
            f"choose one of {known}, or measure it: webbuild probe --version {target.version} --build {target.build}",
            exit_code=USAGE,
        )
    return msgspec.json.decode(file.read_bytes(), type=KernelTable)


def find_table(target: Target) -> KernelTable | None:
    """Return the table of a target; None if it was not measured."""
    return load_table(target) if target in measured_targets() else None


def encode_table(measured: KernelTable) -> bytes:
    """Return a table as JSON, one operator or case per line; equal tables give equal bytes."""
    head = msgspec.to_builtins(measured)
    kernels, cases = head.pop("kernels"), head.pop("cases")
    lines = [f"  {_json(name)}: {_json(kernels[name])}" for name in sorted(kernels)]
    case_lines = [
        f"  {_json(case)}"
        for case in sorted(cases, key=lambda case: (case["op"], case["name"], case["opset"], case["dtype"]))
    ]
    body = _json(head)[:-1]
    return "\n".join(
        [f'{body}, "kernels": {{', ",\n".join(lines), '}, "cases": [', ",\n".join(case_lines), "]}", ""]
    ).encode()


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _age(target: Target) -> tuple[list[int], str]:
    numbers = target.version.partition("-")[0].split(".")
    return [int(number) for number in numbers if number.isdigit()], target.name
