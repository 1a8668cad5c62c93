"""The trap collection: the description of each trap, and how the scoreboard judges."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.tiny_models import JobResult
from benchmarks.traps.outcome import TrapOutcome, compare_answer, reference_outputs
from benchmarks.traps.report import TrapRow, unresolved
from benchmarks.traps.tools import TOOLS, apply_tool, canonical_bytes
from benchmarks.traps.trap import Trap, load_traps
from webbuild.targets.target import Target

NATIVE = Target("1.30.0", "webgpu")
RIGHT = {"y": np.array([1.0, np.nan, -np.inf], np.float32)}


def answer(y: list[float], gpu: tuple[str, ...] = ("Abs",), cpu: tuple[str, ...] = ()) -> JobResult:
    return JobResult("ran", "", {"y": np.array(y, np.float32)}, gpu, cpu)


def row(**endings: str) -> TrapRow:
    outcomes = {tool: TrapOutcome(endings.get(tool.split()[0], "throws")) for tool in TOOLS}  # type: ignore[arg-type]
    return TrapRow("a", "", "", (), outcomes)


def test_there_are_enough_and_each_says_what_it_is() -> None:
    known = load_traps()
    assert len(known) >= 60
    assert all(trap.what and trap.source for trap in known)


@pytest.mark.parametrize("trap", load_traps(), ids=lambda trap: trap.name)
def test_native_onnx_runtime_answers_it(trap: Trap) -> None:
    want = reference_outputs(trap)
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
        (JobResult("ran", "", {}, ("Abs",), ()), "wrong"),
        (JobResult("throws", "no", {}, ("Abs",), ()), "throws"),
        (JobResult("crash", "gone", {}, (), ()), "throws"),
        (JobResult("no-session", "no", {}, (), ()), "no session"),
    ],
)
def test_an_answer_is_judged_by_what_it_is_and_where_it_was_computed(given: JobResult, ending: str) -> None:
    assert compare_answer(given, RIGHT, ()).ending == ending


def test_an_answer_of_the_build_that_was_stepped_down_to_is_still_an_answer() -> None:
    assert compare_answer(answer([1, np.nan, -np.inf], (), ("Abs",)), RIGHT, (), "unimplemented-dtype").ending == "WASM"
    assert compare_answer(answer([1, 0, -np.inf], (), ("Abs",)), RIGHT, (), "unimplemented-dtype").ending == "wrong"


def test_where_the_standard_leaves_an_answer_open_none_is_wrong() -> None:
    assert compare_answer(answer([1, 0, -np.inf]), RIGHT, (), undefined="as ONNX says").ending == "undefined"
    assert (
        compare_answer(JobResult("throws", "no", {}, ("Abs",), ()), RIGHT, (), undefined="as ONNX says").ending
        == "throws"
    )


def test_fixed_means_right_and_all_nodes_on_the_gpu() -> None:
    failing = row(onnxsim="CPU", webbuild="GPU")
    assert (failing.fixed_by, failing.worse_by) == (["webbuild"], [])
    slow = row(unchanged="CPU", onnxsim="partly CPU", OnnxSlim="wrong", webbuild="folded")
    assert (slow.fixed_by, slow.worse_by) == (["webbuild"], ["OnnxSlim"])


def test_kept_right_is_what_is_elsewhere_for_a_reason() -> None:
    silent, wrong = row(webbuild="CPU"), row(onnxsim="GPU")
    told = compare_answer(answer([1, np.nan, -np.inf], (), ("Abs",)), RIGHT, (), kept="no kernel")
    kept = TrapRow("a", "", "", (), {**silent.outcomes, "webbuild": told})
    assert [kept.runs_on_cpu, silent.runs_on_cpu, wrong.runs_on_cpu, row(webbuild="GPU").runs_on_cpu] == [
        True,
        *[False] * 3,
    ]
    assert unresolved([kept, silent, wrong, row(webbuild="GPU")]) == [silent, wrong]


def test_names_of_nodes_and_noted_shapes_make_no_other_graph_but_an_attribute_does() -> None:
    (trap,) = load_traps("relu_of_nan")
    renamed, changed = apply_tool(trap, "unchanged", NATIVE).model, apply_tool(trap, "unchanged", NATIVE).model
    assert renamed is not None
    assert changed is not None
    renamed.graph.node[0].name = "another"
    changed.graph.node[0].op_type = "Abs"
    assert canonical_bytes(renamed) == canonical_bytes(trap.model) != canonical_bytes(changed)
