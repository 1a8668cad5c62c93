"""Charts of measured numbers, drawn from the tables of the pages."""

from __future__ import annotations

import re
from pathlib import Path

from msgspec import Struct

_ROW = re.compile(r"^\| ([^|]+) \| (\d+) -> (\d+) \| (\d+) -> (\d+) \| (\d+) -> (\d+) \|", re.MULTILINE)
_LEFT, _WIDTH, _HEIGHT = 150, 500, 52
_STYLE = """text { font: 14px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; fill: #1d2433 }
.quiet { font-size: 12px; fill: #5a6478 } .gpu { fill: #6cbf8b } .cpu { fill: #e0886c }"""


class _Placement(Struct, frozen=True):
    """A model's number of nodes and of nodes on the CPU, before and after packing."""

    model: str
    nodes: tuple[int, int]
    on_cpu: tuple[int, int]


def write(out: Path) -> None:
    """Write `images/placement.svg` from the table of `placement.md`."""
    table = (out / "placement.md").read_text("utf-8")
    rows = [_Placement(m[1], (int(m[2]), int(m[3])), (int(m[4]), int(m[5]))) for m in _ROW.finditer(table)]
    (out / "images" / "placement.svg").write_text(_chart(rows), "utf-8")


def _chart(rows: list[_Placement]) -> str:
    largest = max(max(row.nodes) for row in rows)
    height = 60 + _HEIGHT * len(rows)
    body = "\n".join(_row(row, 44 + _HEIGHT * index, largest) for index, row in enumerate(rows))
    title = "Nodes of the shipped models on the GPU and on the CPU, as exported and as packed"
    size = f'viewBox="0 0 888 {height}" width="888" height="{height}"'
    return f"""<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-labelledby="t">
<title id="t">{title}</title>
<style>{_STYLE}</style>
<rect width="888" height="{height}" rx="10" fill="#f6f8fb"/>
{_key("gpu", _LEFT)}
{_key("cpu", _LEFT + 140)}
{body}
</svg>
"""


def _key(place: str, x: int) -> str:
    square = f'<rect class="{place}" x="{x}" y="16" width="12" height="12" rx="2"/>'
    return f'{square}<text class="quiet" x="{x + 18}" y="26">nodes on the {place.upper()}</text>'


def _row(row: _Placement, top: int, largest: int) -> str:
    parts = [f'<text x="{_LEFT - 12}" y="{top + 23}" text-anchor="end">{row.model}</text>']
    for index, name in enumerate(("exported", "packed")):
        y = top + 4 + 20 * index
        cpu = _WIDTH * row.on_cpu[index] / largest
        gpu = _WIDTH * (row.nodes[index] - row.on_cpu[index]) / largest
        parts.append(f'<rect class="gpu" x="{_LEFT}" y="{y}" width="{gpu:.1f}" height="14"/>')
        parts.append(f'<rect class="cpu" x="{_LEFT + gpu:.1f}" y="{y}" width="{cpu:.1f}" height="14"/>')
        text = f"{name}: {row.nodes[index]}" + (f", {row.on_cpu[index]} on the CPU" if row.on_cpu[index] else "")
        parts.append(f'<text class="quiet" x="{_LEFT + gpu + cpu + 6:.1f}" y="{y + 11}">{text}</text>')
    return "\n".join(parts)
