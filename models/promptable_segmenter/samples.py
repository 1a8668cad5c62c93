"""Draw the promptable segmenter's pictures in its folder `samples`, three times as large as its input.

python -m models.promptable_segmenter.samples models/promptable-segmenter/samples
"""

from __future__ import annotations

import argparse
from itertools import count
from pathlib import Path

from models.people.samples import save
from models.promptable_segmenter.drawings import SIDE, Drawing, drawing

KINDS = ("people", "shapes", "people")
LARGER = 3
LEAST = 4
"""Minimum number of things in a sample, so that there is something to click."""


def chosen() -> list[Drawing]:
    """Return a drawing of each of `KINDS`, in order."""
    numbers, found = count(), []
    for kind in KINDS:
        drawn = (drawing("sample", number, kind, LARGER * SIDE) for number in numbers)
        found.append(next(one for one in drawn if len(one.things) >= LEAST))
    return found


def main() -> None:
    """Read the command line and write the samples."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for index, drawn in enumerate(chosen()):
        save(drawn.image, folder / f"{index + 1}.jpg")


if __name__ == "__main__":
    main()
