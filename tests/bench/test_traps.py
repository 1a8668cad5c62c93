"""The trap collection: what it says of itself, and how its scoreboard judges."""

from __future__ import annotations

import numpy as np
import pytest

from bench.tiny import Answer
from bench.traps.outcome import Outcome, judged, reference
from bench.traps.page import Row, left
from bench.traps.tools import TOOLS, content, made
from bench.traps.trap import Trap, traps
from webbuild.targets.target import Target

NATIVE = Target("1.30.0", "webgpu")
RIGHT = {"y": np.array([1.0, np.nan, -np.inf], np.float32)}


def answer(y: list[float], gpu: tuple[str, ...] = ("Abs",), cpu: tuple[str, ...] = ()) -> Answer:
    return Answer("ran", "", {"y": np.array(y, np.float32)}, gpu, cpu)


def row(**endings: str) -> Row:
    outcomes = {tool: Outcome(endings.get(tool.split()[0], "throws")) for tool in TOOLS}  # type: ignore[arg-type]
    return Row("a", "", "", "webgpu", (), outcomes)


def test_there_are_enough_and_each_says_what_it_is() -> None:
    known = traps()
    assert len(known) >= 60
    assert all(trap.what and trap.source for trap in known)


@pytest.mark.parametrize("trap", traps(), ids=lambda trap: trap.name)
def test_native_onnx_runtime_answers_it(trap: Trap) -> None:
    want = reference(trap)
    assert want is not None
    assert set(want) == {value.name for value in trap.model.graph.output}


@pytest.mark.parametrize(
    ("given", "ending"),
    [
        (answer([1, np.nan, -np.inf]), "GPU"),
        (answer([1, np.nan, -np.inf], (), ("Abs",)), "CPU"),
        (answer([1, np.nan, -np.inf], ("Abs",), ("Exp",)), "partly CPU"),
        (answer([1, np.nan, -np.inf], ()), "folded"),
        (answer([1, 0, -np.inf]), "wrong"),
        (answer([1, 0, -np.inf], (), ("Abs",)), "wrong"),
        (answer([1, np.nan, 0]), "wrong"),
        (answer([1, np.nan]), "wrong"),
        (Answer("ran", "", {}, ("Abs",), ()), "wrong"),
        (Answer("throws", "no", {}, ("Abs",), ()), "throws"),
        (Answer("crash", "gone", {}, (), ()), "throws"),
        (Answer("no-session", "no", {}, (), ()), "no session"),
    ],
)
def test_an_answer_is_judged_by_what_it_is_and_where_it_was_computed(given: Answer, ending: str) -> None:
    assert judged(given, RIGHT, ()).ending == ending


def test_an_answer_of_the_build_that_was_stepped_down_to_is_still_an_answer() -> None:
    assert judged(answer([1, np.nan, -np.inf], (), ("Abs",)), RIGHT, (), "no-kernel").ending == "WASM"
    assert judged(answer([1, 0, -np.inf], (), ("Abs",)), RIGHT, (), "no-kernel").ending == "wrong"


def test_where_the_standard_leaves_an_answer_open_none_is_wrong() -> None:
    assert judged(answer([1, 0, -np.inf]), RIGHT, (), undefined="as ONNX says").ending == "undefined"
    assert judged(Answer("throws", "no", {}, ("Abs",), ()), RIGHT, (), undefined="as ONNX says").ending == "throws"


def test_cured_is_what_is_right_and_wholly_on_the_gpu() -> None:
    failing = row(onnxsim="CPU", webbuild="GPU")
    assert (failing.cured_by, failing.worse_by) == (["webbuild"], [])
    slow = row(**{"as": "CPU", "onnxsim": "partly CPU", "OnnxSlim": "wrong", "webbuild": "folded"})
    assert (slow.cured_by, slow.worse_by) == (["webbuild"], ["OnnxSlim"])


def test_kept_right_is_what_is_elsewhere_for_a_reason() -> None:
    silent, wrong = row(webbuild="CPU"), row(onnxsim="GPU")
    told = judged(answer([1, np.nan, -np.inf], (), ("Abs",)), RIGHT, (), kept="no kernel")
    kept = Row("a", "", "", "webgpu", (), {**silent.outcomes, "webbuild": told})
    assert [kept.kept_right, silent.kept_right, wrong.kept_right, row(webbuild="GPU").kept_right] == [
        True,
        *[False] * 3,
    ]
    assert left([kept, silent, wrong, row(webbuild="GPU")]) == [silent, wrong]


def test_names_of_nodes_and_noted_shapes_make_no_other_graph_but_an_attribute_does() -> None:
    (trap,) = traps("relu_of_nan")
    renamed, changed = made(trap, "as it is", NATIVE).model, made(trap, "as it is", NATIVE).model
    assert renamed is not None
    assert changed is not None
    renamed.graph.node[0].name = "another"
    changed.graph.node[0].op_type = "Abs"
    assert content(renamed) == content(trap.model) != content(changed)
