"""Ultralytics' .pt checkpoints, exported by the `ultralytics` module; a stand-in writes a known export, or fails."""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path

import pytest
from PIL import Image

from tests.commands.program import Done, hashes, webbuild
from tests.exports import write
from webbuild.commands.locate_and_export import parse_export_options
from webbuild.errors import FAILED, USAGE, WebbuildError
from webbuild.manifest.manifest import DetectTask, decode

EXPORTS = "ultralytics-8.4.190-torchscript"
FORMS = {"": "detect-raw", "True": "detect-nms", "False": "detect-one-to-one"}
MODULE = """
import json, pathlib, shutil
HERE = pathlib.Path(__file__).parent
class YOLO:
    def __init__(self, path):
        self.path = pathlib.Path(path)
    def export(self, **options):
        print("a line of Ultralytics' own")
        with (HERE / "calls").open("a") as calls:
            calls.write(json.dumps(options) + "\\n")
        if options.get("imgsz") == "wide":
            raise RuntimeError("imgsz is no number")
        shutil.copy(HERE / f"{options.get('nms', '')}.onnx", self.path.with_suffix(".onnx"))
        return str(self.path.with_suffix(".onnx"))
"""


def checkpoint(path: Path, pickled: bytes = b"\x80\x02cultralytics.nn.tasks\nDetectionModel\n", *files: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("best/data.pkl", pickled)
        for name in files:
            archive.writestr(f"best/{name}", b"")
    return path


@pytest.fixture
def ultralytics(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a stand-in module on the path, here and in the exporting process; return its folder."""
    folder = tmp_path / "site"
    (folder / "ultralytics").mkdir(parents=True)
    (folder / "ultralytics" / "__init__.py").write_text(MODULE)
    for nms, name in FORMS.items():
        write(f"{EXPORTS}/{name}", folder).rename(folder / "ultralytics" / f"{nms}.onnx")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("PYTHONPATH", str(folder))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return folder / "ultralytics"


def pack(model: Path, *options: str) -> Done:
    return webbuild("pack", model, "-o", model.parent / "out", "--force", "--no-verify", *options)


@pytest.mark.usefixtures("stand_in")
@pytest.mark.parametrize(("nms", "output"), [("", "detections"), ("True", "output0"), ("False", "detections")])
def test_each_form_of_its_export_is_packed(nms: str, output: str, ultralytics: Path, tmp_path: Path) -> None:
    (home := tmp_path / "weights").mkdir()
    model = checkpoint(home / "best.pt")
    (home / "samples").mkdir()
    noise = Image.effect_noise((64, 64), 90).convert("RGB")
    noise.save(home / "samples" / "mine.png")
    before = hashes(home)
    done = pack(model, *(["--export", f"nms={nms}"] if nms else []))
    assert done.code == 0, done.stderr
    assert "a line of Ultralytics' own" not in done.stdout + done.stderr
    assert {name: hash_ for name, hash_ in hashes(home).items() if not name.startswith("out/")} == before
    manifest = decode((home / "out" / "manifest.json").read_bytes())
    assert (manifest.name, manifest.source.file) == ("best", "best.onnx")
    assert isinstance(manifest.task, DetectTask)
    assert [Path(sample.file).name for sample in manifest.samples] == ["mine.png"]
    assert manifest.outputs[0].name == output
    assert pack(model, *(["--export", f"nms={nms}"] if nms else [])).code == 0
    (call,) = (json.loads(line) for line in (ultralytics / "calls").read_text().splitlines())
    assert call == {"format": "onnx", "device": "cpu", "simplify": False} | ({"nms": nms == "True"} if nms else {})


def test_an_export_that_fails_says_why(ultralytics: Path, tmp_path: Path) -> None:
    done = pack(checkpoint(tmp_path / "best.pt"), "--export", "imgsz=wide")
    assert (done.code, done.error) == (FAILED, "export-failed")
    assert "RuntimeError: imgsz is no number" in done.stderr
    assert "Traceback" not in done.stderr
    (log,) = (tmp_path / "cache").rglob("export.log")
    assert str(log) in done.stderr
    assert "a line of Ultralytics' own" in log.read_text()
    assert not list((tmp_path / "cache").rglob("*.onnx"))


def test_without_ultralytics_the_fix_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ultralytics", None)
    done = pack(checkpoint(tmp_path / "best.pt"))
    assert (done.code, done.error) == (USAGE, "no-ultralytics")
    assert 'pip install "webbuild[ultralytics]"' in done.stderr


@pytest.mark.parametrize(
    ("pickled", "files", "said"),
    [
        (b"\x80\x02ccollections\nOrderedDict\n", (), "state dict"),
        (b"\x80\x02c__torch__\nNet\n", ("constants.pkl", "code/net.py"), "TorchScript"),
        (b"\x80\x02cmodels.yolo\nDetectionModel\n", (), "export.py"),
        (b"\x80\x02ctorch.nn.modules.linear\nLinear\n", (), "not an Ultralytics model"),
    ],
)
def test_another_checkpoint_is_never_loaded(
    pickled: bytes, files: tuple[str, ...], said: str, ultralytics: Path, tmp_path: Path
) -> None:
    done = pack(checkpoint(tmp_path / "best.pt", pickled, *files))
    assert (done.code, done.error) == (FAILED, "unknown-checkpoint")
    assert said in done.stderr
    assert not (ultralytics / "calls").exists()


@pytest.mark.usefixtures("ultralytics")
def test_inspect_and_patch_take_one_too(tmp_path: Path) -> None:
    model = checkpoint(tmp_path / "best.pt")
    assert "best.onnx" in webbuild("inspect", model).stdout
    done = webbuild("patch", model, "-o", tmp_path / "patched")
    assert done.code == 0, done.stderr
    assert [file.name for file in (tmp_path / "patched").iterdir()] == ["best.1.30.0-webgpu.onnx"]


def test_options_of_the_export_are_for_a_checkpoint(tmp_path: Path) -> None:
    model = write(f"{EXPORTS}/detect-raw", tmp_path)
    assert (pack(model, "--export", "nms=True")).error == "invalid-export-option"


@pytest.mark.parametrize("given", ["imgsz", "format=engine", "=3", "a b=3"])
def test_options_that_are_none(given: str) -> None:
    with pytest.raises(WebbuildError, match="not an argument of Ultralytics' export"):
        parse_export_options([given])
