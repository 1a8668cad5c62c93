"""The table of the zoo: counts, and every model that is not right or not wholly on the GPU."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from benchmarks.zoo.row import Row, Run
from webbuild.ortweb.packaged_assets import engine_version

PAGE = Path(__file__).parents[2] / "docs" / "zoo.md"

_SECTIONS: dict[str, Callable[[Row], str]] = {
    "Refused": lambda row: row.patched.refused and f"{row.patched.refused}: {row.patched.message}",
    "Refused without `--dim`": lambda row: "" if row.patched.refused else row.patched.door,
    "Not right on WebGPU after the passes": lambda row: _fault(row.after),
    "Not right on WASM after the passes": lambda row: _fault(row.wasm),
    "Right piece by piece, on WebGPU or WASM": lambda row: _pieces(row.after) or _pieces(row.wasm),
    "Nodes on the CPU after the passes": lambda row: _counted(row.after.cpu),
    "On WASM instead": lambda row: row.patched.on_wasm,
    "On the CPU, and not expected there": lambda row: _counted(
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
        "right, and wholly on the GPU": count(lambda run: run.wholly_gpu),
        "right, with one to three nodes on the CPU": count(lambda run: run.ending == "right" and 0 < len(run.cpu) <= 3),
        "right, with more nodes on the CPU": count(lambda run: run.ending == "right" and len(run.cpu) > 3),
        "wrong": count(lambda run: run.ending == "wrong"),
        "throws": count(lambda run: run.ending == "throws"),
        "no session": count(lambda run: run.ending == "no session"),
        "refused, or not run on WebGPU": count(lambda run: run.ending == "not run"),
    }


def render_page(rows: Sequence[Row]) -> str:
    """Return the document."""
    doors = sum(not row.patched.door for row in rows)
    lines = [
        "# The zoo: small exports of many architectures",
        "",
        f"{len(rows)} models of `models/zoo`, patched by `webbuild patch --int32-inputs`, so that they have a bundle's",
        f"inputs, and run in Chromium on onnxruntime-web {engine_version()}'s native WebGPU build. They are compared",
        "with native ONNX Runtime on the exported model, for float16 models on their float32 form. Their weights",
        "are random. Written by `python -m benchmarks.zoo --write`.",
        "",
        "| | as they are | after the passes |",
        "|---|---|---|",
        *(f"| {name} | {before} | {after} |" for name, (before, after) in figures(rows).items()),
        "",
        f"{doors} of them are patched without options, {sum(not row.patched.refused for row in rows)} with sizes.",
        f"On WASM {sum(row.wasm.ending == 'right' for row in rows)} are right. Outcomes that `inspect` of the",
        f"patched graph does not predict: {sum(row.surprises for row in rows)}.",
        "",
        "`patch` keeps NMS on the CPU. Many passes were developed on these models;",
        "[wild-models.md](wild-models.md) has models that no pass was developed on.",
    ]
    for title, told in _SECTIONS.items():
        found = [(row.name, text) for row in rows if (text := told(row))]
        lines += ["", f"## {title}: {len(found)}", ""]
        lines += [f"- `{name}` {_line(text)}" for name, text in found] or ["None."]
    return "\n".join(lines) + "\n"


def _fault(run: Run) -> str:
    return f"{run.ending}: {run.reason}" if run.ending not in ("right", "not run") else ""


def _pieces(run: Run) -> str:
    return f"{run.pieces} values agree; {run.reason}, and so does the reference by 1e-6 of itself" if run.pieces else ""


def _counted(operators: Iterable[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in Counter(operators).most_common())


def _line(text: str) -> str:
    short = " ".join(text.split()).replace("`", "'")
    return short if len(short) <= 200 else short[:199] + "…"
