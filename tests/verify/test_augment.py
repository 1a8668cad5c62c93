"""More images for a numerically unstable model."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.manifests import manifest
from webbuild.manifest.manifest import TensorTask
from webbuild.verify.augment import ENOUGH_OBJECTS, augment_images
from webbuild.verify.bundle import Bundle
from webbuild.verify.inputs import VerifyInput

PIXELS = np.arange(40 * 20 * 3, dtype=np.uint8).reshape(20, 40, 3)


def made(folder: Path, objects: int, bundle: Bundle | None = None, *, unstable: bool = True) -> list[Path]:
    (own := folder / "made").mkdir()
    Image.fromarray(PIXELS).save(folder / "one.png")
    found: Any = tuple(range(objects))
    noise = SimpleNamespace(is_unstable=unstable)
    reference: Any = SimpleNamespace(answers=[SimpleNamespace(detections=found)], noise=noise)
    inputs = [VerifyInput("one", {}, folder / "one.png")]
    return augment_images(bundle or Bundle(folder, manifest()), inputs, reference, own)


def test_a_few_objects_are_seen_in_other_pictures_too(tmp_path: Path) -> None:
    pictures = [np.asarray(Image.open(file)) for file in made(tmp_path, 5)]
    assert [picture.shape for picture in pictures] == [(20, 40, 3), (18, 36, 3), (18, 36, 3)]
    np.testing.assert_array_equal(pictures[0], PIXELS[:, ::-1])
    np.testing.assert_array_equal(pictures[1], PIXELS[1:19, 2:38])
    np.testing.assert_array_equal(pictures[2], PIXELS[1:19, 2:38][:, ::-1])


@pytest.mark.parametrize(
    ("objects", "pictures"), [(0, 0), (1, 3), (ENOUGH_OBJECTS // 2, 1), (ENOUGH_OBJECTS - 1, 1), (ENOUGH_OBJECTS, 0)]
)
def test_no_more_are_made_than_it_takes(tmp_path: Path, objects: int, pictures: int) -> None:
    assert len(made(tmp_path, objects)) == pictures


def test_a_model_of_other_tasks_is_asked_nothing_more(tmp_path: Path) -> None:
    assert made(tmp_path, 5, Bundle(tmp_path, manifest(TensorTask()))) == []


def test_a_steady_model_is_asked_nothing_more(tmp_path: Path) -> None:
    assert made(tmp_path, 5, unstable=False) == []
