"""Making the weights of several stages smaller: a stage for which that fails stays unchanged, with a message."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.program import Done, webbuild
from tests.stages import DECODER, pair
from webbuild.compile.prove import ProvenGraphs
from webbuild.compile.stages.check_size_reduction import check_smaller
from webbuild.equivalence.check import EquivalenceResult
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import decode

UNJUDGED = EquivalenceResult([], {}, {}, {}, {})
pytestmark = pytest.mark.usefixtures("stand_in")

SCORES = "scores = Sigmoid (flat)"
ANGLES = """
  sums = Gemm <transB = 1> (vector, w6)
  large = Constant <value_float = 20000.0> ()
  bent = Tanh (sums)
  angles = Mul (bent, large)
  scores = Sin (angles)"""
"""Nodes whose result changes completely with a rounded weight."""
SENSITIVE = DECODER.replace(SCORES, ANGLES).replace("float[1,8] scores", "float[1,2] scores")


def pack_smaller(folder: Path, *options: str, decoder: str = SENSITIVE) -> Done:
    return webbuild("pack", *pair(folder, decoder=decoder), "-o", folder / "out", "--no-verify", *options)


@pytest.mark.parametrize("options", [("--weight-dtype", "int8"), ("--precision", "fp16")], ids=["int8", "fp16"])
def test_a_stage_that_cannot_be_smaller_stays_as_it_is(
    tmp_path: Path, options: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webbuild.precision.fp16_backends.kernel_errors.SUMS", 0.5)  # of a GPU that rounds less
    done = pack_smaller(tmp_path, *options)
    assert done.code == 0, done.stderr
    manifest = decode((tmp_path / "out" / "manifest.json").read_bytes())
    kinds = [{(each.precision, each.weight_dtype) for each in stage.graphs} for stage in manifest.every_stage]
    asked = ("fp32", "int8") if "int8" in options else ("fp16", "fp32")
    assert asked in kinds[0]
    assert kinds[1] == {("fp32", "fp32")}
    said = "note: the weights of decoder stay float32: " if "int8" in options else "precision decoder fp32: "
    assert said in done.stderr
    encoder, decoder = json.loads((tmp_path / "out" / "report.json").read_bytes())["stages"]
    assert (encoder["name"], decoder["name"]) == ("encoder", "decoder")
    if "int8" in options:
        assert encoder["weightQuantization"]["numbers"] > 0
        assert (decoder["weightQuantization"], bool(decoder["keptFloats"])) == (None, True)
    else:
        assert encoder["fp16Backend"]
        assert [each["precisionSearch"]["precision"] for each in (encoder, decoder)] == ["fp16", "fp32"]
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert "Precision of encoder" in page
    assert "Precision of decoder" in page


def test_at_least_one_stage_has_to_be_smaller() -> None:
    proven = [("encoder", "its answers change"), ("decoder", "no weights")]
    kept = [(name, ProvenGraphs([], UNJUDGED, kept_floats=reason)) for name, reason in proven]
    with pytest.raises(WebbuildError, match="encoder: its answers change; decoder: no weights") as raised:
        check_smaller(kept, "fp32", "int8")
    assert raised.value.code == "weights-not-quantizable"
    check_smaller([kept[0], ("decoder", ProvenGraphs([], UNJUDGED))], "fp32", "int8")


def test_stages_that_are_the_same_alone_and_not_together_say_what_to_leave_out(tmp_path: Path) -> None:
    """The decoder stays unchanged; the encoder's outputs change slightly, which changes the decoder's result a lot."""
    done = pack_smaller(tmp_path, "--weight-dtype", "int8", decoder=SENSITIVE.replace("(vector, w6)", "(flat, w6)"))
    assert (done.code, done.error) == (1, "output-mismatch"), done.stderr
    assert "leave --weight-dtype int8 out" in done.stderr
    assert not (tmp_path / "out").exists()
