"""Draw the matting network's pictures in its folder `samples`: frames of clips, three times as large.

python -m models.video_matting.samples models/video-matting/samples
"""

from __future__ import annotations

import argparse
from pathlib import Path

from models.people.samples import save
from models.video_matting.clips import HEIGHT, WIDTH, clip

NUMBERS = (1, 6, 10)
LARGER = 3


def main() -> None:
    """Read the command line and write the samples."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for index, number in enumerate(NUMBERS):
        drawn = clip("sample", number, frames=2, height=LARGER * HEIGHT, width=LARGER * WIDTH)
        save(drawn.frames[0], folder / f"{index + 1}.jpg")


if __name__ == "__main__":
    main()
