"""The files that make a folder deployable as a website and as a package."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path

from webbuild.bundle.deployment import package_json, write_deployment
from webbuild.bundle.integrity import page_integrity, sri_hash


def made(folder: Path) -> Path:
    for path in (
        "model/weights-1.bin",
        "runtime/ort/ort.min.mjs",
        "runtime/tokenizer.js",
        "runtime/worker.js",
        "samples/a.jpg",
        "vocabulary.txt",
    ):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(path)
    write_deployment("pose", 'Pose "of" people', folder, loaded=["vocabulary.txt"])
    return folder


def test_bundlers_see_every_file_that_is_loaded_by_its_address(tmp_path: Path) -> None:
    entry = (made(tmp_path) / "npm.js").read_text()
    addresses = dict(re.findall(r'"(.+)": new URL\("\./(.+)", import\.meta\.url\)\.href,', entry))
    loaded = ("model/weights-1.bin", "runtime/ort/ort.min.mjs", "runtime/tokenizer.js", "vocabulary.txt")
    assert addresses == {path: path for path in loaded}
    assert 'new Worker(new URL("./runtime/worker.js", import.meta.url), { type: "module"' in entry


def test_the_package_has_types_and_every_file() -> None:
    described = json.loads(package_json("pose", 'Pose "of" people'))
    assert described["exports"] == {".": {"types": "./pose.d.ts", "default": "./npm.js"}, "./*": "./*"}
    assert (described["name"], described["type"]) == ("pose", "module")


def test_the_integrity_is_what_browsers_compute(tmp_path: Path) -> None:
    paths = ("page/page.css", "page/page.js", "pose.js", "runtime/webbuild.js")
    for path in paths:
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(path)
    assert tuple(page_integrity("pose", tmp_path)) == tuple(f"./{path}" for path in paths)
    kind, _, digest = sri_hash(tmp_path / "pose.js").partition("-")
    assert (kind, base64.b64decode(digest)) == ("sha384", hashlib.sha384(b"pose.js").digest())
