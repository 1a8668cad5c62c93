"""The fonts of drawn text: Debian's packages, some of them held out for measurements.

apt-get install fonts-dejavu fonts-liberation fonts-freefont-ttf fonts-urw-base35 fonts-roboto-unhinted fonts-lato \
  fonts-crosextra-carlito fonts-crosextra-caladea fonts-hack fonts-courier-prime fonts-comic-neue fonts-linuxlibertine \
  fonts-open-sans fonts-inconsolata
"""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path

import numpy as np
from PIL import ImageFont

ROOT = Path("/usr/share/fonts")
FAMILIES = {
    "train": (
        "truetype/dejavu", "truetype/liberation", "truetype/freefont", "opentype/urw-base35", "truetype/roboto",
        "truetype/lato", "truetype/crosextra", "truetype/hack", "opentype/courier-prime", "opentype/comic-neue",
        "opentype/linux-libertine",
    ),
    "held-out": ("truetype/open-sans", "truetype/inconsolata"),
}  # fmt: skip
"""Folders in `ROOT` by split: training does not use the second split's."""

NO_TEXT = ("DejaVuMath", "D050000L", "StandardSymbols", "Z003", "Hairline", "Thin", "LinBiolinum_K", "LinLibertine_M")
"""Name parts of excluded fonts: symbols, script, and fonts with strokes that vanish at small sizes."""
MONOSPACED = ("Mono", "Hack", "Courier", "Inconsolata")


@cache
def files(split: str, monospaced: bool) -> tuple[tuple[Path, ...], ...]:
    """Return the font files of a split, grouped by folder."""
    found = []
    for family in FAMILIES[split]:
        paths = sorted(path for path in (ROOT / family).rglob("*.?tf") if not any(n in path.name for n in NO_TEXT))
        if not paths:
            raise SystemExit(f"{ROOT / family} has no fonts; {__doc__}")
        if monospaced:
            paths = [path for path in paths if any(name in path.name for name in MONOSPACED)]
        if paths:
            found.append(tuple(paths))
    return tuple(found)


def font(rng: np.random.Generator, split: str, size: int, *, monospaced: bool = False) -> ImageFont.FreeTypeFont:
    """Return a random font of a split, with folders equally likely and `size` pixels per em."""
    families = files(split, monospaced)
    family = families[int(rng.integers(len(families)))]
    return _load(family[int(rng.integers(len(family)))], size)


@lru_cache(500)  # each font caches its drawn glyphs
def _load(path: Path, size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(path, size, layout_engine=ImageFont.Layout.BASIC)
