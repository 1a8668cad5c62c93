"""Which pass splits a large tensor."""

from __future__ import annotations

import onnx
import onnx_ir as ir

from tests.inspection.case import FOLDER
from webbuild.inspection.inspect import inspect
from webbuild.targets.table import load_table
from webbuild.targets.target import Target


def fixes(text: str) -> list[tuple[str, ...]]:
    found = inspect(
        "model.onnx", ir.from_proto(onnx.parser.parse_model(text)), load_table(Target("1.30.0", "webgpu")), {}
    )
    return [finding.fixed_by for finding in found.findings if finding.code == "storage-buffer-size"]


def test_attention_is_taken_in_parts_up_to_the_product_with_the_values() -> None:
    text = (FOLDER / "storage-buffer-size" / "attention.onnx.txt").read_text("utf-8")
    assert set(fixes(text)) == {("tile-attention",)}
    assert not any(fixes(text.replace("Softmax", "Softmax <axis = 1>")))


def test_what_a_conv_reads_alone_is_not_made_as_a_whole() -> None:
    text = """<ir_version: 8, opset_import: ["" : 17]>
        g (float[1,20,1024,1024] a, float[1,20,1024,1024] b) => (float[1,1,1024,1024] y, float[1,40,1024,1024] z)
        <float[1,40,1,1] w> { joined = Concat <axis = 1> (a, b) y = Conv (joined, w) }"""
    alone = text.replace(", float[1,40,1024,1024] z", "")
    ones = f"w = {{{','.join(['1'] * 40)}}}"
    assert set(fixes(alone.replace(" w>", f" {ones}>"))) == {("split-conv-input",)}
    others = text.replace(" w>", f" {ones}>").replace("y = Conv", "z = Relu (joined) y = Conv")
    assert not any(fixes(others))
