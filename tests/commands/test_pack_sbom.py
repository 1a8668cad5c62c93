"""The bill of materials in a bundle: valid CycloneDX, complete, and byte-identical for the same bundle."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import onnx
import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from tests.commands.program import ROOT, pack
from tests.models import convolution, save
from webbuild import __version__
from webbuild.bundle.cyclonedx import component, document

pytestmark = pytest.mark.usefixtures("stand_in")


def packed_sbom(folder: Path, license_name: str = "") -> dict[str, Any]:
    """Pack a small model that states a licence, and return the bundle's bill of materials, which must be valid."""
    path = save(convolution(), folder / "in" / "m.onnx")
    if license_name:
        model = onnx.load(path)
        model.metadata_props.add(key="license", value=license_name)
        onnx.save(model, path)
    pack(path)
    text = (path.parent / "out" / "sbom.cdx.json").read_text("utf-8")
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    found: dict[str, Any] = json.loads(text)
    return found


def test_it_names_engine_runtime_packages_and_model_with_licences_and_hashes(tmp_path: Path) -> None:
    sbom = packed_sbom(tmp_path, "AGPL-3.0 License (https://example.org/<license>)")
    assert sbom["metadata"]["tools"]["components"][0]["purl"] == f"pkg:pypi/webbuild@{__version__}"
    parts = {each["name"]: each for each in sbom["components"]}
    assert list(parts) == ["onnxruntime-web", "@webbuild/runtime", "comlink", "demo page", "m.onnx"]
    assert parts["onnxruntime-web"]["purl"] == "pkg:npm/onnxruntime-web@1.0.0"
    assert parts["onnxruntime-web"]["licenses"] == [{"license": {"id": "MIT"}}]
    assert parts["comlink"]["purl"] == "pkg:npm/comlink@4.0.0"
    model = parts["m.onnx"]
    assert model["licenses"] == [{"license": {"name": "AGPL-3.0 License (https://example.org/<license>)"}}]
    given = (tmp_path / "in" / "m.onnx").read_bytes()
    assert model["hashes"] == [{"alg": "SHA-256", "content": hashlib.sha256(given).hexdigest()}]
    files = {
        file["name"]: file["hashes"][0]["content"] for each in parts.values() for file in each.get("components", ())
    }
    out = tmp_path / "in" / "out"
    lying = {path.relative_to(out).as_posix() for path in out.rglob("*.*")}
    assert {path for path in lying if path.startswith("runtime/")} == {
        path for path in files if path.startswith("runtime/")
    }
    assert {"page/page.js", "page/page.css"} <= set(files)
    assert all(hashlib.sha256((out / path).read_bytes()).hexdigest() == digest for path, digest in files.items())


def test_a_model_that_states_no_licence_has_none(tmp_path: Path) -> None:
    sbom = packed_sbom(tmp_path)
    assert "licenses" not in sbom["components"][-1]


def test_the_serial_number_depends_on_the_contents_alone() -> None:
    def serial(version: str) -> str:
        own = component("library", "a", version, registry="npm")
        return str(json.loads(document(own, [], inside={}, tool=None))["serialNumber"])

    assert serial("1") == serial("1") != serial("2")


def test_every_package_that_the_runtime_imports_is_named() -> None:
    sources = [path for folder in ("src", "page") for path in (ROOT / "web" / folder).rglob("*.ts")]
    imported = {name for path in sources for name in re.findall(r'from "([^."][^"]*)"', path.read_text("utf-8"))}
    named = re.search(r"NAMES = \[(.+)\];", (ROOT / "web" / "build" / "inside.mjs").read_text("utf-8"))
    assert named is not None
    assert imported == {"onnxruntime-web", *json.loads(f"[{named[1]}]")}
