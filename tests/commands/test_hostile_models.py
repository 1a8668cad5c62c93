"""Broken, absurd and hostile models: an error names the file and the problem, and nothing is written."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest
from onnx.helper import make_node

from tests import hostile
from tests.commands.program import pack, webbuild
from tests.models import convolution, save

pytestmark = pytest.mark.usefixtures("stand_in")

REFUSED: dict[str, tuple[onnx.ModelProto, str, str]] = {
    "a cycle": (
        hostile.graph(make_node("Add", ["x", "b"], ["a"]), make_node("Relu", ["a"], ["b"]), make_node("Abs", "b", "y")),
        "invalid-model",
        "'b'",
    ),
    "a node that reads itself": (hostile.graph(make_node("Add", ["x", "y"], ["y"])), "invalid-model", "'y'"),
    "a value that nobody writes": (hostile.graph(make_node("Add", ["x", "zz"], ["y"])), "invalid-model", "'zz'"),
    "a value written twice": (
        hostile.graph(make_node("Relu", ["x"], ["y"]), make_node("Neg", ["x"], ["y"])),
        "invalid-model",
        "'y'",
    ),
    "two nodes of one name": (
        hostile.graph(make_node("Relu", ["x"], ["a"], name="n"), make_node("Neg", ["a"], ["y"], name="n")),
        "reference-session-failed",
        "same node name (n)",
    ),
    "an output listed twice": (hostile.output_twice(), "invalid-model", "'y' is listed twice"),
    "no outputs": (hostile.without_outputs(), "invalid-model", "no outputs"),
    "an output that is a sequence": (hostile.sequence_out(), "unsupported-dtype", "sequence"),
    "an output of strings": (
        hostile.strings_out(),
        "unsupported-dtype",
        "output 'y' is string, which webbuild does not",
    ),
    "an output of maps": (hostile.maps_out(), "unsupported-dtype", "output 'y' holds maps"),
    "no opset": (hostile.without_opset(), "unsupported-opset", "opset_import"),
    "an opset of the future": (hostile.relu(opset=99), "unsupported-opset", "opset 99; the engine supports 7 to 26"),
    "an opset before the engine's first": (hostile.relu(opset=5), "unsupported-opset", "opset 5"),
    "a negative opset": (hostile.relu(opset=-3), "unsupported-opset", "opset -3"),
    "a weight declared and absent": (hostile.adding(hostile.weight(2)), "invalid-model", "w"),
    "a huge weight declared and absent": (hostile.adding(hostile.weight(2**40)), "invalid-model", "w"),
    "a weight whose size overflows": (hostile.adding(hostile.weight(2**40, 2**40)), "invalid-model", "overflow"),
    "a weight of negative size": (hostile.adding(hostile.weight(-2, data=bytes(8))), "invalid-model", "w"),
    "an empty weight beyond counting": (hostile.adding(hostile.weight(0, 2**40, 2**40)), "invalid-model", "counted"),
    "a weight with too few bytes": (hostile.adding(hostile.weight(3, data=bytes(8))), "invalid-model", "8 bytes"),
    "a weight with too many bytes": (hostile.adding(hostile.weight(2, data=bytes(80))), "invalid-model", "tensor 'w'"),
    "a weight with too many numbers": (
        hostile.adding(hostile.floats(2, values=[1, 2, 3])),
        "invalid-model",
        "tensor 'w'",
    ),
    "a weight of no known type": (
        hostile.adding(hostile.weight(2, data=bytes(8), kind=77)),
        "invalid-model",
        "77",
    ),
    "a cast to no known type": (hostile.graph(make_node("Cast", ["x"], ["y"], to=99)), "invalid-model", "type 99"),
    "an input of no type": (hostile.untyped(), "reference-session-failed", "m.onnx"),
    "an input beyond memory": (hostile.relu(x=(2**40,), y=(2**40,)), "input-too-large", "'x'"),
    "an input beyond counting": (hostile.relu(x=(2**62, 2**62), y=(2**62, 2**62)), "input-too-large", "'x'"),
    "a result beyond memory": (
        hostile.graph(make_node("Expand", ["x", "w"], ["y"]), x=(1,), y=(2**44,), weights=[hostile.weight_of(2**44)]),
        "out-of-memory",
        "Expand",
    ),
}


ODD = {
    "a convolution with weights of one size": hostile.graph(
        make_node("Conv", ["x", "w"], ["y"], group=2),
        x=(1, 2, 3),
        y=(1, 1, 3),
        weights=[hostile.floats(2, values=[1, 2])],
    ),
    "its transpose": hostile.graph(
        make_node("ConvTranspose", ["x", "w"], ["y"], group=2),
        x=(1, 2, 3),
        y=(1, 1, 3),
        weights=[hostile.floats(2, values=[1, 2])],
    ),
    "a constant of two attributes": hostile.constant_of_two_attributes(),
    "a shape in rows": hostile.graph(
        make_node("Reshape", ["x", "w"], ["y"]), x=(4,), y=("a", "b"), weights=[hostile.weight_of([[2], [2]])]
    ),
}


@pytest.mark.parametrize("model", list(ODD.values()), ids=list(ODD))
def test_what_no_rule_expects_is_inspected_or_refused(tmp_path: Path, model: onnx.ModelProto) -> None:
    done = webbuild("inspect", save(model, tmp_path / "m.onnx"), "--target", "1.30.0-webgpu")
    assert done.code in (0, 1, 2), done.stderr
    assert "unknown-target" not in done.stderr


def refusal(path: Path) -> tuple[str, str]:
    """Return the code and the text of the error that packing ends in; assert that nothing is left next to the model."""
    done = webbuild("pack", path, "-o", path.parent / "out", "--no-verify")
    assert done.code in (1, 2), done.stderr
    assert "Traceback" not in done.stderr
    assert [beside.name for beside in path.parent.iterdir()] == [path.name]
    return done.error, done.stderr


@pytest.mark.parametrize(("model", "code", "place"), list(REFUSED.values()), ids=list(REFUSED))
def test_what_cannot_be_packed_is_refused(tmp_path: Path, model: onnx.ModelProto, code: str, place: str) -> None:
    got, text = refusal(save(model, tmp_path / "m.onnx"))
    assert got == code
    assert place in text
    assert "m.onnx" in text or place == "'x'" or code == "unsupported-dtype"


def test_every_unknown_operator_is_named(tmp_path: Path) -> None:
    nodes = [make_node("Foo", ["x"], ["a"], domain="my.ops"), make_node("Rleu", ["a"], ["b"])]
    nodes += [make_node("Foo", ["b"], ["c"], domain="my.ops"), make_node("Bar", ["c"], ["y"], domain="com.microsoft")]
    model = hostile.graph(*nodes, domains=["my.ops", "com.microsoft"])
    code, text = refusal(save(model, tmp_path / "m.onnx"))
    assert code == "unknown-operators"
    for named in ("my.ops::Foo (2 nodes)", "Rleu (1 node)", "com.microsoft::Bar (1 node)"):
        assert named in text


def test_an_operator_of_a_later_opset_says_which(tmp_path: Path) -> None:
    code, text = refusal(save(hostile.graph(make_node("Gelu", ["x"], ["y"])), tmp_path / "m.onnx"))
    assert code == "unknown-operators"
    assert "export it with opset 20 or newer" in text


@pytest.mark.parametrize("levels", [40, 1000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_graphs_nested_beyond_reason_are_refused(tmp_path: Path, levels: int) -> None:
    path = tmp_path / "m.onnx"
    path.write_bytes(hostile.nested(levels))
    code, text = refusal(path)
    assert code == "invalid-model"
    assert "nested too deeply" in text


def test_graphs_nested_as_deep_as_protobuf_reads_pack(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    path.write_bytes(hostile.nested(30))
    pack(path)


def test_a_chain_of_thousands_of_nodes_packs(tmp_path: Path) -> None:
    manifest = pack(save(hostile.chain(5000), tmp_path / "m.onnx"))
    assert {graph.nodes for graph in manifest.graphs} == {5000}


def test_an_index_carried_through_thousands_of_nodes_packs(tmp_path: Path) -> None:
    pack(save(hostile.carried_index(3000), tmp_path / "m.onnx"))


@pytest.mark.parametrize("field", ["metadata", "producer_name", "doc_string", "domain"])
def test_prose_that_is_not_utf8_packs(tmp_path: Path, field: str) -> None:
    model = convolution(metadata={"author": "PLACEHOLDER"} if field == "metadata" else None)
    if field != "metadata":
        setattr(model, field, "PLACEHOLDER")
    path = tmp_path / "m.onnx"
    data = model.SerializeToString().replace(hostile.PLACEHOLDER, hostile.NOT_UTF8)
    assert hostile.NOT_UTF8 in data
    path.write_bytes(data)
    pack(path)


@pytest.mark.parametrize("name", [b"weight", b"bias"])
def test_a_name_that_is_not_utf8_is_refused(tmp_path: Path, name: bytes) -> None:
    path = tmp_path / "m.onnx"
    path.write_bytes(convolution().SerializeToString().replace(name, b"\xff" * len(name)))
    code, text = refusal(path)
    assert code == "invalid-model"
    assert "not UTF-8" in text


def test_a_name_of_html_and_control_characters_is_only_ever_text(tmp_path: Path) -> None:
    model = hostile.graph(make_node("Relu", ["x"], ["y"], name="\x07<img src=x onerror=alert(1)>"))
    model.graph.output[0].name = model.graph.node[0].output[0] = "</script>\x00\x1b[31m"
    pack(save(model, tmp_path / "m.onnx"))
    for page in (tmp_path / "out").glob("*.html"):
        assert "<img src=x" not in page.read_text("utf-8")
        assert "</script>\x00" not in page.read_text("utf-8")


NAMES = {
    "bidi overrides": "\u202egnp.x\u2066y\u2069",
    "no width": "a\u200b\u200d\ufeff",
    "NUL": "a\0b",
    "line ends": "a\r\n\u2028\u2029b",
    "paths": "../../../etc/passwd",
    "drives": "C:\\\\con\\aux.txt",
    "right to left": "\u05d0\u0627",
    "combining": "e\u0301" * 50,
    "beyond the plane": "\U0001f600\U000e0001",
    "not a character": "\uffff\U0010ffff",
    "of a prototype": "__proto__",
    "a megabyte": "x" * 1_000_000,
}


@pytest.mark.parametrize("name", list(NAMES.values()), ids=list(NAMES))
def test_any_name_packs_inside_its_folder_or_is_refused(tmp_path: Path, name: str) -> None:
    nodes = [make_node("Add", ["x", name], [f"{name}1"], name=f"{name}2"), make_node("Relu", [f"{name}1"], ["y"])]
    weight = hostile.floats(2, values=[1, 2])
    weight.name = name
    model = hostile.graph(*nodes, weights=[weight])
    model.graph.input[0].name = f"{name}3"
    model.graph.name = name
    model.metadata_props.add(key=name, value=name)
    model.metadata_props.add(key="description", value=name)
    model.graph.node[0].input[0] = f"{name}3"
    (tmp_path / "in").mkdir()
    path = save(model, tmp_path / "in" / "m.onnx")
    done = webbuild("pack", path, "-o", path.parent / "out", "--no-verify")
    assert done.code in (0, 1, 2), done.stderr
    assert done.code == 0 or done.error
    assert "\u202e" not in done.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["in"]
    assert {each.name for each in path.parent.iterdir()} <= {"m.onnx", "out"}
