"""Write measurements into models/README.md, between two markers."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

README = Path(__file__).with_name("README.md")


def table(columns: dict[str, dict[str, str]]) -> str:
    """Return the columns as a Markdown table."""
    names = next(iter(columns.values()))
    body = [[name, *(column[name] for column in columns.values())] for name in names]
    rows = [["", *columns], ["---"] * (len(columns) + 1), *body]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def rewrite(readme: Path, system: str, text: str) -> None:
    """Write the table between the two markers of a system."""
    start, end = f"<!-- measured {system} -->\n", f"<!-- /measured {system} -->"
    before, rest = readme.read_text("utf-8").split(start)
    after = rest.split(end)[1]
    readme.write_text(before + start + text + end + after, "utf-8")


Measure = Callable[[Path], dict[str, str]]
"""From a model to the measured values by title."""


def publish(columns: dict[str, Measure], mark: str, model: Path, about: str | None) -> None:
    """Read the command line of a recipe's `measure`, measure a model, print and write the table.

    Args:
        columns: the measurement of each system, by name.
        mark: the name of the table's markers in the README.
        model: the shipped model, the default of the command line.
        about: the help's text.
    """
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--onnx", type=Path, default=model)
    parser.add_argument("--readme", type=Path, default=README)
    options = parser.parse_args()
    text = table({name: measure(options.onnx) for name, measure in columns.items()})
    print(text)
    rewrite(options.readme, mark, text)
