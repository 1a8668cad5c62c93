"""The index of a folder of images: what is written, what is skipped, what is refused."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import numpy as np
import pytest

from tests.colours import colours, paint
from tests.commands.program import pack, webbuild
from tests.embedding_models import SIZE, encoder
from tests.models import save
from webbuild.commands import embed

pytestmark = pytest.mark.usefixtures("stand_in")


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    paint(tmp_path / "model" / "samples")
    pack(save(encoder("image_embeds"), tmp_path / "model" / "vision.onnx"))
    return tmp_path / "model" / "out"


def read(out: Path) -> tuple[list[str], np.ndarray[tuple[int, ...], np.dtype[np.float32]]]:
    said = json.loads(out.with_suffix(".json").read_text("utf-8"))
    assert (said["format"], said["dimension"], said["model"]["name"]) == (1, SIZE, "vision")
    vectors = np.frombuffer(out.with_suffix(".bin").read_bytes(), "<f4").reshape(-1, SIZE)
    return said["names"], vectors


def test_each_picture_has_its_unit_vector_in_the_order_of_the_paths(bundle: Path, tmp_path: Path) -> None:
    photos, out = tmp_path / "photos", tmp_path / "site" / "index"
    paint(photos)
    paint(photos / "more")
    done = webbuild("embed", photos, "--model", bundle, "-o", out)
    assert (done.code, done.stdout.split()) == (0, [f"{out}.bin", f"{out}.json"])
    names, vectors = read(out)
    assert names == ["blue.png", "green.png", "more/blue.png", "more/green.png", "more/red.png", "red.png"]
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    cosines = vectors @ vectors[0]
    assert cosines[2] == pytest.approx(1)
    assert cosines[5] < 0.9
    golden = json.loads((bundle / "manifest.json").read_text())["golden"]
    raw = np.frombuffer((bundle / golden["outputs"]["image_embeds"]).read_bytes(), np.float32)
    np.testing.assert_allclose(vectors[names.index(golden["sample"])], raw / np.linalg.norm(raw), atol=1e-6)


def test_what_is_no_picture_is_left_out_and_named(bundle: Path, tmp_path: Path) -> None:
    photos, out = tmp_path / "photos", tmp_path / "index"
    paint(photos)
    (photos / "green.png").write_text("no picture")
    done = webbuild("embed", photos, "--model", bundle, "-o", out)
    assert done.code == 0
    assert "left out" in done.stderr
    assert "green.png" in done.stderr
    assert read(out)[0] == ["blue.png", "red.png"]


@pytest.mark.parametrize(("broken", "code"), [("none", "no-pictures"), ("all", "unreadable-image")])
def test_a_folder_without_a_picture_is_refused(bundle: Path, tmp_path: Path, broken: str, code: str) -> None:
    (tmp_path / "photos").mkdir()
    if broken == "all":
        (tmp_path / "photos" / "a.jpg").write_text("no picture")
    done = webbuild("embed", tmp_path / "photos", "--model", bundle, "-o", tmp_path / "index")
    assert (done.code, done.error) == (2, code)
    assert not (tmp_path / "index.json").exists()


def test_an_index_is_replaced_with_force_only(bundle: Path, tmp_path: Path) -> None:
    paint(tmp_path / "photos")
    (tmp_path / "index.json").write_text("mine")
    words = ("embed", tmp_path / "photos", "--model", bundle, "-o", tmp_path / "index")
    assert webbuild(*words).error == "output-exists"
    assert (tmp_path / "index.json").read_text() == "mine"
    assert webbuild(*words, "--force").code == 0
    assert len(read(tmp_path / "index")[0]) == 3


def test_a_bundle_of_another_task_is_refused(tmp_path: Path) -> None:
    paint(tmp_path / "photos")
    pack(save(colours(), tmp_path / "model" / "colours.onnx"))
    done = webbuild("embed", tmp_path / "photos", "--model", tmp_path / "model" / "out", "-o", tmp_path / "index")
    assert (done.code, done.error) == (2, "not-embed")


@pytest.mark.parametrize("out", [".", "..", "photos/red.png/index"])
def test_an_index_that_cannot_be_written_is_refused_before_the_run(
    bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, out: str
) -> None:
    paint(tmp_path / "photos")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(embed, "embed_pictures", pytest.fail)
    done = webbuild("embed", "photos", "--model", bundle, "-o", out)
    assert (done.code, done.error) == (2, "cannot-write")


def test_an_index_that_does_not_fit_on_the_disk_leaves_the_one_before_it(
    bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paint(tmp_path / "photos")
    (tmp_path / "index.bin").write_text("old vectors")
    (tmp_path / "index.json").write_text("old names")
    write = Path.write_bytes

    def fill(path: Path, data: bytes) -> int:
        if path.name.endswith(".json.partial"):
            write(path, data[:5])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(path, data)

    monkeypatch.setattr(Path, "write_bytes", fill)
    done = webbuild("embed", tmp_path / "photos", "--model", bundle, "-o", tmp_path / "index", "--force")
    assert (done.code, done.error) == (2, "cannot-write")
    assert (tmp_path / "index.bin").read_text() == "old vectors"
    assert sorted(path.name for path in tmp_path.iterdir() if "index" in path.name) == ["index.bin", "index.json"]
