"""Several parts cut out of one tensor, by Slices and Gathers, in any order, some nested."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from onnx import helper

from tests.passes.fuzz.model import assert_same, fires, model_of
from webbuild.passes.fusion.split_instead_of_slices import SplitInsteadOfSlices

FAR = 2**40


@given(
    shape=st.lists(st.integers(1, 8), min_size=1, max_size=3),
    count=st.integers(2, 7),
    opset=st.sampled_from((11, 13, 18)),
    half=st.booleans(),
    data=st.data(),
)
def test_every_part_stays(shape: list[int], count: int, opset: int, half: bool, data: st.DataObject) -> None:
    main = data.draw(st.integers(0, len(shape) - 1))
    values, nodes, flat = {"x": tuple(shape)}, [], []
    weights = {"line": np.array([-1])}
    for index in range(count):
        source = data.draw(st.sampled_from(("x", "x", *values)))
        whole = values[source]
        if not whole:
            continue
        axis = data.draw(st.sampled_from((min(main, len(whole) - 1), data.draw(st.integers(0, len(whole) - 1)))))
        size, part = whole[axis], f"p{index}"
        written = axis - len(whole) if data.draw(st.booleans()) else axis
        if data.draw(st.booleans()):
            place = data.draw(st.integers(-size, size - 1))
            weights[f"i{index}"] = np.array(place if data.draw(st.booleans()) else [place])
            nodes.append(helper.make_node("Gather", [source, f"i{index}"], [part], axis=written))
            kept = [1] if weights[f"i{index}"].ndim else []
            values[part] = (*whole[:axis], *kept, *whole[axis + 1 :])
        else:
            start = data.draw(st.integers(-size - 1, size))
            end = data.draw(st.integers(-size - 1, size + 1) | st.just(FAR))
            step = data.draw(st.sampled_from((1, 1, 1, 2)))
            for name, number in (("s", start), ("e", end), ("a", written), ("t", step)):
                weights[f"{name}{index}"] = np.array([number])
            names = [f"{name}{index}" for name in ("s", "e", "a", "t")]
            nodes.append(helper.make_node("Slice", [source, *names], [part]))
            left = len(range(size)[start:end:step])
            values[part] = (*whole[:axis], left, *whole[axis + 1 :])
            if not left:
                values.pop(part)
        nodes.append(helper.make_node("Reshape", [part, "line"], [f"f{index}"]))
        flat.append(f"f{index}")
    kind = np.float16 if half else np.float32
    x = np.arange(np.prod(shape), dtype=kind).reshape(shape)
    nodes.append(helper.make_node("Concat", flat, ["y"], axis=0))
    model = model_of(nodes, {"x": x}, opset, weights)
    assume(fires(model, SplitInsteadOfSlices))
    assert_same(model, SplitInsteadOfSlices, {"x": x})
