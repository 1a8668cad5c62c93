"""A second stage gives the same result when it computes as many rows as the first can select."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same
from tests.passes.two_stages import TwoStages
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
    stages = TwoStages(boxes, first, seed)
    add, random = stages.add, stages.random
    stages.held |= {
        "low": np.array(threshold, np.float32),
        "most": np.array([most]),
        "four": np.array([-1, 4]),
        "row": np.array([-1, 8]),
        "wide": np.array([0, 1, 4]),
        "w": random.normal(size=(8, classes)).astype(np.float32),
        "moves": random.normal(size=(8, classes * 4)).astype(np.float32) / 4,
        "each": np.array([0, classes, 4]),
    }
    places = add("Slice", f"{stages.suppress('x', 's', 'first', 'p')} zero most zero", "places")
    box = add("Gather", f"x {places}", "b", axis=0)
    _, regions = stages.aligned(box, levels, scatter)
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
    box, score = add("Reshape", f"{many} four", "all_boxes"), add("Reshape", f"{scores} flat", "all_scores")
    found = add("Reshape", f"{add('NonZero', add('Greater', f'{score} low', 'sure'), 'found')} flat", "at")
    box, score = add("Gather", f"{box} {found}", "sb", axis=0), add("Gather", f"{score} {found}", "ss", axis=0)
    keep = stages.suppress(box, score, "", "q")
    last = add("Reshape", f"{add('Gather', f'{score} {keep}', 'ks', axis=0)} thin", "last")
    add("Concat", f"{add('Gather', f'{box} {keep}', 'kb', axis=0)} {last}", "y", axis=1)
    assert_same(stages.model(opset), PaddedSelection, stages.feeds, 1e-6)
