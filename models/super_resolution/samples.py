"""Draw the super-resolution network's pictures in its folder `samples`, each at half its size.

python -m models.super_resolution.samples models/super-resolution/samples
"""

from __future__ import annotations

import argparse
from pathlib import Path

from PIL import Image

from models.super_resolution.pictures import drawing, halved

LONG_SIDES = {1: 192, 4: 384, 6: 640}
"""By the drawing's number, its longer side before halving."""


def main() -> None:
    """Read the command line and write the samples in a lossless format."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for index, (number, side) in enumerate(LONG_SIDES.items()):
        Image.fromarray(halved(drawing("sample", number, side))).save(folder / f"{index + 1}.png", optimize=True)


if __name__ == "__main__":
    main()
