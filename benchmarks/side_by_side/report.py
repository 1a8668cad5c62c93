"""The page of a comparison: per backend a table of measures by library, the bundle first."""

from __future__ import annotations

from benchmarks.side_by_side.results import BUNDLE, BackendResult, Results, Side
from webbuild.bench.formatting import DASH, format_megabytes
from webbuild.verify import formatting

_MEASURES = {
    "bytes of a first visit": ("bytes", format_megabytes),
    "to a session": ("session", formatting.format_milliseconds),
    "to a first result": ("first_result", formatting.format_milliseconds),
    "to a first result, second visit": ("second_visit", formatting.format_milliseconds),
    "a run, median": ("p50", formatting.format_milliseconds),
    "a run, 19 of 20": ("p95", formatting.format_milliseconds),
    "kernels of a run": ("kernels", "{:.0f}".format),
    "GPU buffers": ("gpu_bytes", format_megabytes),
    "memory of WebAssembly": ("wasm_bytes", format_megabytes),
}


def render_text(results: Results) -> str:
    """Return the text between the page's markers."""
    packages = ", ".join(f"{name} {version}" for name, version in results.packages.items())
    runs = max((side.runs for each in results.backends for side in each.sides), default=0)
    lines = [
        f"- Chromium {results.browser}, adapter: {results.adapter or 'none'}; {results.machine}.",
        f"- Of each library: first visits {results.visits}, runs {runs}, pictures {results.pictures}.",
        f"- {packages}.",
    ]
    for each in results.backends:
        lines += ["", f"## {formatting.runner_name(each.backend)}", "", *render_table(each)]
    return "\n".join(lines) + "\n"


def render_table(each: BackendResult) -> list[str]:
    """Return a backend's table, and the failures."""
    names = [side.name for side in each.sides]
    lines = [f"| | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|"]
    for label, (field, shown) in _MEASURES.items():
        values = [getattr(side, field) for side in each.sides]
        if any(values):
            cells = (DASH if value is None else shown(value) for value in values)
            lines.append(f"| {label} | {' | '.join(cells)} |")
    lines.append(f"| the same people as {BUNDLE} | {' | '.join(map(_equal, each.sides))} |")
    lines += [f"\n{name} did not run: `{said.replace('`', chr(39))}`" for name, said in each.failed.items()]
    return lines


def _equal(side: Side) -> str:
    return DASH if side.name == BUNDLE else f"{side.equal} of {side.all}"
