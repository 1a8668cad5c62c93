"""Problems printed as errors: message, fix, and the address of the code's page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Protocol

from webbuild.errors import page_url, printable

if TYPE_CHECKING:
    from rich.console import Console


class Problem(Protocol):
    """A failure other than a numerical difference. `where` is the backend or the bundle."""

    @property
    def code(self) -> str: ...  # noqa: D102
    @property
    def where(self) -> str: ...  # noqa: D102
    @property
    def message(self) -> str: ...  # noqa: D102
    @property
    def fix(self) -> str: ...  # noqa: D102


def problem_lines(problems: Iterable[Problem], where: str = "") -> Iterator[list[str]]:
    """Yield the lines of each problem, the address of a page once per code. `where` replaces the problem's own."""
    shown = set()
    for problem in problems:
        lines = [
            f"error[{problem.code}] {where or problem.where}: {printable(problem.message)}",
            f"  fix: {printable(problem.fix)}",
        ]
        if problem.code not in shown:
            lines.append(see(problem.code))
        shown.add(problem.code)
        yield lines


def see(code: str) -> str:
    """Return the line with the address of a code's page."""
    return f"  see: {page_url(code)}"


def print_problems(problems: Iterable[Problem], console: Console) -> None:
    """Print problems for people, without line breaks in addresses."""
    from rich.text import Text

    for first, *rest in problem_lines(problems):
        console.print(Text(first, style="red"))
        for line in rest:
            console.print(Text(line), soft_wrap=line.startswith("  see: "))
