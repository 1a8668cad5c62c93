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
        """The tools after which it is right and wholly on the GPU, or gone."""
        return [tool for tool in TOOLS[1:] if self.sprung and _rank(self, tool) >= RANK["GPU"]]

    @property
    def kept_right(self) -> bool:
        """Whether webbuild leaves it, or a part of it, to the CPU or to WASM, where it is right, and says why."""
        return self.sprung and "webbuild" not in self.cured_by and _rank(self, "webbuild") > 0 and bool(self.reason)

    @property
    def reason(self) -> str:
        """Why it is not on the GPU. The default entry's build, which is to go, gets no passes of its own."""
        return self.outcomes["webbuild"].why or ("no pass for this build" if self.build == "jsep" else "")

    @property
    def worse_by(self) -> list[str]:
        """The tools after which it is worse."""
        return [tool for tool in TOOLS[1:] if _rank(self, tool) < _rank(self, "as it is")]


def left(rows: list[Row]) -> list[Row]:
    """Return those that do harm, and that webbuild neither cures nor keeps right for a reason."""
    return [row for row in rows if row.sprung and "webbuild" not in row.cured_by and not row.kept_right]


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
        "where the graph may not be run on the other. Cured is what is right and wholly on the GPU; kept right what is",
        "left to the CPU or to WASM, with the reason. Undefined is what ONNX leaves open, and CPUs answer differently.",
        "",
    ]
    for build in BUILDS:
        mine = [row for row in rows if row.build == build]
        harmful = [row for row in mine if row.sprung]
        seen = sum(bool(row.findings) for row in harmful)
        cured = {tool: sum(tool in row.cured_by for row in harmful) for tool in TOOLS[1:]}
        counts = ", ".join(f"{tool} {count}" for tool, count in cured.items())
        kept, rest = [row for row in harmful if row.kept_right], left(mine)
        lines += [
            f"## {build}",
            "",
            f"{len(harmful)} of {len(mine)} do harm. `webbuild inspect` detects {seen}. Cured by: {counts}.",
            f"webbuild keeps {len(kept)} more right on the CPU or on WASM. Neither: {len(rest)}{_named(rest)}.",
            "",
            "| trap | detected | " + " | ".join(TOOLS) + " | by |",
            "|---" * (len(TOOLS) + 3) + "|",
            *(_line(row) for row in mine),
            "",
            f"Kept right on {build}, and why:",
            "",
            *(f"- {row.name}: {row.reason}" for row in kept),
            "",
        ]
    return "\n".join(lines)


def _named(rows: list[Row]) -> str:
    return f" ({', '.join(row.name for row in rows)})" if rows else ""


def _line(row: Row) -> str:
    endings = [row.outcomes[tool].ending for tool in TOOLS]
    mends = ", ".join(f"`{code}`" for code in row.outcomes["webbuild"].passes)
    seen = ", ".join(f"`{code}`" for code in row.findings) or ("no" if row.sprung else "")
    return f"| {row.name} | {seen} | {' | '.join(endings)} | {mends} |"


def _rank(row: Row, tool: str) -> int:
    return RANK.get(row.outcomes[tool].ending, 0)
