"""The proof of models with state: runs in sequence, and a check that each assumed state is one."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import onnx
import pytest

from tests.models import HEADER, parsed, save
from tests.stateful import GRU, MATTING, WINDOW, stateful
from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.equivalence.check import ComparedModel, EquivalenceResult, check_equivalence
from webbuild.equivalence.sequences import check_states, merge_steps
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import Graph, ImageInput, Input, Letterbox, Output, StateInput, TensorInput, TensorTask
from webbuild.manifest.states import state_inputs
from webbuild.preprocess.state_feeds import state_feeds
from webbuild.runners.native import NativeRunner
from webbuild.samples.collect import collect_samples
from webbuild.samples.sample import Sample
from webbuild.samples.sequences import STEPS, make_sequence

CELL = (
    TensorInput(name="x", dtype="float32", shape=[1, 8]),
    StateInput(name="state", dtype="float32", shape=[1, 4], output="stateN"),
)
BUFFER = (
    TensorInput(name="x", dtype="float32", shape=[1, 1, 16]),
    StateInput(name="buffer", dtype="float32", shape=[1, 4, 16], output="next_buffer"),
)
PICTURE = ImageInput(
    name="src", shape=[1, 3, 32, 48], scale=1 / 255, mean=[0, 0, 0], std=[1, 1, 1], letterbox=Letterbox(mode="stretch")
)


def proof(folder: Path, proto: onnx.ModelProto, changed: onnx.ModelProto, *, alone: bool = False) -> EquivalenceResult:
    """Prove a changed cell against the original cell, in a sequence or in independent runs."""
    original = NativeRunner(save(proto, folder / "original.onnx"))
    save(changed, folder / "changed.onnx")
    outputs = [Output(name="y", dtype="float32", shape=[1, 2]), Output(name="stateN", dtype="float32", shape=[1, 4])]
    graph = Graph(target="wasm", file="changed.onnx", weights=[], nodes=5, outputs=outputs, head_status=None)
    samples = collect_samples(folder / "original.onnx", (), CELL)
    samples += [] if alone else make_sequence(samples, CELL)
    return check_equivalence(ComparedModel(original, TensorTask(), states=state_inputs(CELL)), [graph], folder, samples)


def forgetful() -> onnx.ModelProto:
    """Return the cell without its memory: starting from zeros it gives the same output."""
    changed = stateful(GRU)
    changed.graph.node[2].input[1] = "seen"
    weight = next(each for each in changed.graph.initializer if each.name == "w")
    weight.CopyFrom(onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(weight) / 2, "w"))
    return changed


def test_each_step_of_a_sequence_is_compared(tmp_path: Path) -> None:
    done = proof(tmp_path, stateful(GRU), stateful(GRU))
    assert {each.verdict for each in done.comparisons} == {"OK"}
    (row,) = [each for each in done.comparisons if each.subject.output == "y" and "steps" in each.subject.sample]
    assert row.subject.sample == f"{STEPS} steps of tensors"
    assert len(done.comparisons) == 2 * (3 + 1)
    assert set(done.outputs) == {
        "random in 0..1",
        "random around 0",
        "random around 0 again",
        "32 steps of tensors, step 1",
    }


def test_a_graph_that_forgets_differs_in_the_sequence_only(tmp_path: Path) -> None:
    assert {each.verdict for each in proof(tmp_path, stateful(GRU), forgetful(), alone=True).comparisons} == {"OK"}
    differing = [each for each in proof(tmp_path, stateful(GRU), forgetful()).comparisons if each.verdict == "DIFFERS"]
    assert {each.subject.sample for each in differing} == {f"{STEPS} steps of tensors"}
    assert all(each.details[-1].startswith("at step ") for each in differing)


def test_a_sequence_of_a_picture_moves_over_it() -> None:
    state = StateInput(name="r1i", dtype="float32", shape=[1, 4, 16, 24], output="r1o")
    samples = collect_samples(Path("model.onnx"), (), (PICTURE, state))
    steps = make_sequence(samples, (PICTURE, state))
    assert [each.continues for each in steps] == [False, *[True] * (STEPS - 1)]
    assert all(each.feeds["src"].shape == (1, 3, 32, 48) and not each.feeds["r1i"].any() for each in steps)
    assert len({each.size for each in steps}) == 1  # with another size the runtime resets the states to zeros
    frames = [each.feeds["src"] for each in steps]
    changes = [float(np.abs(one - other).mean()) for one, other in pairwise(frames)]
    apart = float(np.abs(frames[0] - frames[STEPS // 2]).mean())
    assert min(changes) > 0
    assert max(changes) < apart
    assert make_sequence(samples, (PICTURE,)) == []


def run_of(folder: Path, text: str) -> NativeRunner:
    return NativeRunner(save(stateful(text), folder / "model.onnx"))


def test_a_state_that_is_one_passes(tmp_path: Path) -> None:
    steps = make_sequence(collect_samples(tmp_path / "m.onnx", (), BUFFER), BUFFER)
    assert check_states(run_of(tmp_path, WINDOW).run, state_inputs(BUFFER), steps, {"buffer"}) == []


def matting(folder: Path, first: str, second: str) -> tuple[NativeRunner, list[StateInput], list[Sample]]:
    ratio = TensorInput(name="downsample_ratio", dtype="float32", shape=[1])
    states = [
        StateInput(name="r1i", dtype="float32", shape=[1, 4, 16, 24], output=first),
        StateInput(name="r2i", dtype="float32", shape=[1, 6, 8, 12], output=second),
    ]
    inputs: tuple[Input, ...] = (PICTURE, *states, ratio)
    return run_of(folder, MATTING), states, make_sequence(collect_samples(Path("m.onnx"), (), inputs), inputs)


def test_several_states_pass(tmp_path: Path) -> None:
    runner, states, steps = matting(tmp_path, "r1o", "r2o")
    assert check_states(runner.run, states, steps, {"r1i", "r2i"}) == []


HANDED_THROUGH = "ref_out = Identity (x) y = Sub (x, ref)"
OF_ITSELF = "more = Add (ref, one) ref_out = Tanh (more) y = Mul (x, ref)"


@pytest.mark.parametrize("body", [HANDED_THROUGH, OF_ITSELF], ids=["the input before", "no input at all"])
def test_a_guessed_state_that_keeps_nothing_longer_is_warned_of(tmp_path: Path, body: str) -> None:
    text = f"""{HEADER}
    m (float[1,8] x, float[1,8] ref) => (float[1,8] y, float[1,8] ref_out) <float one = {{1}}> {{ {body} }}"""
    states = [StateInput(name="ref", dtype="float32", shape=[1, 8], output="ref_out")]
    inputs: tuple[Input, ...] = (CELL[0], *states)
    runner = NativeRunner(save(parsed(text), tmp_path / "m.onnx"))
    steps = make_sequence(collect_samples(tmp_path / "m.onnx", (), inputs), inputs)
    (said,) = check_states(runner.run, states, steps, {"ref"})
    assert said.startswith("[unproven-state] state 'ref': what 'ref_out' carries")
    assert "--state ref=ref_out" in said
    assert check_states(runner.run, states, steps) == []


@pytest.mark.parametrize(
    ("change", "code", "says"),
    [
        ("constant", "constant-state", "'stateN' is 0 after each of 32 steps"),
        ("unused", "unused-state", "set to zeros after 16 steps, it changes no other output of the 16 steps"),
    ],
)
def test_what_is_no_state_is_refused(tmp_path: Path, change: str, code: str, says: str) -> None:
    proto = stateful(GRU)
    if change == "constant":  # the state is read, and never written
        proto.graph.node[3].output[0] = proto.graph.node[4].input[0] = "hidden"
        proto.graph.node.append(onnx.helper.make_node("Sub", ["state", "state"], ["stateN"]))
    else:  # it is written, and never read
        proto.graph.node[2].input[1] = "seen"
    runner = NativeRunner(save(proto, tmp_path / "m.onnx"))
    steps = make_sequence(collect_samples(tmp_path / "m.onnx", (), CELL), CELL)
    with pytest.raises(WebbuildError, match=says) as caught:
        check_states(runner.run, state_inputs(CELL), steps)
    assert caught.value.code == code
    assert "--state none" in caught.value.fix


def compared(sample: str, verdict: str, difference: float, output: str = "y") -> Comparison:
    subject = ComparedOutput("wasm", sample, "raw", output)
    return Comparison(subject=subject, verdict=verdict, tolerance=1.0, max_abs=difference)  # type: ignore[arg-type]


def test_the_worst_step_stands_for_a_sequence() -> None:
    sequences = {f"s, step {step}": "s" for step in (1, 2, 3)}
    found = merge_steps(
        [
            compared("photo", "OK", 0.3),
            compared("s, step 1", "VACUOUS", 0.0),
            compared("s, step 2", "OK", 0.5),
            compared("s, step 3", "OK", 0.2),
            compared("s, step 3", "DIFFERS", 2.0, "z"),
            compared("s, step 1", "OK", 0.1, "z"),
        ],
        sequences,
    )
    told = [(each.subject.sample, each.subject.output, each.verdict, each.max_abs, each.details) for each in found]
    assert told == [
        ("photo", "y", "OK", 0.3, ()),
        ("s", "y", "OK", 0.5, ("at step 2",)),
        ("s", "z", "DIFFERS", 2.0, ("at step 3",)),
    ]


def test_states_begin_with_zeros() -> None:
    assert {name: array.tolist() for name, array in state_feeds(CELL).items()} == {"state": [[0, 0, 0, 0]]}
