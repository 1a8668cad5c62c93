"""`webbuild inspect`: its output and its exit codes."""

from __future__ import annotations

import json
from pathlib import Path

from tests.commands.program import webbuild
from tests.models import HEADER, convolution, parsed, save

BACKWARDS = f"""{HEADER}
backwards (float[9,4] x) => (float[3,4] y)
<int64[1] starts = {{7}}, int64[1] ends = {{1}}, int64[1] axes = {{0}}, int64[1] steps = {{-2}}>
{{
  y = Slice (x, starts, ends, axes, steps)
}}
"""


def test_a_model_that_runs_exits_clean_and_says_so(tmp_path: Path) -> None:
    done = webbuild("inspect", save(convolution(), tmp_path / "small.onnx"))
    assert done.code == 0
    assert done.stdout.splitlines()[-1] == "small.onnx on 1.30.0-webgpu: it runs, all of it on the GPU"


def test_a_model_that_answers_wrongly_exits_1_and_names_the_node_and_the_mend(tmp_path: Path) -> None:
    done = webbuild("inspect", save(parsed(BACKWARDS), tmp_path / "backwards.onnx"))
    assert done.code == 1
    first = done.stdout.splitlines()[0]
    assert first.startswith("error[slice-negative-step] wrong answer")
    assert "Slice 'y'" in done.stdout
    assert "fix: webbuild pack (pass slice-to-gather)" in done.stdout


def test_json_has_every_node(tmp_path: Path) -> None:
    done = webbuild("inspect", save(parsed(BACKWARDS), tmp_path / "backwards.onnx"), "--json")
    assert done.code == 1
    told = json.loads(done.stdout)
    assert told["schema"] == 2
    assert [(node["operator"], node["placement"], node["outcome"]) for node in told["nodes"]] == [
        ("Slice", "gpu", "wrong")
    ]
    assert [finding["code"] for finding in told["findings"]] == ["slice-negative-step"]


def test_the_target_decides(tmp_path: Path) -> None:
    model = save(convolution(), tmp_path / "small.onnx")
    assert webbuild("inspect", model, "--target", "1.30.0-wasm").code == 0
    unknown = webbuild("inspect", model, "--target", "0.1-wasm")
    assert (unknown.code, unknown.error) == (2, "unknown-target")
    deprecated = webbuild("inspect", model, "--target", "1.30.0-jsep")
    assert (deprecated.code, deprecated.error) == (2, "jsep-build")


def test_a_free_size_that_nothing_tells_is_asked_for(tmp_path: Path) -> None:
    text = f"{HEADER} g (float[1,width] x) => (float[1,5] y) <int64[2] to = {{1, 5}}> {{ y = Reshape (x, to) }}"
    model = save(parsed(text), tmp_path / "free.onnx")
    refused = webbuild("inspect", model)
    assert (refused.code, refused.error) == (2, "unknown-dimension")
    assert webbuild("inspect", model, "--dim", "width=5").code == 0


def test_names_in_a_model_cannot_write_to_the_terminal(tmp_path: Path) -> None:
    model = parsed(BACKWARDS)
    model.graph.node[0].name = "\x1b[31mred"
    done = webbuild("inspect", save(model, tmp_path / "red.onnx"))
    assert "\x1b[31m" not in done.stdout
    assert "\\x1b[31mred" in done.stdout


def test_the_page_is_written_where_it_is_asked_for(tmp_path: Path) -> None:
    model = save(convolution(), tmp_path / "small.onnx")
    done = webbuild("inspect", model, "--html", tmp_path / "small.html")
    assert done.code == 0
    assert "small.onnx" in (tmp_path / "small.html").read_text("utf-8")
    refused = webbuild("inspect", model, "--html", tmp_path / "nowhere" / "small.html")
    assert (refused.code, refused.error) == (2, "unwritable-report")
