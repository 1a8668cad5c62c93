"""The table of the zoo: counts, and every model that is not right or not wholly on the GPU."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from benchmarks.zoo.row import Row, Run
from webbuild.ortweb.packaged_assets import engine_version

PAGE = Path(__file__).parents[2] / "docs" / "zoo.md"

_SECTIONS: dict[str, Callable[[Row], str]] = {
    "Errors of `patch`": lambda row: (
        row.patched.error_with_sizes and f"{row.patched.error_with_sizes}: {row.patched.message}"
    ),
    "Errors of `patch` without `--dim` only": lambda row: "" if row.patched.error_with_sizes else row.patched.error,
    "Not right on WebGPU after the passes": lambda row: _fault(row.after),
    "Not right on WASM after the passes": lambda row: _fault(row.wasm),
    "Right node by node, on WebGPU or WASM": lambda row: _pieces(row.after) or _pieces(row.wasm),
    "Nodes on the CPU after the passes": lambda row: _counted(row.after.cpu),
    "No WebGPU graph, only WASM": lambda row: row.patched.on_wasm,
    "On the CPU, not predicted by `inspect`": lambda row: _counted(
        (Counter(row.after.cpu) - Counter(row.patched.predicted_cpu)).elements()
    ),
}


def figures(rows: Sequence[Row]) -> dict[str, tuple[int, int]]:
    """Return the counts before and after the passes."""
    sides = [row.before for row in rows], [row.after for row in rows]

    def count(holds: Callable[[Run], bool]) -> tuple[int, int]:
        return sum(map(holds, sides[0])), sum(map(holds, sides[1]))

    return {
        "right on WebGPU": count(lambda run: run.ending == "right"),
        "right, all nodes on the GPU": count(lambda run: run.wholly_gpu),
        "right, with one to three nodes on the CPU": count(lambda run: run.ending == "right" and 0 < len(run.cpu) <= 3),
        "right, with more nodes on the CPU": count(lambda run: run.ending == "right" and len(run.cpu) > 3),
        "wrong": count(lambda run: run.ending == "wrong"),
        "throws": count(lambda run: run.ending == "throws"),
        "no session": count(lambda run: run.ending == "no session"),
        "not run on WebGPU": count(lambda run: run.ending == "not run"),
    }


def render_page(rows: Sequence[Row]) -> str:
    """Return the document."""
    without_sizes = sum(not row.patched.error for row in rows)
    with_sizes = sum(not row.patched.error_with_sizes for row in rows)
    right_on_wasm = sum(row.wasm.ending == "right" for row in rows)
    lines = [
        "# The zoo: small exports of many architectures",
        "",
        f"{len(rows)} models of `models/zoo`, patched by `webbuild patch --int32-inputs`, which gives them a bundle's",
        f"inputs, and run in Chromium on the native WebGPU build of onnxruntime-web {engine_version()}. The outputs",
        "are compared with native ONNX Runtime's for the exported model; for a float16 model, with those of its",
        "float32 version. All weights are random. Written by `python -m benchmarks.zoo --write`.",
        "",
        "| | as exported | after the passes |",
        "|---|---|---|",
        *(f"| {name} | {before} | {after} |" for name, (before, after) in figures(rows).items()),
        "",
        f"`patch` succeeds for {without_sizes} without options, for {with_sizes} with the sizes of the example inputs.",
        f"On WASM {right_on_wasm} are right. `inspect` of the patched graphs predicts the outcome on WebGPU for",
        f"{sum(not row.mispredicted for row in rows)} of them.",
        "",
        "`patch` keeps NMS on the CPU. Many passes were developed on these models; no pass was developed on those of",
        "[wild-models.md](wild-models.md).",
    ]
    for title, text_of in _SECTIONS.items():
        found = [(row.name, text) for row in rows if (text := text_of(row))]
        lines += ["", f"## {title}: {len(found)}", ""]
        lines += [f"- `{name}` {_line(text)}" for name, text in found] or ["None."]
    return "\n".join(lines) + "\n"


def _fault(run: Run) -> str:
    return f"{run.ending}: {run.reason}" if run.ending not in ("right", "not run") else ""


def _pieces(run: Run) -> str:
    return f"{run.pieces} values agree; {run.reason} (the model is numerically unstable)" if run.pieces else ""


def _counted(operators: Iterable[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in Counter(operators).most_common())


def _line(text: str) -> str:
    short = " ".join(text.split()).replace("`", "'")
    return short if len(short) <= 200 else short[:199] + "…"
