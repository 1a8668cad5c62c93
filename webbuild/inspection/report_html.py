"""An inspection as one HTML page, without scripts or external files: a map of the graph next to the findings."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from webbuild.errors import printable
from webbuild.inspection.result import Inspection, NodeInspection
from webbuild.inspection.text import fix, fp16_summary, summary
from webbuild.reporting.jinja import template_environment
from webbuild.reporting.quantities import format_bytes, format_count

COLUMNS = 64
"""Nodes in a row of the map."""

_FAILS = ("no-session", "throws", "wrong")


class NodeCell(Struct, frozen=True):
    """A node in the map: column, lane (0 GPU, 1 CPU), CSS class, tooltip, and the finding it links to."""

    column: int
    lane: int
    kind: str
    title: str
    link: str


class TransferArrow(Struct, frozen=True):
    """A copy at a column: down to the CPU, or up to the GPU. `large` is a copy of 1 MB or more."""

    column: int
    down: bool
    large: bool
    title: str


class PartitionBlock(Struct, frozen=True):
    """The columns of a row that a partition covers, and the partition's number."""

    first: int
    last: int
    number: int


class GraphRow(Struct, frozen=True):
    """A row of the map: up to 64 nodes, GPU above, CPU below."""

    start: int
    cells: tuple[NodeCell, ...]
    arrows: tuple[TransferArrow, ...]
    blocks: tuple[PartitionBlock, ...]


def render(inspection: Inspection) -> str:
    """Return the page."""
    templates = template_environment("webbuild.inspection")
    templates.filters.update(bytes=format_bytes, counted=format_count, printable=printable, sentence=_sentence)
    return templates.get_template("inspection.html.j2").render(
        inspection=inspection, groups=inspection.findings_by_code(), rows=layout_rows(inspection), columns=COLUMNS,
        summary=summary(inspection), half=fp16_summary(inspection.fp16) if inspection.fp16 else "",
        places=inspection.placement_counts(), fix=fix,
    )  # fmt: skip


def layout_rows(inspection: Inspection) -> list[GraphRow]:
    """Lay out the nodes that run, in order, row by row."""
    running = [node for node in inspection.nodes if node.placement != "folded"]
    at = {node.index: position for position, node in enumerate(running)}
    arrows = list(_arrows(inspection, at))
    blocks = list(_blocks(inspection, at))
    return [
        GraphRow(
            start,
            tuple(_cell(position, node) for position, node in enumerate(running[start : start + COLUMNS])),
            tuple(arrow for row, arrow in arrows if row == start // COLUMNS),
            tuple(block for row, block in blocks if row == start // COLUMNS),
        )
        for start in range(0, len(running), COLUMNS)
    ]


def _sentence(text: str) -> str:
    """Return text with its first letter in upper case."""
    return text[:1].upper() + text[1:]


def _cell(column: int, node: NodeInspection) -> NodeCell:
    kind = node.outcome if node.outcome in _FAILS else node.placement
    name = f"{node.operator} '{node.name}'" if node.name else node.operator
    inside = f" in {' in '.join(reversed(node.scopes))}" if node.scopes else ""
    codes = f"; {', '.join(node.codes)}" if node.codes else ""
    where = {"gpu": "GPU", "cpu": "CPU", "none": "no kernel"}.get(node.placement, "")
    title = printable(f"{name}{inside}: {node.dtype or 'type unknown'}, {where}{codes}")
    return NodeCell(column, int(node.placement == "cpu"), kind or "", title, node.codes[0] if node.codes else "")


def _arrows(inspection: Inspection, at: dict[int, int]) -> Iterator[tuple[int, TransferArrow]]:
    for copy in inspection.transfers:
        ends = copy.consumers[:1] if copy.destination == "cpu" or copy.producer is None else (copy.producer,)
        for position in (at[index] for index in ends if index in at):
            size = "unknown size" if copy.size is None else format_bytes(copy.size)
            title = printable(f"'{copy.tensor}' to the {copy.destination.upper()}, {size}")
            yield (
                position // COLUMNS,
                TransferArrow(position % COLUMNS, copy.destination == "cpu", (copy.size or 0) >= 1_000_000, title),
            )


def _blocks(inspection: Inspection, at: dict[int, int]) -> Iterator[tuple[int, PartitionBlock]]:
    """Yield the blocks of each partition: one per row, split where another partition has a node in between."""
    owner = {
        at[index]: number for number, each in enumerate(inspection.partitions) for index in each.nodes if index in at
    }
    first = last = number = -1
    for position in sorted(owner):
        if number != owner[position] or position // COLUMNS != first // COLUMNS:
            if number >= 0:
                yield first // COLUMNS, PartitionBlock(first % COLUMNS, last % COLUMNS, number + 1)
            first, number = position, owner[position]
        last = position
    if number >= 0:
        yield first // COLUMNS, PartitionBlock(first % COLUMNS, last % COLUMNS, number + 1)
