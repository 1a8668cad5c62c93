"""Tiny models in Chromium: each answer belongs to its model, whatever those before it did to the page."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

from bench import tiny
from bench.tiny import Job, run_all
from tests.models import HEADER, parsed

RIGHT = "y = Exp (x)"
THROWS = 'y = Resize <mode = "linear", antialias = 1> (x, , s)'
REFUSED = "d = Cast <to = 11> (x) e = Sqrt (d) y = Cast <to = 1> (e)"
X = np.random.default_rng(0).random((1, 1, 4, 4), np.float32)


def job(name: str, body: str) -> Job:
    text = f"{HEADER} g (float[1,1,4,4] x) => (float[1,1,n,m] y) <float[4] s = {{1, 1, 0.5, 0.5}}> {{ {body} }}"
    return Job(name, parsed(text).SerializeToString(), {"x": X})


@pytest.mark.browser
@pytest.mark.parametrize("build", ["webgpu", "jsep"])
def test_each_ends_as_if_it_were_alone(build: Literal["webgpu", "jsep"]) -> None:
    bodies = {"first": RIGHT, "throws": THROWS, "second": RIGHT, "refused": REFUSED, "third": RIGHT}
    told = list(run_all([job(name, body) for name, body in bodies.items()], build))
    assert [each.name for each, _ in told] == list(bodies)
    endings = {each.name: answer.ending for each, answer in told}
    assert endings.pop("refused") == ("no-session" if build == "webgpu" else "ran")
    assert endings == {"first": "ran", "throws": "throws", "second": "ran", "third": "ran"}
    for each, answer in told:
        if each.name in ("first", "second", "third"):
            np.testing.assert_allclose(answer.outputs["y"], np.exp(X), rtol=1e-5)
            assert answer.wholly_gpu


@pytest.mark.browser
def test_a_page_in_doubt_is_left_behind_the_last_of_a_batch_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiny, "BATCH", 1)
    text = f"{HEADER} g (float[14,37] x, float[37,25] w, float z) => (float[14,25] y) {{ y = Gemm (x, w, z) }}"
    feeds = {name: np.ones(shape, np.float32) for name, shape in (("x", (14, 37)), ("w", (37, 25)), ("z", ()))}
    gemm = Job("lost", parsed(text).SerializeToString(), feeds)
    endings = [answer.ending for _, answer in run_all([gemm, job("after", RIGHT)], "webgpu")]
    assert endings == ["throws", "ran"]


@pytest.mark.browser
def test_named_nodes_run_on_the_cpu() -> None:
    model = parsed(f"{HEADER} g (float[1,1,4,4] x) => (float[1,1,4,4] y) {{ [exp] y = Exp (x) }}")
    named = Job("a", model.SerializeToString(), {"x": X}, cpu_nodes=("exp",))
    ((_, answer),) = run_all([named], "webgpu")
    assert (answer.ending, answer.gpu, answer.cpu) == ("ran", (), ("*",))
