"""NMS on rows selected by masks equals NMS on all rows with the others suppressed."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.static_shapes.masked_suppression import MaskedSuppression


@given(
    levels=st.lists(st.integers(2, 7), min_size=1, max_size=3),
    best=st.one_of(st.none(), st.integers(1, 9)),
    steps=st.lists(st.sampled_from(("Abs", "Neg", "Exp", "Own", "Slice", "Transpose")), max_size=3),
    chooser=st.sampled_from(("GatherND", "Gather", "Compress")),
    again=st.booleans(),
    low=st.sampled_from((-2.0, 0.2, 0.5, 2.0)),
    opset=st.sampled_from((12, 13, 17, 18)),
    seed=st.integers(0, 99),
)
def test_rows_of_several_levels(
    levels: list[int],
    best: int | None,
    steps: list[str],
    chooser: str,
    again: bool,
    low: float,
    opset: int,
    seed: int,
) -> None:
    random = np.random.default_rng(seed)
    feeds: dict[str, np.ndarray[Any, Any]] = {}
    held: dict[str, np.ndarray[Any, Any]] = {
        "low": np.array(low, np.float32),
        "high": np.array(0.6, np.float32),
        "all": np.array([2**63 - 1]),
        "iou": np.array([0.4], np.float32),
        "flat": np.array([-1]),
        "zero": np.array([0]),
        "two": np.array([2]),
        "four": np.array([4]),
        "one": np.array([1]),
        "most": np.array([best or 0]),
        "box": np.array([1, -1, 4]),
        "score": np.array([1, 1, -1]),
    }
    nodes = []

    def add(op: str, inputs: str, output: str, **attributes: Any) -> str:
        nodes.append(helper.make_node(op, inputs.split(), output.split(), **attributes))
        return output.split()[0]

    def choose(mask: str, data: str, name: str) -> str:
        if chooser == "Compress" and not again:
            return add("Compress", f"{data} {mask}", name, axis=0)
        found = add("NonZero", mask, f"{name}_found")
        if chooser == "GatherND":
            return add("GatherND", f"{data} {add('Transpose', found, f'{name}_at', perm=[1, 0])}", name)
        return add("Gather", f"{data} {add('Reshape', f'{found} flat', f'{name}_at')}", name, axis=0)

    boxes, scores = [], []
    for level, rows in enumerate(levels):
        feeds[f"x{level}"] = random.uniform(0, 1, (rows, 4)).astype(np.float32)
        feeds[f"s{level}"] = random.permutation(np.linspace(0.05, 0.95, rows, dtype=np.float32)) + np.float32(
            level / 99
        )
        mask = add("Greater", f"s{level} low", f"m{level}")
        box, score = choose(mask, f"x{level}", f"b{level}"), choose(mask, f"s{level}", f"c{level}")
        for number, op in enumerate(steps):
            name = f"b{level}_{number}"
            if op == "Own":
                add("Mul", f"{box} {box}", name)
            elif op == "Slice":
                add("Concat", f"{add('Slice', f'{box} two four one', f'{name}r')} "
                    f"{add('Slice', f'{box} zero two one', f'{name}l')}", name, axis=1)  # fmt: skip
            elif op == "Transpose":
                add("Transpose", add("Transpose", box, f"{name}t", perm=[1, 0]), name, perm=[1, 0])
            else:
                add(op, box, name)
            box = name
        if again:
            sure = add("Less", f"{score} high", f"sure{level}")
            box, score = choose(sure, box, f"d{level}"), choose(sure, score, f"e{level}")
        if best is not None:
            add("Concat", f"{add('Shape', score, f'n{level}')} most", f"sizes{level}", axis=0)
            add("ReduceMin", f"sizes{level}", f"k{level}", keepdims=1)
            add("TopK", f"{score} k{level}", f"top{level} order{level}")
            box, score = add("Gather", f"{box} order{level}", f"f{level}", axis=0), f"top{level}"
        boxes.append(box)
        scores.append(score)
    box = add("Concat", " ".join(boxes), "all_boxes", axis=0)
    score = add("Concat", " ".join(scores), "all_scores", axis=0)
    add(
        "NonMaxSuppression",
        f"{add('Reshape', f'{box} box', 'nb')} {add('Reshape', f'{score} score', 'ns')} all iou",
        "t",
    )
    add("Reshape", f"{add('Gather', 't two', 'column', axis=1)} flat", "keep")
    kept_scores = add("Reshape", f"{add('Gather', f'{score} keep', 'ks', axis=0)} tall", "kt")
    held["tall"] = np.array([-1, 1])
    add("Concat", f"{add('Gather', f'{box} keep', 'kb', axis=0)} {kept_scores}", "y", axis=1)
    assert_same(model_of(nodes, feeds, opset, held), MaskedSuppression, feeds, 1e-7)
