"""The HTML report of an inspection: every node once, partitions and copies, and no markup from the model."""

from __future__ import annotations

import re

import onnx_ir as ir

from tests.models import as_ir
from webbuild.errors import DOCS, page_url
from webbuild.inspection.inspect import inspect
from webbuild.inspection.report_html import COLUMNS, layout_rows, render
from webbuild.inspection.result import Inspection
from webbuild.targets.table import load_table
from webbuild.targets.target import Target

TABLE = load_table(Target("1.30.0", "webgpu"))


def chain(*operators: str, name: str = "n") -> Inspection:
    """Return the inspection of a chain of named operators."""
    ends = ["x", *(f"v{index}" for index in range(1, len(operators))), "y"]
    lines = " ".join(f"{ends[i + 1]} = {op} ({ends[i]})" for i, op in enumerate(operators))
    model = as_ir(f'<ir_version: 8, opset_import: ["" : 17]> g (float[4] x) => (float[4] y) {{ {lines} }}')
    for index, node in enumerate(model.graph):
        node.name = f"{name}{index}"
    return inspect(f"{name}.onnx", model, TABLE, {})


def test_every_node_that_runs_is_one_cell_in_the_lane_of_its_place() -> None:
    found = chain(*["Relu"] * COLUMNS, "IsNaN", "Not")
    drawn = layout_rows(found)
    assert [len(row.cells) for row in drawn] == [COLUMNS, 2]
    assert [cell.lane for cell in drawn[1].cells] == [1, 0]
    assert {cell.lane for cell in drawn[0].cells} == {0}
    assert render(found).count("<title>Relu ") == COLUMNS


def test_a_partition_is_a_block_with_its_copies() -> None:
    found = chain("Relu", "IsNaN", "Not")
    (row,) = layout_rows(found)
    assert [(block.first, block.last, block.number) for block in row.blocks] == [(1, 1, 1)]
    assert [(arrow.column, arrow.down) for arrow in row.arrows] == [(1, True), (1, False)]


def test_sentences_begin_with_a_capital_and_keep_their_others() -> None:
    page = render(chain("Relu", "IsNaN", "Not"))
    assert "Runs on the CPU: 1.30.0-webgpu has no GPU kernel" in page
    assert "on the cpu" not in page


def test_the_names_of_a_model_are_escaped() -> None:
    page = render(chain("Relu", "IsNaN", "Not", name="</title><script>alert(1)</script>\x1b[31m"))
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "\x1b" not in page


def test_the_page_loads_nothing_and_links_only_within_itself() -> None:
    page = render(chain("Relu", "IsNaN", "Not"))
    assert f'<a href="{page_url("no-gpu-kernel")}">' in page
    links = re.findall(r'(?:href|src)="([^"]*)"', page.replace(f'<a href="{DOCS}', "<a "))
    assert links
    assert all(link.startswith("#") for link in links)
    assert "url(" not in page
    for link in links:
        assert f'id="{link[1:]}"' in page


def test_what_fails_is_marked() -> None:
    text = """<ir_version: 8, opset_import: ["" : 17]> g (double[4] x) => (double[4] y) { y = Abs (x) }"""
    page = render(inspect("double.onnx", ir.from_onnx_text(text), TABLE, {}))
    assert 'class="no-session"' in page
    assert 'class="cross"' in page


def test_partitions_whose_nodes_lie_among_one_another_do_not_cover_one_another() -> None:
    text = """<ir_version: 8, opset_import: ["" : 17]> g (float[4] x, float[4] z) => (float[4] y, float[4] w) {
      a = Relu (x) b = Relu (z) c = Round (a) d = Round (b) e = Round (c) f = Round (d) y = Relu (e) w = Relu (f) }"""
    found = inspect("two.onnx", as_ir(text), TABLE, {})
    (row,) = layout_rows(found)
    assert [(block.first, block.last, block.number) for block in row.blocks] == [
        (2, 2, 1),
        (3, 3, 2),
        (4, 4, 1),
        (5, 5, 2),
    ]
    assert '<text class="number"' in render(found)
