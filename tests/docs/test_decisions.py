"""Decision records have the format and the length that CONTRIBUTING.md requires."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.commands.program import ROOT

RECORDS = sorted((ROOT / "docs" / "decisions").glob("*.md"))


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem[:4])
def test_a_record_is_short_and_says_what_was_decided_and_what_follows(path: Path) -> None:
    limits = re.search(r"`docs/decisions/`, (\d+) to (\d+) lines", (ROOT / "CONTRIBUTING.md").read_text("utf-8"))
    assert limits is not None
    lines = path.read_text("utf-8").splitlines()
    assert int(limits[1]) <= len(lines) <= int(limits[2])
    assert lines[0].startswith(f"# {int(path.stem[:4])}. ")
    assert [line for line in lines if len(line) > 130] == []
    opening = [found[1] for line in lines if (found := re.match(r"\*\*([\w ]+)", line))]
    assert opening[0] == "Decided"
    assert opening[-1] == "What follows"


def test_every_record_has_a_number_of_its_own() -> None:
    assert [int(path.stem[:4]) for path in RECORDS] == list(range(1, len(RECORDS) + 1))
