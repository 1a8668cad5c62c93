"""The manifest: the same value both ways, strict, and described by the schema that is committed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

import webbuild
from tests.manifests import manifest
from webbuild.manifest.manifest import Task, TensorTask, decode, encode, json_schema

SCHEMA = Path(webbuild.__file__).parent / "manifest" / "manifest.schema.json"


def edited(change: Any, *path: str | int) -> bytes:
    """Return a manifest in which the field at `path` is `change`."""
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


def test_the_schema_asks_for_every_field() -> None:
    for name, definition in json_schema()["$defs"].items():
        if "properties" in definition:
            assert set(definition["required"]) == set(definition["properties"]), name
            assert definition["additionalProperties"] is False, name


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ("x", ("unknown",)),
        ("x", ("source", "unknown")),
        (1, ("inputs", 0, "letterbox", "unknown")),
        (2, ("schema",)),
        ("video", ("inputs", 0, "kind")),
        ("float16", ("outputs", 0, "dtype")),
        ("ABC", ("source", "sha256")),
        ("webgl", ("graphs", 0, "target")),
        ([0, 1, 2], ("task", "skeleton", 0)),
        (4, ("task", "keypointSize")),
        ("12", ("source", "size")),
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
