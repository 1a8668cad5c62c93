"""An inspection as one HTML page: a map of the graph, and the findings beside it. Nothing is loaded, nothing runs."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from webbuild.errors import printable
from webbuild.inspection.inspection import Inspection, Node
from webbuild.inspection.quantities import counted, in_bytes
from webbuild.inspection.text import in_half, summary
from webbuild.templates import environment

COLUMNS = 64
"""Nodes in a row of the map."""

_FAILS = ("no-session", "throws", "wrong")


class Cell(Struct, frozen=True):
    """A node in the map: its column, its lane, what it looks like, what it says, where it leads."""

    column: int
    lane: int
    kind: str
    title: str
    link: str


class Arrow(Struct, frozen=True):
    """A copy at a column: down to the CPU, or up to the GPU. `large` is one of a megabyte and more."""

    column: int
    down: bool
    large: bool
    title: str


class Block(Struct, frozen=True):
    """A stretch of an island in a row, from one column to another, with the island's number."""

    first: int
    last: int
    number: int


class Row(Struct, frozen=True):
    """A stretch of the graph: GPU above, CPU below."""

    start: int
    cells: tuple[Cell, ...]
    arrows: tuple[Arrow, ...]
    blocks: tuple[Block, ...]


def render(inspection: Inspection) -> str:
    """Return the page."""
    templates = environment("webbuild.inspection")
    templates.filters.update(bytes=in_bytes, counted=counted, printable=printable, sentence=_sentence)
    return templates.get_template("inspection.html.j2").render(
        inspection=inspection, groups=inspection.by_code(), rows=rows(inspection), columns=COLUMNS,
        summary=summary(inspection), half=in_half(inspection.half) if inspection.half else "",
        places=inspection.places(),
    )  # fmt: skip


def rows(inspection: Inspection) -> list[Row]:
    """Lay out the nodes that run, in their order, row by row."""
    running = [node for node in inspection.nodes if node.place != "folded"]
    at = {node.index: position for position, node in enumerate(running)}
    arrows = list(_arrows(inspection, at))
    blocks = list(_blocks(inspection, at))
    return [
        Row(
            start,
            tuple(_cell(position, node) for position, node in enumerate(running[start : start + COLUMNS])),
            tuple(arrow for row, arrow in arrows if row == start // COLUMNS),
            tuple(block for row, block in blocks if row == start // COLUMNS),
        )
        for start in range(0, len(running), COLUMNS)
    ]


def _sentence(text: str) -> str:
    """Return text with a capital at its beginning, and all else as it is."""
    return text[:1].upper() + text[1:]


def _cell(column: int, node: Node) -> Cell:
    kind = node.outcome if node.outcome in _FAILS else node.place
    name = f"{node.operator} '{node.name}'" if node.name else node.operator
    inside = f" in {' in '.join(reversed(node.graphs))}" if node.graphs else ""
    told = f"; {', '.join(node.codes)}" if node.codes else ""
    where = {"gpu": "GPU", "cpu": "CPU", "none": "no kernel"}.get(node.place, "")
    title = printable(f"{name}{inside}: {node.type or 'type unknown'}, {where}{told}")
    return Cell(column, int(node.place == "cpu"), kind or "", title, node.codes[0] if node.codes else "")


def _arrows(inspection: Inspection, at: dict[int, int]) -> Iterator[tuple[int, Arrow]]:
    for copy in inspection.copies:
        ends = copy.readers[:1] if copy.to == "cpu" or copy.producer is None else (copy.producer,)
        for position in (at[index] for index in ends if index in at):
            size = "unknown size" if copy.bytes is None else in_bytes(copy.bytes)
            title = printable(f"'{copy.tensor}' to the {copy.to.upper()}, {size}")
            yield (
                position // COLUMNS,
                Arrow(position % COLUMNS, copy.to == "cpu", (copy.bytes or 0) >= 1_000_000, title),
            )


def _blocks(inspection: Inspection, at: dict[int, int]) -> Iterator[tuple[int, Block]]:
    """Yield each island as stretches of a row in which no other one has a node."""
    owner = {at[index]: number for number, each in enumerate(inspection.islands) for index in each.nodes if index in at}
    first = last = number = -1
    for position in sorted(owner):
        if number != owner[position] or position // COLUMNS != first // COLUMNS:
            if number >= 0:
                yield first // COLUMNS, Block(first % COLUMNS, last % COLUMNS, number + 1)
            first, number = position, owner[position]
        last = position
    if number >= 0:
        yield first // COLUMNS, Block(first % COLUMNS, last % COLUMNS, number + 1)
