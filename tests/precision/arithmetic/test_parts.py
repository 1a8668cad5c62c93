"""What Dawn for Node takes is looked for, and what is missing is said."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from webbuild.precision.arithmetic import parts as module
from webbuild.precision.arithmetic.parts import Parts, parts


@pytest.fixture(autouse=True)
def drivers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Of this machine's own drivers and packages none is seen."""
    monkeypatch.setattr(module, "_ICDS", (tmp_path / "icd.d",))
    monkeypatch.setattr(module, "__file__", str(tmp_path / "a/b/c/d/parts.py"))
    (tmp_path / "icd.d").mkdir()
    return tmp_path / "icd.d"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "node_modules" / "webgpu"
    folder.mkdir(parents=True)
    (folder / "index.js").touch()
    return folder


def test_no_node(tmp_path: Path) -> None:
    assert parts({"PATH": str(tmp_path)}, tmp_path) == "there is no Node.js; WEBBUILD_NODE names one"


def test_a_node_that_is_not_there(tmp_path: Path) -> None:
    found = parts({"WEBBUILD_NODE": "/no/node"}, tmp_path)
    assert found == "there is no Node.js at /no/node; WEBBUILD_NODE names one"


def test_no_package(tmp_path: Path) -> None:
    found = parts({"WEBBUILD_NODE": sys.executable}, tmp_path)
    assert found == "the npm package `webgpu` is not installed; WEBBUILD_DAWN names its folder"


def test_a_folder_that_was_named_is_the_only_one(tmp_path: Path, package: Path) -> None:
    found = parts({"WEBBUILD_NODE": sys.executable, "WEBBUILD_DAWN": str(tmp_path)}, tmp_path)
    assert isinstance(found, str)
    assert "`webgpu` is not installed" in found


def test_no_driver(tmp_path: Path, package: Path) -> None:
    found = parts({"WEBBUILD_NODE": sys.executable}, tmp_path)
    assert found == "Mesa's lavapipe is not installed; VK_ICD_FILENAMES names its ICD, or another driver's"


def test_all_there(tmp_path: Path, package: Path, drivers: Path) -> None:
    icd = drivers / "lvp_icd.x86_64.json"
    icd.touch()
    (drivers / "intel_icd.json").touch()
    found = parts({"WEBBUILD_NODE": sys.executable}, tmp_path)
    assert found == Parts(sys.executable, package / "index.js", {"VK_ICD_FILENAMES": str(icd)})


def test_a_driver_that_was_named_stays(tmp_path: Path, package: Path) -> None:
    given = {"WEBBUILD_NODE": sys.executable, "WEBBUILD_DAWN": str(package), "VK_ICD_FILENAMES": "/else.json"}
    assert parts(given, tmp_path) == Parts(sys.executable, package / "index.js", {})
