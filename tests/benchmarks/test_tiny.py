"""Tiny models in Chromium: each output belongs to its model, whatever earlier models did to the page."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from benchmarks import tiny_models
from benchmarks.tiny_models import Job, JobResult, run_all
from tests.models import HEADER, parsed
from webbuild.browser.chromium import BrowserHandle
from webbuild.targets.target import Build

RIGHT = "y = Exp (x)"
THROWS = 'y = Resize <mode = "linear", antialias = 1> (x, , s)'
REFUSED = "d = Cast <to = 11> (x) e = Sqrt (d) y = Cast <to = 1> (e)"
X = np.random.default_rng(0).random((1, 1, 4, 4), np.float32)


def job(name: str, body: str) -> Job:
    text = f"{HEADER} g (float[1,1,4,4] x) => (float[1,1,n,m] y) <float[4] s = {{1, 1, 0.5, 0.5}}> {{ {body} }}"
    return Job(name, parsed(text).SerializeToString(), {"x": X})


@pytest.mark.browser
def test_each_ends_as_if_it_were_alone() -> None:
    bodies = {"first": RIGHT, "throws": THROWS, "second": RIGHT, "refused": REFUSED, "third": RIGHT}
    told = list(run_all([job(name, body) for name, body in bodies.items()], "webgpu"))
    assert [each.name for each, _ in told] == list(bodies)
    endings = {each.name: answer.ending for each, answer in told}
    assert endings.pop("refused") == "no-session"
    assert endings == {"first": "ran", "throws": "throws", "second": "ran", "third": "ran"}
    for each, answer in told:
        if each.name in ("first", "second", "third"):
            np.testing.assert_allclose(answer.outputs["y"], np.exp(X), rtol=1e-5)
            assert answer.wholly_gpu


@pytest.mark.browser
def test_kernels_are_counted_by_shader_where_a_job_asks() -> None:
    told = job("two", "a = Exp (x) y = Add (a, x)")
    counted = Job("counted", told.model, told.feeds, counts=True)
    (_, plain), (_, answer) = run_all([told, counted], "webgpu")
    assert not plain.kernels
    assert answer.kernels == {"Exp": 1, "Add": 1}


@pytest.mark.browser
def test_a_page_in_doubt_is_left_behind_the_last_of_a_batch_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiny_models, "BATCH", 1)
    pages: list[int] = []
    honest = tiny_models._run_on_page

    def counted(
        browser: BrowserHandle, origin: str, build: Build, jobs: Sequence[Job], seconds: float
    ) -> list[JobResult]:
        pages.append(len(jobs))
        return honest(browser, origin, build, jobs, seconds)

    monkeypatch.setattr(tiny_models, "_run_on_page", counted)
    thrown = f"{HEADER} g (float[2,0] a, float[0,3] b) => (float[2,3] y) {{ y = MatMul (a, b) }}"
    feeds = {"a": np.ones((2, 0), np.float32), "b": np.ones((0, 3), np.float32)}
    refused = Job("refused", parsed(thrown).SerializeToString(), feeds)
    answers = run_all([job("before", RIGHT), refused, job("after", RIGHT)], "webgpu")
    assert [answer.ending for _, answer in answers] == ["ran", "throws", "ran"]
    assert pages == [3, 1]


@pytest.mark.browser
def test_named_nodes_run_on_the_cpu() -> None:
    model = parsed(f"{HEADER} g (float[1,1,4,4] x) => (float[1,1,4,4] y) {{ [exp] y = Exp (x) }}")
    named = Job("a", model.SerializeToString(), {"x": X}, cpu_nodes=("exp",))
    ((_, answer),) = run_all([named], "webgpu")
    assert (answer.ending, answer.gpu, answer.cpu) == ("ran", (), ("*",))
