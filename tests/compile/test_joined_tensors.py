"""Outputs that a graph concatenates from several tensors, one of which may be an image."""

from __future__ import annotations

import onnx_ir as ir
import pytest

from webbuild.compile.joined_tensors import with_joined_tensors
from webbuild.manifest.manifest import DetectTask, ImageInput, Letterbox, TensorInput
from webbuild.manifest.tasks.tensor import TensorTask
from webbuild.passes.analysis.shape_inference import infer_shapes
from webbuild.tasks.task_match import TaskMatch

PICTURE = ImageInput(
    name="x", shape=[1, 3, 8, 8], scale=1.0, mean=[0.0] * 3, std=[1.0] * 3, letterbox=Letterbox(mode="stretch")
)
MATCH = TaskMatch(TensorTask(), (PICTURE,), ())
PARTS = """light = ReduceMean <axes = [1]> (x)
    deeper = Neg (x)
    deepest = Neg (deeper)"""
LAST = "float[1,8,8,7] y"


def joined(tail: str, output: str = "float[1,7,8,8] y", parts: str = PARTS, match: TaskMatch = MATCH) -> TaskMatch:
    text = f"""<ir_version: 8, opset_import: ["" : 13]>
    g (float[1,3,8,8] x) => ({output})
    {{
    {parts}
    {tail}
    }}"""
    model = ir.from_onnx_text(text)
    infer_shapes(model)
    return with_joined_tensors(match, model)


def channels(match: TaskMatch) -> list[tuple[int, int, int]]:
    assert isinstance(match.task, TensorTask)
    return [(part.axis, part.first, part.end) for part in match.task.joined]


@pytest.mark.parametrize(
    ("tail", "output", "axis"),
    [
        ("y = Concat <axis = 1> (deeper, light, deepest)", "float[1,7,8,8] y", 1),
        ("y = Concat <axis = -3> (deeper, light, deepest)", "float[1,7,8,8] y", 1),
        ("all = Concat <axis = 1> (deeper, light, deepest) y = Sigmoid (all)", "float[1,7,8,8] y", 1),
        ("all = Concat <axis = 1> (deeper, light, deepest) y = Transpose <perm = [0, 2, 3, 1]> (all)", LAST, 3),
        (
            """turned = Transpose <perm = [0, 2, 3, 1]> (deepest) first = Transpose <perm = [0, 2, 3, 1]> (deeper)
            one = Transpose <perm = [0, 2, 3, 1]> (light) y = Concat <axis = 3> (first, one, turned)""",
            LAST,
            3,
        ),
    ],
)
def test_what_is_computed_last_is_the_first(tail: str, output: str, axis: int) -> None:
    found = joined(tail, output)
    assert channels(found) == [(axis, 4, 7), (axis, 0, 3), (axis, 3, 4)]
    assert found.assumptions == ("output 'y' is joined from 3 tensors: the page draws each of them by its shape",)


@pytest.mark.parametrize(
    ("tail", "output"),
    [
        ("all = Concat <axis = 1> (deeper, light, deepest) y = Add (all, all)", "float[1,7,8,8] y"),
        ("y = Concat <axis = 1> (light, light)", "float[1,2,8,8] y"),
        ("y = Concat <axis = 2> (deeper, deepest)", "float[1,3,16,8] y"),
        ("y = Concat <axis = 0> (deeper, deepest)", "float[2,3,8,8] y"),
        ("y = Neg (deepest)", "float[1,3,8,8] y"),
    ],
)
def test_other_outputs_are_left_whole(tail: str, output: str) -> None:
    found = joined(tail, output)
    assert (channels(found), found.assumptions) == ([], ())


def test_only_a_model_of_plain_tensors_that_takes_a_picture_has_them() -> None:
    tail = "y = Concat <axis = 1> (deeper, light, deepest)"
    known = TaskMatch(DetectTask(output="y", rows=1, classes=["a"]), (PICTURE,), ())
    assert joined(tail, match=known) is known
    numbers = TaskMatch(TensorTask(), (TensorInput(name="x", dtype="float32", shape=[1, 3, 8, 8]),), ())
    assert joined(tail, match=numbers) is numbers
