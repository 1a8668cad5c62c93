"""Tiles cover an image once, have their halo and end at its edge."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webbuild.preprocess.tiles import fits_halo, tile_spans

CASES = sorted((Path(__file__).parents[2] / "conformance" / "tiles").glob("*.json"))


@st.composite
def plans(draw: st.DrawFn) -> tuple[int, int, int, int]:
    multiple = draw(st.integers(1, 32))
    size = draw(st.integers(multiple, 300))
    halo = draw(st.integers(0, (size - multiple) // 2))
    return draw(st.integers(1, 2000)), size, halo, multiple


@given(plans())
def test_every_pixel_is_kept_by_one_tile_with_its_halo_around_it(plan: tuple[int, int, int, int]) -> None:
    length, size, halo, multiple = plan
    assert fits_halo(size, halo, multiple)
    spans = tile_spans(length, size, halo, multiple)
    kept = [pixel for span in spans for pixel in range(span.start, span.end)]
    assert kept == list(range(length))
    for span in spans:
        assert span.offset % multiple == 0
        assert span.start < span.end
        assert span.start == 0 or span.start - span.offset >= halo
        assert span.end == length or span.offset + size - span.end >= halo
    assert spans[0].offset == 0
    assert 0 <= spans[-1].offset + size - max(length, size) < multiple


@given(plans())
def test_there_are_no_more_tiles_than_needed(plan: tuple[int, int, int, int]) -> None:
    length, size, halo, multiple = plan
    step = (size - 2 * halo) // multiple * multiple
    reached = size + step * (len(tile_spans(length, size, halo, multiple)) - 2)
    assert reached < length or length <= size


def test_a_tile_below_its_halo_advances_by_nothing() -> None:
    assert fits_halo(64, 31, 2)
    assert not fits_halo(64, 32, 1)
    assert not fits_halo(64, 31, 4)


@pytest.mark.parametrize("file", CASES, ids=lambda file: file.stem)
def test_conformance(file: Path) -> None:
    case = json.loads(file.read_text("utf-8"))
    spans = tile_spans(case["length"], case["size"], case["halo"], case["multiple"])
    assert [msgspec.to_builtins(span) for span in spans] == case["want"]["spans"]
