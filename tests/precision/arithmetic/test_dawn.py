"""Dawn for Node as an engine: a stand-in for Node that ends in every way, and the real one where it is installed."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import indent
from typing import Any

import numpy as np
import onnx_ir as ir
import pytest

from tests.precision.arithmetic.conftest import graph
from webbuild.bisect.engine import Ended
from webbuild.errors import WebbuildError
from webbuild.precision.arithmetic import on_dawn as asking
from webbuild.precision.arithmetic.dawn import Dawn
from webbuild.precision.arithmetic.engined import Engined
from webbuild.precision.arithmetic.on_dawn import on_dawn
from webbuild.precision.arithmetic.parts import Parts

LAVAPIPE = {"vendor": "mesa", "architecture": "", "device": "llvmpipe", "description": "llvmpipe: Mesa 25.0.7"}
RAN = {"ending": "ran", "message": "", "log": [], "outputs": []}


def stand_in(folder: Path, job: str, *, adapter: dict[str, str] | None = LAVAPIPE, halves: bool = True) -> Parts:
    """Return parts whose Node is a script that answers, and does `job` when it is asked to run a model."""
    script = folder / "node"
    script.write_text(
        f"""#!{sys.executable}
import json, sys, time
def tell(answer):
    print("@webbuild " + json.dumps(answer), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    if "webgpu" in request:
        print("Warning: Dawn says so\\n@group(0)", flush=True)
        tell({{"adapter": {adapter!r}, "halves": {halves!r}}})
    elif "engine" in request:
        tell({{"ready": True}})
        tried = False
    elif not tried:
        tried = True
        tell({RAN!r})
    else:
{indent(job, " " * 8)}
"""
    )
    script.chmod(0o755)
    return Parts(str(script), folder / "index.js", {})


@contextmanager
def dawn_on(parts: Parts, seconds: float = 60) -> Iterator[Dawn]:
    made = Dawn(parts, seconds)
    try:
        yield made
    finally:
        made.close()


def attempt(dawn: Dawn) -> tuple[Ended, dict[str, Any]]:
    found: dict[str, Any] = {}
    return dawn.attempt(b"model", {"x": np.zeros((1, 2), np.float16)}, found.__setitem__), found


def test_tensors_go_in_and_out_as_files(tmp_path: Path) -> None:
    job = """feed, = request["job"]["feeds"]
data = open(feed["url"], "rb").read()
open(request["outputs"] + "0", "wb").write(data + data)
output = {"name": "y", "type": feed["type"], "dims": [2, 2], "bytes": 8}
tell({"ending": "ran", "message": "", "log": [], "outputs": [output]})"""
    with dawn_on(stand_in(tmp_path, job)) as dawn:
        assert dawn.name.endswith("in Dawn for Node on llvmpipe: Mesa 25.0.7")
        found: dict[str, Any] = {}
        ended = dawn.attempt(b"model", {"x": np.array([[1, 2]], np.float16)}, found.__setitem__)
    assert ended == Ended("ran")
    assert found["y"].dtype == np.float16
    assert found["y"].tolist() == [[1, 2], [1, 2]]


def test_what_a_gpu_says_of_a_run_makes_its_answer_none(tmp_path: Path) -> None:
    job = f'print("WebGPU device error(2): out of it", flush=True)\ntell({RAN!r})'
    with dawn_on(stand_in(tmp_path, job)) as dawn:
        assert attempt(dawn) == (Ended("throws", "WebGPU device error(2): out of it"), {})


def test_a_process_that_ends_is_started_again(tmp_path: Path) -> None:
    job = f"""import os, pathlib
mark = pathlib.Path({str(tmp_path)!r}, "once")
if not mark.exists():
    mark.touch()
    os._exit(3)
tell({RAN!r})"""
    with dawn_on(stand_in(tmp_path, job)) as dawn:
        assert attempt(dawn) == (Ended("crash", "the process ended"), {})
        assert attempt(dawn) == (Ended("ran"), {})


def test_a_process_that_does_not_answer_is_ended(tmp_path: Path) -> None:
    with dawn_on(stand_in(tmp_path, "time.sleep(60)"), 0.2) as dawn:
        assert attempt(dawn) == (Ended("hang", "no answer in 0.2 s"), {})


def test_an_engine_that_threw_is_told(tmp_path: Path) -> None:
    threw = {**RAN, "ending": "throws", "message": "no kernel"}
    with dawn_on(stand_in(tmp_path, f"tell({threw!r})")) as dawn:
        arithmetic = Engined("Dawn on lavapipe", "", dawn, dawn.close)
        with pytest.raises(WebbuildError, match="float16, Dawn on lavapipe: throws: no kernel") as raised:
            arithmetic.run(graph("g (float16[1] x) => (float16[1] y) { y = Exp(x) }"), [{}])
    assert raised.value.code == "arithmetic-failed"


@pytest.mark.parametrize(
    ("adapter", "halves", "lack"),
    [
        (None, False, "Dawn for Node: the Vulkan driver has no adapter"),
        (LAVAPIPE, False, "Dawn for Node: llvmpipe: Mesa 25.0.7 has no shader-f16, which lavapipe has since Mesa 24"),
    ],
)
def test_an_adapter_without_float16_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, adapter: dict[str, str] | None, halves: bool, lack: str
) -> None:
    monkeypatch.setattr(asking, "parts", lambda: stand_in(tmp_path, "pass", adapter=adapter, halves=halves))
    assert on_dawn() == lack


def test_a_node_that_cannot_run_the_script_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "parts", lambda: Parts("/bin/false", tmp_path / "index.js", {}))
    assert on_dawn() == "Dawn for Node: the process ended"


def test_real_float16_is_computed(dawn: Engined) -> None:
    """The emulation's `test_what_a_node_makes_is_rounded_before_the_next_reads_it` asks the same."""
    model = graph("g (float16[2] a, float16[2] b) => (float16[2] y) { s = Add(a, b)\n y = Sub(s, a) }")
    feeds = {"a": np.array([1, 2048], np.float16), "b": np.array([2**-12, 1], np.float16)}
    (found,) = dawn.run(model, [feeds])
    assert found["y"].dtype == np.float16
    assert found["y"].tolist() == [0, 0]


def test_an_operator_that_no_engine_has_is_told_by_the_real_one(dawn: Engined) -> None:
    model = graph("g (float16[2] x) => (float16[2] y) { y = NoSuchOperator(x) }")
    assert json.dumps("NoSuchOperator") in ir.to_proto(model).__str__()
    with pytest.raises(WebbuildError, match=r"Dawn on .*: no-session: .*NoSuchOperator"):
        dawn.run(model, [{"x": np.zeros(2, np.float16)}])
