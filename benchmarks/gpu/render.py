"""Render the measurements of `python -m benchmarks.gpu` into docs/gpu.md.

python -m benchmarks.gpu.render gpu.json --write
"""

from __future__ import annotations

import argparse
import json
from itertools import groupby
from pathlib import Path
from typing import Any

from benchmarks.page_markers import replace_marked

PAGE = Path(__file__).parents[2] / "docs" / "gpu.md"
RESULTS = Path(__file__).parents[1] / "results" / "gpu.json"
SOFTWARE = (
    "**Only a software adapter was seen.** It computes WebGPU on the CPU: these rows say what runs and what is right, "
    "and their times say nothing about a GPU."
)
_HEAD = "| weights | what | answer | median | quartiles | runs | kernels | session | first run |"


def render_text(result: dict[str, Any]) -> str:
    """Return the text between the page's markers."""
    adapter = result["adapter"] or {}
    name = adapter.get("description") or adapter.get("device") or adapter.get("vendor") or "no WebGPU adapter"
    prepared, machine = result["prepared"], result["machine"]
    lines = [
        *([SOFTWARE, ""] if result["software"] else []),
        f"- Adapter: {'; '.join(filter(None, (name, result['driver'])))}.",
        f"- {prepared['dawn']} in Node.js {machine['node']}, onnxruntime-web {prepared['onnxruntime-web']}.",
        f"- {machine['platform']}, {machine['processors']} processors. Answers by {prepared['reference']}.",
        f"- {_counted(result['rows'])}.",
    ]
    for model, rows in groupby(result["rows"], key=lambda row: str(row["model"])):
        lines += ["", f"### {model}", "", _HEAD, "|---" * (_HEAD.count("|") - 1) + "|", *map(_line, rows)]
    return "\n".join(lines) + "\n"


def _counted(rows: list[dict[str, Any]]) -> str:
    counts = {status: sum(row["status"] == status for row in rows) for status in ("right", "wrong", "error")}
    return f"{len(rows)} rows: {counts['right']} right, {counts['wrong']} wrong, {counts['error']} did not run"


def _line(row: dict[str, Any]) -> str:
    said = row["status"] if row["status"] == "right" else f"**{row['status']}**: {row['message']}"
    answer = said.replace("|", "\\|")
    if row["status"] == "error":
        return f"| {row['weights']} | {row['what']} | {answer} | | | | | | |"
    figures = [_ms(row["median"]), f"{_ms(row['q1'])} to {_ms(row['q3'])}", str(row["runs"]), str(row["kernels"])]
    figures += [_ms(row[name]) if name in row else "" for name in ("session", "first")]
    return f"| {row['weights']} | {row['what']} | {answer} | {' | '.join(figures)} |"


def _ms(value: float) -> str:
    return f"{value:.2f} ms" if value < 10 else f"{value:.1f} ms" if value < 100 else f"{value:,.0f} ms"


def main() -> None:
    """Print the text; with `--write` write the page, and store the JSON with the other results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("result", type=Path, nargs="?", default=RESULTS, help="[default: %(default)s]")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name} and {RESULTS.name}")
    options = parser.parse_args()
    text = render_text(json.loads(options.result.read_text("utf-8")))
    print(text)
    if options.write:
        if options.result != RESULTS:
            RESULTS.write_bytes(options.result.read_bytes())
        replace_marked(PAGE, text)


if __name__ == "__main__":
    main()
