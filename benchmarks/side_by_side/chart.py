"""Each library's bytes, time to a first result, and time of a run, as an SVG for light and dark pages."""

from __future__ import annotations

from html import escape
from pathlib import Path

from benchmarks.side_by_side.results import BUNDLE, Results
from webbuild.bench.formatting import format_megabytes
from webbuild.verify import formatting

FILE = Path(__file__).parents[2] / "docs" / "images" / "side-by-side.svg"
WIDTH, LABELS, BAR, GAP, TITLE = 760, 170, 18, 8, 34
FIGURES = 90
"""Pixels next to a bar for its figure."""
_STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .title { font-weight: 600 }
  .bar { fill: #8c959f }
  .own { fill: #0969da }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .bar { fill: #6e7681 }
    .own { fill: #4493f8 }
  }
"""

PANELS = (
    ("Downloaded on a first visit, WebGPU", "webgpu", "bytes", format_megabytes),
    ("To the first result of a first visit, WASM", "wasm", "first_result", formatting.format_milliseconds),
    ("A run after that, median, WASM", "wasm", "p50", formatting.format_milliseconds),
)
"""A title, the backend, the field and its format. Times are on WASM, because a software adapter is not a GPU."""


def draw(results: Results) -> str:
    """Return the SVG."""
    lines, top, names = list[str](), 0, dict[str, None]()
    for title, backend, field, shown in PANELS:
        sides = next((each.sides for each in results.backends if each.backend == backend), [])
        names |= dict.fromkeys(side.name for side in sides)
        top += TITLE
        lines.append(f'  <text class="title" x="0" y="{top - 12}">{escape(title)}</text>')
        largest = max((getattr(side, field) for side in sides), default=1.0)
        for side in sides:
            number = getattr(side, field)
            length = (WIDTH - LABELS - FIGURES) * number / largest
            own = " own" if side.name == BUNDLE else ""
            lines += [
                f'  <text x="0" y="{top + BAR - 4}">{escape(side.name)}</text>',
                f'  <rect class="bar{own}" x="{LABELS}" y="{top}" width="{length:.1f}" height="{BAR}" rx="2"/>',
                f'  <text x="{LABELS + length + 8:.1f}" y="{top + BAR - 4}">{escape(shown(number))}</text>',
            ]
            top += BAR + GAP
    size = f'viewBox="0 0 {WIDTH} {top}" width="{WIDTH}" height="{top}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">'
    about = f"The small pose model in {', '.join(names)}."
    return "\n".join([head, f"  <title>{escape(about)}</title>", f"  <style>{_STYLE}  </style>", *lines, "</svg>", ""])
