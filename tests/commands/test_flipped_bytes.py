"""Any byte of a model may be wrong: the model packs or is refused; it never triggers a bug in webbuild."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.commands.program import webbuild
from tests.models import HEADER, convolution, parsed

pytestmark = pytest.mark.usefixtures("stand_in")

BRANCHES = f"""{HEADER} g (float[2,n] x, bool c) => (float[2,n] y, int64[2] z) <int64[1] axes = {{1}}>
{{ best = ArgMax <axis = 1, keepdims = 0> (x) z = Identity (best) wide = Cast <to = 11> (x)
   y = If (c) <then_branch = a () => (float[2,n] u) {{ u = Cast <to = 1> (wide) }},
               else_branch = b () => (float[2,n] v) {{ v = Neg (x) }}> }}"""
MODELS = [convolution(metadata={"names": "{0: 'a'}", "stride": "8"}), parsed(BRANCHES)]
WHOLE = [model.SerializeToString() for model in MODELS]

bytes_of = st.integers(0, 255)
flips = st.lists(st.tuples(st.floats(0, 1, exclude_max=True), bytes_of), min_size=1, max_size=4)


@settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.sampled_from(range(len(WHOLE))), flips)
def test_a_model_with_wrong_bytes_packs_or_is_refused(
    stand_in: None, which: int, wrong: list[tuple[float, int]]
) -> None:
    data = bytearray(WHOLE[which])
    for place, byte in wrong:
        data[int(place * len(data))] = byte
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.onnx"
        path.write_bytes(data)
        done = webbuild("pack", path, "-o", Path(folder) / "out", "--no-verify", "--dim", "n=3")
        if done.code == 2 and done.error == "unused-dimension":
            done = webbuild("pack", path, "-o", Path(folder) / "out", "--no-verify")
        assert done.code in (0, 1, 2), f"{bytes(data)!r}\n{done.stderr}"
        assert done.code == 0 or done.error
        assert {beside.name for beside in Path(folder).iterdir()} == (
            {"m.onnx", "out"} if done.code == 0 else {"m.onnx"}
        )
