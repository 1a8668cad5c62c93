"""A second pack of a model takes proven results from the cache, and gives the same bundle."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx_ir as ir
import pytest
from numpy.typing import NDArray

from tests.commands.program import hashes, webbuild
from tests.models import convolution, save
from webbuild.passes.base import PassOptions
from webbuild.passes.lower import LoweredGraphs, lower
from webbuild.runners.content_cache import NO_CACHE
from webbuild.runners.content_hash import hash_tensors
from webbuild.runners.native import NativeRunner
from webbuild.runners.tensors import Tensors


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv(NO_CACHE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in "ab":
        np.savez(tmp_path / f"{name}.npz", x=np.random.default_rng(ord(name)).random((1, 3, 8, 8), np.float32))
    return save(convolution(), tmp_path / "model.onnx")


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the files whose graphs were run, in order."""
    seen: list[str] = []
    run = NativeRunner.run

    def noting(self: NativeRunner, feeds: Tensors) -> dict[str, NDArray[Any]]:
        seen.append(self.path.name.partition("-")[0])
        return run(self, feeds)

    monkeypatch.setattr(NativeRunner, "run", noting)
    return seen


def pack(model: Path, name: str, *more: str | Path) -> dict[str, str]:
    """Return the hashes of the bundle's files."""
    out = model.parent / name / "bundle"
    done = webbuild("pack", model, "-o", out, "--task", "tensor", "--no-verify", *more)
    assert done.code == 0, done.stderr
    return hashes(out)


def test_a_second_pack_runs_nothing_and_writes_the_same(model: Path, computed: list[str]) -> None:
    samples = ("--sample", model.parent / "a.npz")
    first = pack(model, "first", *samples)
    assert sorted(computed) == ["model.onnx", "webgpu"], "each once: the graph for WASM is the same file"
    computed.clear()
    assert pack(model, "second", *samples) == first
    assert computed == []


def test_a_second_pack_applies_no_pass_again(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planned: list[PassOptions] = []

    def noting(source: ir.Model, options: PassOptions) -> LoweredGraphs:
        planned.append(options)
        return lower(source, options)

    monkeypatch.setattr("webbuild.compile.plan_graphs.lower", noting)
    first = pack(model, "first", "--sample", model.parent / "a.npz")
    assert len(planned) == 1
    pack(model, "second", "--sample", model.parent / "b.npz")
    assert len(planned) == 1
    pack(model, "third", "--sample", model.parent / "a.npz", "--nms", "keep")
    assert len(planned) == 2, "another option is another plan"
    assert pack(model, "fourth", "--sample", model.parent / "a.npz", "--no-cache") == first
    assert len(planned) == 3


def test_only_another_sample_is_run(model: Path, computed: list[str]) -> None:
    pack(model, "first", "--sample", model.parent / "a.npz")
    computed.clear()
    both = pack(model, "second", "--sample", model.parent / "a.npz", model.parent / "b.npz")
    assert sorted(computed) == ["model.onnx", "webgpu"]
    assert both == pack(model, "third", "--sample", model.parent / "a.npz", model.parent / "b.npz", "--no-cache")


@pytest.mark.parametrize("how", ["option", "variable"])
def test_without_a_cache_everything_is_run_and_nothing_kept(
    model: Path, computed: list[str], how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if how == "variable":
        monkeypatch.setenv(NO_CACHE, "1")
    for name in ("first", "second"):
        computed.clear()
        pack(model, name, "--sample", model.parent / "a.npz", *(["--no-cache"] if how == "option" else []))
        assert sorted(computed) == ["model.onnx", "webgpu", "webgpu"]
    assert not (model.parent / "cache").exists()


def test_a_torn_entry_is_computed_again(model: Path, computed: list[str]) -> None:
    first = pack(model, "first", "--sample", model.parent / "a.npz")
    entries = list((model.parent / "cache" / "webbuild" / "answers").iterdir())
    assert len(entries) == 3, "two answers and the plan"
    for entry in entries:
        entry.write_bytes(entry.read_bytes()[:40])
    computed.clear()
    assert pack(model, "second", "--sample", model.parent / "a.npz") == first
    assert sorted(computed) == ["model.onnx", "webgpu"]


def test_without_a_cache_too_the_sizes_are_tried_on_a_sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    run = NativeRunner.run

    def noting(self: NativeRunner, feeds: Tensors) -> dict[str, NDArray[Any]]:
        if self.path.name == "model.onnx":
            asked.append(hash_tensors(feeds))
        return run(self, feeds)

    monkeypatch.setattr(NativeRunner, "run", noting)
    free = convolution()
    for axis in (2, 3):
        free.graph.input[0].type.tensor_type.shape.dim[axis].dim_param = f"side{axis}"
        free.graph.output[0].type.tensor_type.shape.dim[axis].Clear()
    pack(save(free, tmp_path / "model.onnx"), "sized", "--no-cache", "--dim", "side2=8", "--dim", "side3=8")
    assert len(asked) == len(set(asked)) >= 3, "no input goes through the original twice"
