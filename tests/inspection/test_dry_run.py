"""Findings that `pack` fixes, and findings that remain."""

from __future__ import annotations

from pathlib import Path

from tests.commands.program import webbuild
from tests.models import HEADER, as_ir
from webbuild.inspection.dry_run import with_fixes
from webbuild.inspection.inspect import inspect
from webbuild.inspection.result import Inspection
from webbuild.targets.table import load_table
from webbuild.targets.target import Target

POSE = Path(__file__).parents[2] / "models" / "yolo-pose.onnx"
CHOSEN = f"""{HEADER} g (float[8,4] x) => (float[n,4] y, float[4] m) <float zero = {{0}}, int64[1] one = {{1}}> {{
    first = ReduceMax <keepdims = 0> (x, one) mask = Greater (first, zero) places = NonZero (mask)
    turned = Transpose (places) rows = GatherND (x, turned) END }}"""


def fixes(text: str) -> dict[str, set[tuple[str, ...]]]:
    model, native = as_ir(text), load_table(Target("1.30.0", "webgpu"))
    found: Inspection = with_fixes(inspect("", model, native, {}), model, native, {})
    return {code: {each.fixed_by for each in group} for code, group in found.findings_by_code()}


def test_what_pack_rewrites_of_a_pose_model_is_no_hand_work() -> None:
    done = webbuild("inspect", POSE)
    fixed = [line for line in done.stdout.splitlines() if line.startswith("  fix: ")]
    assert len(fixed) == 3
    assert all(line.startswith("  fix: webbuild pack (pass") for line in fixed)
    assert "static-nms" in fixed[1]


def test_rows_that_are_only_reduced_are_fixed_with_the_partition_that_they_make() -> None:
    found = fixes(CHOSEN.replace("float[n,4] y, ", "").replace("END", "m = ReduceSum <keepdims = 0> (rows, none)")
                  .replace("int64[1] one", "int64[1] none = {0}, int64[1] one"))  # fmt: skip
    assert found["dynamic-output-shape"] == {("dense-boolean-indexing",)}
    assert all("dense-boolean-indexing" in passes for passes in found["cpu-partition"])


def test_pack_upgrades_an_old_opset_itself() -> None:
    found = fixes("""<ir_version: 8, opset_import: ["" : 10]> g (float[1,32,64,64] x) => (float[1,32,64,64] y)
    { a = Neg (x) b = Clip <min = 0.0, max = 6.0> (a) y = Neg (b) }""")
    assert found["opset-too-old"] == found["cpu-partition"] == {("upgrade-opset",)}


def test_rows_that_come_out_are_left_to_their_maker() -> None:
    found = fixes(CHOSEN.replace(", float[4] m", "").replace("END", "y = Identity (rows)"))
    assert found["dynamic-output-shape"] == {()}
    assert () in found["cpu-partition"]
