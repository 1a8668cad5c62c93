"""The scoreboard as a document and as data."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, get_args

import msgspec
from msgspec import Struct

from bench.traps.outcome import RANK, Outcome
from bench.traps.tools import TOOLS

PAGE = Path(__file__).parents[2] / "docs" / "traps.md"
Build = Literal["webgpu", "jsep"]
BUILDS: tuple[Build, ...] = get_args(Build)


class Row(Struct, frozen=True):
    """A trap on one build: what `inspect` found, and how it ended after each tool."""

    name: str
    what: str
    source: str
    build: Build
    findings: tuple[str, ...]
    outcomes: dict[str, Outcome]

    @property
    def sprung(self) -> bool:
        """Whether it does any harm as it is."""
        return _rank(self, "as it is") < RANK["GPU"]

    @property
    def cured_by(self) -> list[str]:
        """The tools after which it is right where it failed, and wholly on the GPU, or gone, where it was not."""
        wanted = RANK["GPU"] if _rank(self, "as it is") else RANK["CPU"]
        return [tool for tool in TOOLS[1:] if self.sprung and _rank(self, tool) >= wanted]

    @property
    def eased_by(self) -> list[str]:
        """The tools after which it is better, but not cured."""
        before = _rank(self, "as it is")
        return [tool for tool in TOOLS[1:] if before < _rank(self, tool) and tool not in self.cured_by]

    @property
    def worse_by(self) -> list[str]:
        """The tools after which it is worse."""
        return [tool for tool in TOOLS[1:] if _rank(self, tool) < _rank(self, "as it is")]


def uncured(rows: list[Row]) -> list[Row]:
    """Return those that webbuild leaves, where they do harm."""
    return [row for row in rows if row.sprung and "webbuild" not in row.cured_by]


def read() -> list[Row]:
    """Return what was written last."""
    return msgspec.json.decode(PAGE.with_suffix(".json").read_bytes(), type=list[Row])


def write(rows: list[Row], version: str) -> None:
    """Write the document and the data."""
    PAGE.write_text(page(rows, version), "utf-8")
    told = [msgspec.json.encode(row).decode() for row in rows]
    PAGE.with_suffix(".json").write_text("[\n" + ",\n".join(told) + "\n]\n", "utf-8")


def page(rows: list[Row], version: str) -> str:
    """Return the document."""
    lines = [
        "# Traps",
        "",
        f"Tiny graphs, each with one thing in it that a WebGPU build of onnxruntime-web {version} refuses, throws at,",
        "answers wrongly or takes to the CPU: as they are, and after each tool. Measured in Chromium on a software",
        "adapter without `shader-f16`, against native ONNX Runtime, by `python -m bench.traps --write`. `webgpu` is",
        "the native build, `jsep` the default entry's. GPU is right and wholly there, folded computed while loading,",
        "CPU right and on the CPU of the same session, WASM right on the WASM build, which webbuild's runtime takes",
        "where the graph may not be run on the other. What failed is cured where it is right, what was on the CPU",
        "where it is on the GPU.",
        "",
    ]
    for build in BUILDS:
        mine = [row for row in rows if row.build == build]
        harmful = [row for row in mine if row.sprung]
        seen = sum(bool(row.findings) for row in harmful)
        cured = {tool: sum(tool in row.cured_by for row in harmful) for tool in TOOLS[1:]}
        counts = ", ".join(f"{tool} {count}" for tool, count in cured.items())
        lines += [
            f"## {build}",
            "",
            f"{len(harmful)} of {len(mine)} do harm. `webbuild inspect` detects {seen}. Cured by: {counts}.",
            "",
            "| trap | detected | " + " | ".join(TOOLS) + " | by |",
            "|---" * (len(TOOLS) + 3) + "|",
            *(_line(row) for row in mine),
            "",
        ]
    return "\n".join(lines)


def _line(row: Row) -> str:
    endings = [row.outcomes[tool].ending for tool in TOOLS]
    mends = ", ".join(f"`{code}`" for code in row.outcomes["webbuild"].passes)
    seen = ", ".join(f"`{code}`" for code in row.findings) or ("no" if row.sprung else "")
    return f"| {row.name} | {seen} | {' | '.join(endings)} | {mends} |"


def _rank(row: Row, tool: str) -> int:
    return RANK.get(row.outcomes[tool].ending, 0)
