"""Whatever a manifest holds: the bundle is opened and read, or refused with a fix, in little memory and time."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz import damage
from tests.fuzz.bounds import bounded, tried
from tests.manifests import manifest
from tests.verify.bundle_made import write_bundle
from webbuild.bench.bench import select_backends
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import TensorTask, encode
from webbuild.verify.bundle_reader import open_bundle
from webbuild.verify.changed_files import changed_files
from webbuild.verify.golden_reader import read_golden
from webbuild.verify.inputs import collect_inputs
from webbuild.verify.reference import check_golden_run, reference_runner

VALUES: tuple[Any, ...] = (
    *(None, True, 0, -1, 0.5, 1 << 31, 1 << 62, 1 << 70, 1e308, "", "../../../etc/passwd", "/etc/passwd", "nul\0l"),
    *("x" * 5000, [], {}, [1, 1 << 40, 1 << 40], [-1], [[]], {"kind": "tensor"}, {"kind": "nothing"}, ["webgpu"]),
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[bytes]]:
    """Return a bundle's folder, and manifests to break: its own and made-up ones."""
    bundle = write_bundle(tmp_path_factory.mktemp("fuzzed") / "double")
    own = (bundle.directory / "manifest.json").read_bytes()
    return bundle.directory, [own, own, encode(manifest()), encode(manifest(TensorTask()))]


def places(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Return the way to everything inside a value."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [way for key, each in inside for way in ((*path, key), *places(each, (*path, key)))]


def alike(value: Any) -> Sequence[Any]:
    """Return absurd values of the same type, which reach further."""
    if isinstance(value, list):
        return [[], value[1:], value + value, value * 20]
    return [each for each in VALUES if type(each) is type(value)] or VALUES


def broken(data: bytes, draw: damage.Draw) -> bytes:
    """Put absurd values into a manifest, or take some out; then damage its text, or leave it."""
    value = json.loads(data)
    for _ in range(draw(st.integers(0, 3))):
        *way, last = draw(st.sampled_from(places(value)))
        target = value
        for step in way:
            target = target[step]
        match draw(st.integers(0, 9)):
            case 0 | 1:
                del target[last]
            case 2:
                target[last] = draw(st.sampled_from(VALUES))
            case _:
                target[last] = draw(st.sampled_from(alike(target[last])))
        if not places(value):
            break
    text = json.dumps(value)
    if draw(st.integers(0, 30)) == 0:
        deep = draw(st.sampled_from((100, 5000, 100_000)))
        text = text.replace("[]", "[" * deep + "]" * deep, 1)
    return damage.bytes_of(text.encode(), draw) if draw(st.booleans()) else text.encode()


@pytest.mark.timeout(7200)
@tried(few=60, many=5_000)
@given(st.data())
def test_any_manifest_is_read_or_refused(whole: tuple[Path, list[bytes]], data: st.DataObject) -> None:
    folder, manifests = whole
    (folder / "manifest.json").write_bytes(broken(data.draw(st.sampled_from(manifests)), data.draw))
    with bounded(), contextlib.suppress(WebbuildError):
        bundle = open_bundle(folder)
        list(changed_files(bundle))
        select_backends(bundle, [])
        collect_inputs(bundle, [])
        read_golden(bundle)
        check_golden_run(bundle, reference_runner(bundle))
