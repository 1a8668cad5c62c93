"""The configuration of Zensical: `docs/zensical.toml`, with the navigation's folders expanded."""

from __future__ import annotations

import json
import re
from pathlib import Path

_FOLDER = re.compile(r'"([\w/-]+)/\*"')


def write(out: Path) -> None:
    """Move `zensical.toml` out of the pages' folder, with `"folder/*"` replaced by a section of that folder's pages.

    Raises:
        RuntimeError: a page is missing in the navigation.
    """
    config = out / "zensical.toml"
    text = _FOLDER.sub(lambda found: _section(out, found[1]), config.read_text("utf-8"))
    if missing := [page for page in _pages(out) if f'"{page}"' not in text]:
        raise RuntimeError(f"the nav of docs/zensical.toml lacks {', '.join(missing)}")
    config.unlink()
    (out.parent / config.name).write_text(text, "utf-8")


def _pages(out: Path) -> list[str]:
    """Return the pages for the navigation: all except those of single codes."""
    found = (path.relative_to(out) for path in sorted(out.rglob("*.md")))
    return [path.as_posix() for path in found if path.parts[0] != "codes" or len(path.parts) == 2]


def _section(out: Path, folder: str) -> str:
    index = out / folder / "index.md"
    title = re.search(r"^# (.+)$", index.read_text("utf-8"), re.MULTILINE)
    assert title is not None, index
    pages = [index, *sorted(path for path in (out / folder).glob("*.md") if path != index)]
    listed = json.dumps([path.relative_to(out).as_posix() for path in pages])
    return f"{{ {json.dumps(title[1])} = {listed} }}"
