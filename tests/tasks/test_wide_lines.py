"""Words too wide for a recognizer: the parts in which they are read, and how the parts' texts are merged."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np

from tests.tasks.test_conformance import cases_of, read
from webbuild.manifest.inputs.crop import LineSplit
from webbuild.manifest.manifest import CropInput
from webbuild.preprocess.crop_box import CropBox, line_sides
from webbuild.preprocess.line_parts import line_parts
from webbuild.tasks.decoding.characters import ReadCharacter
from webbuild.tasks.decoding.merged_characters import merge_characters

SPLIT = LineSplit(above=8.0, part=6.0, overlap=0.5)


WHOLE: CropInput = msgspec.convert(
    {"kind": "crop", "name": "x", "dtype": "float32", "shape": [1, 3, 32, 128], "layout": "nchw", "color": "rgb"}
    | {"scale": 1, "mean": [0, 0, 0], "std": [1, 1, 1], "aspect": "line"},
    CropInput,
)


def reader(split: LineSplit) -> CropInput:
    return msgspec.structs.replace(WHOLE, split=split)


@cases_of("line-parts")
def test_a_line_is_read_in_the_parts_that_are_wanted(file: Path) -> None:
    case = read(file)
    spec = reader(msgspec.convert(case["split"], LineSplit))
    for each in case["cases"]:
        line = CropBox(tuple(map(float, each["box"])))  # type: ignore[arg-type]
        parts = line_parts(line, spec)
        if not each["want"]:
            assert parts == [line]
            continue
        found = [(one.polygon, (one.part.begin, one.part.overlap)) for one in parts if one.part is not None]
        wanted = [(one["polygon"], (one["begin"], one["overlap"])) for one in each["want"]]
        assert len(found) == len(wanted)
        for (polygon, part), (corners, place) in zip(found, wanted, strict=True):
            np.testing.assert_allclose(polygon, corners, rtol=0, atol=case["tolerance"])
            np.testing.assert_allclose(part, place, rtol=0, atol=case["tolerance"])


def test_without_a_split_a_line_is_read_whole() -> None:
    line = CropBox((0.0, 0.0, 1000.0, 10.0))
    assert line_parts(line, WHOLE) == [line]


def test_a_line_without_a_height_has_parts_as_wide_as_of_one_pixel() -> None:
    parts = line_parts(CropBox((0.0, 0.0, 100.0, 0.0)), reader(SPLIT))
    assert len(parts) == 33
    assert line_sides(parts[-1])[1] == (100.0, 0.0)


@cases_of("merged-characters")
def test_what_two_parts_say_is_put_together_as_wanted(file: Path) -> None:
    for each in read(file)["cases"]:
        before, after = ([ReadCharacter(one, 1.0, 0.0, 1.0) for one in each[side]] for side in ("before", "after"))
        merged = merge_characters(before, after, each["overlap"])
        assert "".join(one.text for one in merged) == each["want"], each
