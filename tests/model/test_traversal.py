"""What nodes on disk are of."""

from __future__ import annotations

from pathlib import Path

from tests.models import HEADER, parsed, save
from webbuild.model.traversal import casts_of_inputs


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
