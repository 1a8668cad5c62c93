"""The commands' JSON output for known models, recorded in `recorded/`: one short file for each model and command.

A test calls `compare_recorded`; `pytest --regenerate` writes the files again.
"""

from __future__ import annotations

import difflib
import json
from pathlib import Path
from typing import Any

RECORDED = Path(__file__).parent / "recorded"
RELATIVE, ABSOLUTE = 0.5, 0.05
"""Largest difference from a recorded fraction: another CPU rounds differently. Integers must be equal."""


def compare_recorded(name: str, summary: Any, *, regenerate: bool) -> None:
    """Compare a summary with the recorded one; a failure shows the lines that differ."""
    path = RECORDED / f"{name}.json"
    now = json.loads(json.dumps(summary))
    if regenerate:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_lines(now), "utf-8")
    assert path.is_file(), "run pytest with --regenerate and read what it wrote"
    recorded = json.loads(path.read_text("utf-8"))
    before, after = _lines(recorded).splitlines(), _lines(_settled(now, recorded)).splitlines()
    changed = "\n".join(difflib.unified_diff(before, after, "recorded", "now", lineterm="", n=1))
    assert not changed, f"{path.name}\n{changed}"


def _settled(now: Any, recorded: Any) -> Any:
    """Return the new summary, with the recorded number wherever a fraction is close to it."""
    if isinstance(now, dict) and isinstance(recorded, dict):
        return {key: _settled(value, recorded.get(key)) for key, value in now.items()}
    if isinstance(now, list) and isinstance(recorded, list) and len(now) == len(recorded):
        return [_settled(*pair) for pair in zip(now, recorded, strict=True)]
    if isinstance(now, float) and isinstance(recorded, float) and abs(now - recorded) <= ABSOLUTE + RELATIVE * recorded:
        return recorded
    return now


def _lines(summary: Any) -> str:
    return json.dumps(summary, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
