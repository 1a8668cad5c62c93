"""Any model file: it is inspected and packed, or refused with a fix, in little memory and time."""

from __future__ import annotations

import tempfile
from pathlib import Path

import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import hostile
from tests.commands.conftest import stand_in, stand_in_root  # noqa: F401 (fixtures)
from tests.commands.program import Done, webbuild
from tests.commands.test_flipped_bytes import BRANCHES
from tests.fuzz import damage
from tests.fuzz.bounds import bounded, count, tried
from tests.models import HEADER, convolution, detector, parsed

LOOP = f"""{HEADER} g (float[2,3] x, int64 n, bool go) => (float[2,3] y)
{{ y = Loop (n, go, x) <body = b (int64 i, bool c, float[2,3] a) => (bool d, float[2,3] e)
   {{ d = Identity (c) e = Add (a, a) }}> }}"""
MODELS = [convolution(metadata={"names": "{0: 'a'}", "stride": "8"}), parsed(BRANCHES), parsed(LOOP), detector()]
WHOLE = [model.SerializeToString() for model in MODELS]


@st.composite
def files(draw: damage.Draw) -> bytes:
    """Draw the content of a model file."""
    if draw(st.integers(0, 50)) == 0:
        return damage.bytes_of(hostile.nested(draw(st.integers(2, 200))), draw)
    model = onnx.ModelProto()
    model.ParseFromString(draw(st.sampled_from(WHOLE)))
    for way in draw(st.lists(st.sampled_from(damage.WAYS), max_size=4)):
        way(model, draw)
    data: bytes = model.SerializeToString()
    return damage.bytes_of(data, draw) if draw(st.booleans()) else data


def told(data: bytes, *command: str) -> Done:
    """Run a command on a file in a temporary folder; `OUT` stands for a path in that folder."""
    with tempfile.TemporaryDirectory() as folder, bounded():
        path = Path(folder) / "m.onnx"
        path.write_bytes(data)
        name, *rest = (str(Path(folder) / "out") if word == "OUT" else word for word in command)
        done = webbuild(name, path, *rest)
        assert done.code in (0, 1, 2), f"{data!r}\n{done.stderr}"
        if done.code == 2:
            assert done.error, done.stderr
        left = {beside.name for beside in Path(folder).iterdir()}
        assert left <= {"m.onnx", "out"}
        assert "out" not in left or done.code == 0, done.stderr
    count(f"models, {name}", done.error if done.code == 2 or (done.code and "error[" in done.stderr) else "")
    return done


@pytest.mark.timeout(7200)
@tried(few=60, many=13_000)
@given(files())
def test_any_file_is_inspected_or_refused(data: bytes) -> None:
    told(data, "inspect", "--dim", "n=3") if b"\x01n" in data else told(data, "inspect")


@pytest.mark.timeout(7200)
@pytest.mark.usefixtures("stand_in")
@tried(few=25, many=3_000)
@given(files())
def test_any_file_packs_or_is_refused(data: bytes) -> None:
    done = told(data, "pack", "-o", "OUT", "--no-verify", "--dim", "n=3")
    if done.code == 2 and done.error == "unused-dimension":
        done = told(data, "pack", "-o", "OUT", "--no-verify")
    assert done.code == 0 or done.error
