"""Dequantized weights: the cases shared with TypeScript."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pytest

from webbuild.errors import WebbuildError
from webbuild.quantization.dequantize import dequantize_file

FOLDER = Path(__file__).parents[2] / "conformance" / "weights"
CASES = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.json"))}


def stored(case: dict[str, Any]) -> bytes:
    """Return the file of a case."""
    table = b"".join(struct.pack("<6I", *piece) for piece in case["pieces"])
    scales = struct.pack(f"<{len(case['scales'])}f", *map(float, case["scales"]))
    head: bytes = case.get("magic", "WBW1").encode() + struct.pack("<I", case.get("count", len(case["pieces"])))
    return head + table + scales + bytes(case["numbers"])


@pytest.mark.parametrize("name", CASES)
def test_what_is_stored_comes_back_to_the_bit(name: str) -> None:
    case = CASES[name]
    if "want" in case:
        assert dequantize_file(stored(case), case["size"], "w").hex(" ", 4) == " ".join(case["want"])
        return
    with pytest.raises(WebbuildError, match=case["error"]) as caught:
        dequantize_file(stored(case), case["size"], "w")
    assert caught.value.code == "invalid-weights"


def test_there_are_cases_of_both_kinds() -> None:
    assert {"want" in case for case in CASES.values()} == {True, False}
