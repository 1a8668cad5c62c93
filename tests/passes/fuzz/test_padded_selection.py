"""What a second stage answers is the same where it computes with as many rows as the first can select."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.static_shapes.padded_selection import PaddedSelection


@given(
    boxes=st.integers(1, 9),
    most=st.integers(1, 6),
    levels=st.lists(st.floats(0, 1), max_size=2),
    classes=st.integers(1, 3),
    first=st.sampled_from((-1.0, 0.5, 2.0)),
    threshold=st.sampled_from((0.0, 0.4, 0.6, 1.0)),
    scatter=st.sampled_from(("ScatterElements", "ScatterND")),
    steps=st.lists(st.sampled_from(("Abs", "Slice", "Softmax", "Own")), max_size=2),
    opset=st.sampled_from((12, 13, 17, 18)),
    seed=st.integers(0, 99),
)
def test_levels_and_classes(
    boxes: int,
    most: int,
    levels: list[float],
    classes: int,
    first: float,
    threshold: float,
    scatter: str,
    steps: list[str],
    opset: int,
    seed: int,
) -> None:
    random = np.random.default_rng(seed)
    corner = random.uniform(0, 1, (boxes, 2))
    feeds: dict[str, np.ndarray[Any, Any]] = {
        "x": np.concatenate([corner, corner + random.uniform(0.1, 1, (boxes, 2))], 1).astype(np.float32),
        "s": random.permutation(np.linspace(0.05, 0.95, boxes, dtype=np.float32)),
        "map": random.uniform(-1, 1, (1, 2, 8, 8)).astype(np.float32),
    }
    held: dict[str, np.ndarray[Any, Any]] = {
        "all": np.array([2**63 - 1]),
        "iou": np.array([0.7], np.float32),
        "first": np.array([first], np.float32),
        "low": np.array(threshold, np.float32),
        "flat": np.array([-1]),
        "zero": np.array([0]),
        "one": np.array([1]),
        "two": np.array([2]),
        "most": np.array([most]),
        "four": np.array([-1, 4]),
        "tall": np.array([-1, 1, 1, 1]),
        "thin": np.array([-1, 1]),
        "row": np.array([-1, 8]),
        "box": np.array([1, -1, 4]),
        "score": np.array([1, 1, -1]),
        "region": np.array([2, 2, 2]),
        "bounds": np.array(sorted(levels), np.float32),
        "w": random.normal(size=(8, classes)).astype(np.float32),
        "moves": random.normal(size=(8, classes * 4)).astype(np.float32) / 4,
        "each": np.array([0, classes, 4]),
        "parts": np.array([classes * 4]),
        "zeros": np.zeros(1, np.int64),
    }
    nodes = []

    def add(op: str, inputs: str, output: str, **attributes: Any) -> str:
        nodes.append(helper.make_node(op, inputs.split(), output.split(), **attributes))
        return output.split()[0]

    def suppress(box: str, score: str, threshold: str, name: str) -> str:
        lists = f"{add('Reshape', f'{box} box', f'{name}b')} {add('Reshape', f'{score} score', f'{name}s')}"
        triples = add("NonMaxSuppression", f"{lists} all iou {threshold}", f"{name}t")
        return add("Reshape", f"{add('Gather', f'{triples} two', f'{name}c', axis=1)} flat", f"{name}i")

    places = add("Slice", f"{suppress('x', 's', 'first', 'p')} zero most zero", "places")
    box = add("Gather", f"x {places}", "b", axis=0)
    # the level of each box: how many bounds its width is above
    left = add("Reshape", f"{add('Slice', f'{box} zero one one', 'l4')} flat", "left")
    held["three"], held["second"] = np.array([3]), np.array([2])
    right = add("Reshape", f"{add('Slice', f'{box} second three one', 'r4')} flat", "right")
    width = add("Sub", f"{right} {left}", "width")
    level = add("Cast", add("Mul", f"{width} none", "nought"), "level_0", to=7)
    held["none"] = np.array(0, np.float32)
    for number, bound in enumerate(sorted(levels)):
        held[f"bound{number}"] = np.array(bound, np.float32)
        above = add("Cast", add("Greater", f"{width} bound{number}", f"above{number}"), f"is{number}", to=7)
        level = add("Add", f"{level} {above}", f"level_{number + 1}")
    whole = add("Concat", f"{add('Shape', level, 'count')} region", "whole", axis=0)
    regions = add("ConstantOfShape", whole, "y0")
    for number in range(len(levels) + 1):
        held[f"level{number}"] = np.array(number)
        found = add("NonZero", add("Equal", f"{level} level{number}", f"m{number}"), f"f{number}")
        at = add("Reshape", f"{found} flat", f"a{number}")
        sizes = add("Shape", at, f"z{number}")
        pictures = add("Expand", f"zeros {sizes}", f"n{number}")
        aligned = add("RoiAlign", f"map {add('Gather', f'{box} {at}', f'o{number}', axis=0)} {pictures}", f"r{number}",
                      output_height=2, output_width=2, sampling_ratio=2, spatial_scale=float(4 >> number))  # fmt: skip
        if scatter == "ScatterND":
            back = add("Reshape", f"{at} thin", f"k{number}")
        else:
            counted = add("Concat", f"{sizes} region", f"c{number}", axis=0)
            back = add("Expand", f"{add('Reshape', f'{at} tall', f'v{number}')} {counted}", f"k{number}")
        regions = add(scatter, f"{regions} {back} {aligned}", f"y{number + 1}")
    rows = add("Reshape", f"{regions} row", "rows")
    for number, op in enumerate(steps):
        if op == "Own":
            rows = add("Mul", f"{rows} {rows}", f"rows{number}")
        elif op == "Slice":
            end = add("Slice", f"{rows} two all one", f"e{number}")
            rows = add("Concat", f"{end} {add('Slice', f'{rows} zero two one', f'g{number}')}", f"rows{number}", axis=1)
        else:
            rows = add(op, rows, f"rows{number}")
    scores = add("Sigmoid", add("MatMul", f"{rows} w", "logits"), "scores")
    moved = add("Reshape", f"{add('MatMul', f'{rows} moves', 'deltas')} each", "moved")
    many = add("Add", f"{add('Reshape', f'{box} wide', 'b3')} {moved}", "many")
    held["wide"] = np.array([0, 1, 4])
    box, score = add("Reshape", f"{many} four", "all_boxes"), add("Reshape", f"{scores} flat", "all_scores")
    found = add("Reshape", f"{add('NonZero', add('Greater', f'{score} low', 'sure'), 'found')} flat", "at")
    box, score = add("Gather", f"{box} {found}", "sb", axis=0), add("Gather", f"{score} {found}", "ss", axis=0)
    keep = suppress(box, score, "", "q")
    last = add("Reshape", f"{add('Gather', f'{score} {keep}', 'ks', axis=0)} thin", "last")
    add("Concat", f"{add('Gather', f'{box} {keep}', 'kb', axis=0)} {last}", "y", axis=1)
    used = {name for node in nodes for name in node.input}
    model = model_of(nodes, feeds, opset, {name: array for name, array in held.items() if name in used})
    assert_same(model, PaddedSelection, feeds, 1e-6)
