"""The manifest: the same value after a round trip, strict, and described by the committed schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

import webbuild
from tests.manifests import manifest
from webbuild.manifest.manifest import Task, TensorTask, Variant, decode, encode, json_schema

SCHEMA = Path(webbuild.__file__).parent / "manifest" / "manifest.schema.json"


def edited(change: Any, *path: str | int) -> bytes:
    """Return a manifest with the field at `path` set to `change`."""
    data = json.loads(encode(manifest()))
    target = data
    for step in path[:-1]:
        target = target[step]
    target[path[-1]] = change
    return json.dumps(data).encode()


@pytest.mark.parametrize("task", [None, TensorTask()])
def test_what_is_written_is_read_again(task: Task | None) -> None:
    value = manifest(task)
    assert decode(encode(value)) == value
    assert encode(decode(encode(value))) == encode(value)


def test_every_field_is_written_also_one_that_has_its_default() -> None:
    data = json.loads(encode(manifest()))
    assert data["schema"] == 1
    assert data["files"][0]["encoding"] == "identity"
    assert data["inputs"][0]["letterbox"] == {
        "mode": "letterbox",
        "anchor": "center",
        "pad": 114,
        "interpolation": "bilinear",
    }
    assert data["task"]["kind"] == "pose"
    assert encode(manifest()).endswith(b"}\n")


def test_the_committed_schema_is_the_one_of_these_structs() -> None:
    assert json.loads(SCHEMA.read_text("utf-8")) == json_schema(), "generate manifest.schema.json again"


OPTIONAL = {
    "MaskGenerationTask": {"pointScale"},
    "ImageInput": {"mask"},
    "CropInput": {"halfTurn", "split"},
    "Letterbox": {"edge", "rounding"},
    "Graph": {"suppression"},
    "Suppression": {"rotated", "maxCandidates", "multiLabel", "rowCount"},
    "MultiLabel": {"scoreColumn", "labelColumn"},
    "Manifest": {"variants", "stages", "stageName", "textEncoder"},
    "EmbedTask": {"textInput"},
    "Stage": {"variants", "glueModule"},
    "File": {"uncompressedSha256"},
    "Golden": {"sequence", "tolerance"},
}


def test_the_schema_asks_for_every_field_but_those_that_few_bundles_have() -> None:
    for name, definition in json_schema()["$defs"].items():
        if "properties" in definition:
            optional = OPTIONAL.get(name, set())
            assert set(definition["required"]) == set(definition["properties"]) - optional, name
            assert definition["additionalProperties"] is False, name


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ("x", ("unknown",)),
        ("x", ("source", "unknown")),
        (1, ("inputs", 0, "letterbox", "unknown")),
        (3, ("schema",)),
        ("video", ("inputs", 0, "kind")),
        ("float16", ("outputs", 0, "dtype")),
        ("ABC", ("source", "sha256")),
        ("webgl", ("graphs", 0, "target")),
        ([0, 1, 2], ("task", "skeleton", 0)),
        (4, ("task", "keypointSize")),
        ("12", ("source", "size")),
        (-1, ("source", "size")),
        (0, ("inputs", 0, "shape", 0)),
        (-2, ("outputs", 0, "shape", 0)),
        (2**31, ("outputs", 0, "shape", 0)),
        (None, ("engine",)),
    ],
)
def test_anything_unknown_or_wrong_is_refused(change: Any, path: tuple[str | int, ...]) -> None:
    with pytest.raises(msgspec.ValidationError):
        decode(edited(change, *path))


@pytest.mark.parametrize("field", ["task", "graphs", "files", "golden", "evaluationThresholds"])
def test_a_missing_field_is_refused(field: str) -> None:
    data = json.loads(encode(manifest()))
    del data[field]
    with pytest.raises(msgspec.ValidationError, match=field):
        decode(json.dumps(data).encode())


@pytest.mark.parametrize("text", ["</script>", 'a"b\\', "\u2028\x00\x1b", "模型 🙂", "x" * 10_000])
def test_text_of_any_kind_survives(text: str) -> None:
    value = manifest(text=text, title=text)
    assert decode(encode(value)) == value


def test_variants_are_left_out_where_there_are_none() -> None:
    assert "variants" not in json.loads(encode(manifest()))
    assert manifest().every_variant == [manifest()]


def test_another_size_is_a_manifest_with_its_own_graphs_and_no_golden_run() -> None:
    first = manifest()
    graph = msgspec.structs.replace(first.graphs[-1], file="model/wasm-other.onnx")
    other = Variant(
        task=first.task,
        inputs=first.inputs,
        outputs=first.outputs,
        graphs=[graph],
        disabled_targets=[],
        evaluation_thresholds={"confidence": 0.1},
    )
    both = msgspec.structs.replace(first, variants=[other])
    assert decode(encode(both)) == both
    alone, second = both.every_variant
    assert alone == first
    assert (second.graphs, second.golden, second.evaluation_thresholds) == ([graph], None, {"confidence": 0.1})
    assert (second.files, second.engines) == (first.files, first.engines)
