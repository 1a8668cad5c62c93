"""Draw webbuild/samples/signs: the default sample pictures of text detectors.

python -m models.text_boxes.samples webbuild/samples/signs
"""

from __future__ import annotations

import sys
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

SIZE = (640, 480)
TEXTS = {
    "sign-1.png": ("#f4efe4", "#23221f", ("OPENING HOURS", "Monday to Friday", "9:00 - 18:30", "Closed on Sundays"), 0),
    "sign-2.png": ("#1d4d38", "#f3f3ea", ("Platform 7", "Trains to the harbour", "every 12 minutes"), 8),
}
"""Paper and ink colours, the lines, and their rotation in degrees."""


def sign(paper: str, ink: str, lines: tuple[str, ...], angle: float) -> Image.Image:
    """Return a picture of lines of text."""
    picture = Image.new("RGB", SIZE, paper)
    draw = ImageDraw.Draw(picture)
    for index, line in enumerate(lines):
        font = ImageFont.load_default(size=54 - 8 * min(index, 2))
        draw.text((70, 70 + 92 * index), line, ink, font)
    return picture.rotate(angle, Image.Resampling.BICUBIC, fillcolor=paper)


def main() -> None:
    """Write the files."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, drawn in TEXTS.items():
        sign(*drawn).quantize(32).save(folder / name, optimize=True)


if __name__ == "__main__":
    main()
