"""Graph queries on saved models: casts of inputs."""

from __future__ import annotations

from pathlib import Path

from tests.models import HEADER, parsed, save
from webbuild.model.traversal import casts_of_inputs, rounded_outputs


def test_only_what_casts_an_int64_input_is_a_cast_of_an_input(tmp_path: Path) -> None:
    model = parsed(f"""{HEADER} g (int64[2] wide, int32[2] narrow, float[2] x) => (float[2] y)
    {{
      a = Cast <to = 1> (wide)
      b = Cast <to = 1> (narrow)
      c = Cast <to = 7> (x)
      d = Cast <to = 1> (c)
      e = Neg (wide)
      f = Cast <to = 1> (e)
      y = Sum (a, b, d, f)
    }}""")
    for node in model.graph.node:
        node.name = f"makes {node.output[0]}"
    assert casts_of_inputs(save(model, tmp_path / "m.onnx")) == {"makes a"}


def test_bytes_that_a_cast_rounds_are_rounded_and_numbers_of_classes_are_not(tmp_path: Path) -> None:
    model = parsed(f"""{HEADER} g (float[1,3,4,4] x, uint8[1,3] b)
    => (uint8[1,4,4,3] picture, uint8[1,1,4,4] classes, uint8[1,3] same, int8[1,3,4,4] steps, int32[1,3,4,4] whole)
    <float s = {{0.1}}, int8 z = {{0}}>
    {{
      a = Clip (x)
      c = Cast <to = 2> (a)
      picture = Transpose <perm = [0, 2, 3, 1]> (c)
      d = ArgMax <axis = 1> (x)
      classes = Cast <to = 2> (d)
      same = Identity (b)
      steps = QuantizeLinear (x, s, z)
      whole = Cast <to = 6> (x)
    }}""")
    assert rounded_outputs(save(model, tmp_path / "m.onnx")) == {"picture", "steps"}
