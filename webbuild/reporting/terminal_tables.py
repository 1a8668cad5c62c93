"""Tables for a terminal: a table that is too wide becomes several tables, so that no word is broken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

_GAP = 3
"""Characters between two columns of a table."""


def fitting_tables(
    titles: Sequence[str], rows: Sequence[Sequence[Text]], width: int, justify: Literal["left", "right"] = "right"
) -> Iterator[Table]:
    """Yield tables of at most `width`. Each begins with the first column; `justify` aligns the others.

    A column is at least as wide as its longest word, and as wide as its longest cell if there is room.
    """
    from rich import box
    from rich.table import Table

    columns = [[title, *(row[index].plain for row in rows)] for index, title in enumerate(titles)]
    least = [max((len(word) for cell in column for word in cell.split(" ")), default=0) for column in columns]
    most = [max(need, *map(len, cells), 0) for need, (_, *cells) in zip(least, columns, strict=True)]
    room = width - 2 * _GAP
    for group in _groups(least, room - most[0]):
        spare = room - most[0] - sum(least[each] + _GAP for each in group)
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        table.add_column(titles[0], overflow="fold")
        for index in group:
            more = max(0, min(most[index] - least[index], spare))
            spare -= more
            table.add_column(titles[index], justify=justify, overflow="fold", width=least[index] + more)
        for row in rows:
            table.add_row(row[0], *(row[index] for index in group))
        yield table


def unbroken(text: str) -> str:
    """Return a text with no-break spaces, such as a number with its unit."""
    return text.replace(" ", "\N{NO-BREAK SPACE}")


def _groups(least: Sequence[int], room: int) -> list[list[int]]:
    """Return the columns after the first in groups, each with as many columns as fit."""
    groups: list[list[int]] = [[]]
    for index in range(1, len(least)):
        if groups[-1] and sum(least[each] + _GAP for each in (*groups[-1], index)) > room:
            groups.append([])
        groups[-1].append(index)
    return groups
