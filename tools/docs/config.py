"""The configuration of Zensical: `docs/zensical.toml`, with folders of the navigation spelt out."""

from __future__ import annotations

import json
import re
from pathlib import Path

_FOLDER = re.compile(r'"([\w/-]+)/\*"')


def write(out: Path) -> None:
    """Move `zensical.toml` out of the pages to beside them, `"folder/*"` in it replaced by a section of its pages."""
    config = out / "zensical.toml"
    text = _FOLDER.sub(lambda found: _section(out, found[1]), config.read_text("utf-8"))
    config.unlink()
    (out.parent / config.name).write_text(text, "utf-8")


def _section(out: Path, folder: str) -> str:
    index = out / folder / "index.md"
    title = re.search(r"^# (.+)$", index.read_text("utf-8"), re.MULTILINE)
    assert title is not None, index
    pages = [index, *sorted(path for path in (out / folder).glob("*.md") if path != index)]
    listed = json.dumps([path.relative_to(out).as_posix() for path in pages])
    return f"{{ {json.dumps(title[1])} = {listed} }}"
