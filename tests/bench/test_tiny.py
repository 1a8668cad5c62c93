"""Tiny models in Chromium: each answer belongs to its model, whatever those before it did to the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pytest

from bench import tiny
from bench.tiny import Answer, Build, Job, run_all
from tests.models import HEADER, parsed
from webbuild.browser.chromium import Chromium

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
    pages: list[int] = []
    honest = tiny._on_a_page

    def counted(browser: Chromium, origin: str, build: Build, jobs: Sequence[Job]) -> list[Answer]:
        pages.append(len(jobs))
        return honest(browser, origin, build, jobs)

    monkeypatch.setattr(tiny, "_on_a_page", counted)
    pool = "<kernel_shape = [2, 2], strides = [2, 2], ceil_mode = 1>"
    thrown = f"{HEADER} g (float[1,1,5,5] x) => (float[1,1,3,3] y) {{ y = AveragePool {pool} (x) }}"
    refused = Job("refused", parsed(thrown).SerializeToString(), {"x": np.ones((1, 1, 5, 5), np.float32)})
    answers = run_all([job("before", RIGHT), refused, job("after", RIGHT)], "jsep")
    assert [answer.ending for _, answer in answers] == ["ran", "throws", "ran"]
    assert pages == [3, 1]


@pytest.mark.browser
def test_named_nodes_run_on_the_cpu() -> None:
    model = parsed(f"{HEADER} g (float[1,1,4,4] x) => (float[1,1,4,4] y) {{ [exp] y = Exp (x) }}")
    named = Job("a", model.SerializeToString(), {"x": X}, cpu_nodes=("exp",))
    ((_, answer),) = run_all([named], "webgpu")
    assert (answer.ending, answer.gpu, answer.cpu) == ("ran", (), ("*",))
