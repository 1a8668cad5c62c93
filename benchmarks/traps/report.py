"""The scoreboard as a document and as data."""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import Struct

from benchmarks.traps.outcome import RANK, TrapOutcome
from benchmarks.traps.tools import TOOLS

PAGE = Path(__file__).parents[2] / "docs" / "traps.md"
DATA = Path(__file__).parents[1] / "results" / "traps.json"


class TrapRow(Struct, frozen=True):
    """A trap: the findings of `inspect`, and the outcome after each tool."""

    name: str
    what: str
    source: str
    findings: tuple[str, ...]
    outcomes: dict[str, TrapOutcome]

    @property
    def is_harmful(self) -> bool:
        """Whether the unchanged graph is not right on the GPU."""
        return _rank(self, "unchanged") < RANK["GPU"]

    @property
    def fixed_by(self) -> list[str]:
        """The tools after which it is right and wholly on the GPU, or gone."""
        return [tool for tool in TOOLS[1:] if self.is_harmful and _rank(self, tool) >= RANK["GPU"]]

    @property
    def runs_on_cpu(self) -> bool:
        """Whether webbuild runs it, or a part of it, on the CPU or WASM, where it is right, with a reason."""
        return self.is_harmful and "webbuild" not in self.fixed_by and _rank(self, "webbuild") > 0 and bool(self.reason)

    @property
    def reason(self) -> str:
        """Why it is not on the GPU."""
        return self.outcomes["webbuild"].reason

    @property
    def worse_by(self) -> list[str]:
        """The tools after which it is worse."""
        return [tool for tool in TOOLS[1:] if _rank(self, tool) < _rank(self, "unchanged")]


def unresolved(rows: list[TrapRow]) -> list[TrapRow]:
    """Return the harmful traps that webbuild neither fixes nor keeps right on the CPU or WASM."""
    return [row for row in rows if row.is_harmful and "webbuild" not in row.fixed_by and not row.runs_on_cpu]


def read() -> list[TrapRow]:
    """Return the stored rows."""
    return msgspec.json.decode(DATA.read_bytes(), type=list[TrapRow])


def write(rows: list[TrapRow], version: str) -> None:
    """Write the document and the data."""
    PAGE.write_text(render_page(rows, version), "utf-8")
    lines = [msgspec.json.encode(row).decode() for row in rows]
    DATA.write_text("[\n" + ",\n".join(lines) + "\n]\n", "utf-8")


def render_page(rows: list[TrapRow], version: str) -> str:
    """Return the document."""
    lines = [
        "# Traps",
        "",
        f"Tiny graphs that each show one problem of the WebGPU build of onnxruntime-web {version}: no session can be",
        "created, a run throws, a result is wrong, or nodes run on the CPU. Each graph ran unchanged and after each",
        "tool, in Chromium on a software adapter without `shader-f16`, and was compared with native ONNX Runtime, by",
        "`python -m benchmarks.traps --write`.",
        "",
        "- GPU: right, all nodes on the GPU. CPU, partly CPU: right, with all or some nodes on the CPU.",
        "- folded: computed when the session is created.",
        "- WASM: right on the WASM build, which webbuild's runtime uses if the graph cannot run on WebGPU.",
        "- undefined: ONNX does not define the result, and CPUs differ.",
        "- tool fails: the tool ended with an error.",
        "",
    ]
    harmful = [row for row in rows if row.is_harmful]
    seen = sum(bool(row.findings) for row in harmful)
    fixed = {tool: sum(tool in row.fixed_by for row in harmful) for tool in TOOLS[1:]}
    counts = ", ".join(f"{tool} {count}" for tool, count in fixed.items())
    kept, rest = [row for row in harmful if row.runs_on_cpu], unresolved(rows)
    lines += [
        f"{len(harmful)} of {len(rows)} graphs fail or use the CPU. `webbuild inspect` reports {seen} of them.",
        f"After these tools they are right, with all nodes on the GPU: {counts}.",
        f"After webbuild, {len(kept)} more are right on the CPU or on WASM. Left: {len(rest)}{_named(rest)}.",
        "",
        "| trap | reported | " + " | ".join(TOOLS) + " | passes |",
        "|---" * (len(TOOLS) + 3) + "|",
        *(_line(row) for row in rows),
        "",
        "Right after webbuild, but not on the GPU:",
        "",
        *(f"- {row.name}: {row.reason}" for row in kept),
        "",
    ]
    return "\n".join(lines)


def _named(rows: list[TrapRow]) -> str:
    return f" ({', '.join(row.name for row in rows)})" if rows else ""


def _line(row: TrapRow) -> str:
    endings = [row.outcomes[tool].ending for tool in TOOLS]
    fixes = ", ".join(f"`{code}`" for code in row.outcomes["webbuild"].passes)
    seen = ", ".join(f"`{code}`" for code in row.findings) or ("no" if row.is_harmful else "")
    return f"| {row.name} | {seen} | {' | '.join(endings)} | {fixes} |"


def _rank(row: TrapRow, tool: str) -> int:
    return RANK.get(row.outcomes[tool].ending, 0)
