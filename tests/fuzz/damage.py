"""Ways to damage a model or a text, by accident, by disk errors or on purpose."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Sequence
from typing import Any

import onnx
from hypothesis import strategies as st
from onnx import TensorProto

Draw = Callable[[st.SearchStrategy[Any]], Any]

SIZES = (0, 1, -1, 3, 1 << 16, (1 << 31) - 1, 1 << 31, 1 << 40, 1 << 62, (1 << 63) - 1, -(1 << 63))
OPERATORS = (
    *("Add", "Cast", "Concat", "Conv", "ConvTranspose", "Expand", "Gather", "GatherND", "Gemm", "If", "Loop", "LSTM"),
    *("MatMul", "MaxPool", "NonMaxSuppression", "NonZero", "OneHot", "Pad", "Range", "ReduceSum", "Relu", "Reshape"),
    *("Resize", "ScatterND", "Scan", "Shape", "Slice", "Softmax", "Split", "Squeeze", "Tile", "TopK", "Transpose"),
    *("Constant", "ConstantOfShape", "Einsum", "Identity", "QuantizeLinear", "SequenceAt", "Nonsense", ""),
)
TEXTS = ("", "[" * 3000, "{0: " * 500, "9" * 5000, "\0", "../../x", "{'a': 1}", "[640, 640]", "1e999", "true")
PLACES = ("gone.bin", "../up.bin", "/etc/passwd", "", "a/../../b", "nul\0l", "m.onnx", "x" * 5000)


def pick(draw: Draw, items: Sequence[Any]) -> Any:
    """Draw one of the items, None if there are none."""
    return draw(st.sampled_from(items)) if items else None


def sizes(model: onnx.ModelProto, draw: Draw) -> None:
    """Give a tensor an absurd size, or a weight a size that does not fit its data."""
    graph = model.graph
    infos = [info.type.tensor_type.shape for info in (*graph.input, *graph.output, *graph.value_info)]
    shape = pick(draw, [*infos, *graph.initializer])
    if isinstance(shape, TensorProto) and shape.dims:
        shape.dims[draw(st.integers(0, len(shape.dims) - 1))] = pick(draw, SIZES)
    elif shape is not None and not isinstance(shape, TensorProto) and shape.dim:
        pick(draw, list(shape.dim)).dim_value = pick(draw, SIZES)


def absent(model: onnx.ModelProto, draw: Draw) -> None:
    """Declare a huge weight without its data, or with data in a missing file."""
    weight = pick(draw, list(model.graph.initializer))
    if weight is None:
        return
    weight.ClearField("raw_data")
    weight.ClearField("float_data")
    if draw(st.booleans()):
        weight.dims[:] = [pick(draw, SIZES) for _ in range(draw(st.integers(0, 4)))]
    if draw(st.booleans()):
        weight.data_location = TensorProto.EXTERNAL
        del weight.external_data[:]
        for key, values in (("location", PLACES), ("offset", ("0", "-1", *TEXTS)), ("length", ("4", "1" * 30, *TEXTS))):
            weight.external_data.add(key=key, value=pick(draw, values))


def edges(model: onnx.ModelProto, draw: Draw) -> None:
    """Rewire node inputs and outputs: cycles, reads before writes, duplicate names."""
    nodes = list(model.graph.node)
    names = [name for node in nodes for name in (*node.input, *node.output)] or ["x"]
    node = pick(draw, nodes)
    ends = None if node is None else pick(draw, [end for end in (node.input, node.output) if end])
    if ends is not None:
        ends[draw(st.integers(0, len(ends) - 1))] = pick(draw, [*names, "", "nowhere"])


def operators(model: onnx.ModelProto, draw: Draw) -> None:
    """Change a node's operator."""
    node = pick(draw, list(model.graph.node))
    if node is not None:
        node.op_type = pick(draw, OPERATORS)
        node.domain = pick(draw, ("", "", "", "com.microsoft", "ai.onnx.ml", "my.own"))


def attributes(model: onnx.ModelProto, draw: Draw) -> None:
    """Set an attribute of a node to absurd numbers, or remove one."""
    node = pick(draw, list(model.graph.node))
    if node is None:
        return
    names = ["axis", "axes", "perm", "strides", "pads", "kernel_shape", "group", "to", "k", "value", "mode", "equation"]
    name = pick(draw, [each.name for each in node.attribute] or names)
    kept = [each for each in node.attribute if each.name != name]
    del node.attribute[:]
    node.attribute.extend(kept)
    kind = pick(draw, ("gone", "int", "ints", "float", "text", "tensor"))
    if kind == "gone":
        return
    makers: dict[str, Callable[[], Any]] = {
        "int": lambda: pick(draw, SIZES),
        "ints": lambda: [pick(draw, SIZES) for _ in range(draw(st.integers(1, 5)))],
        "float": lambda: pick(draw, (float("nan"), float("inf"), -1e38, 0.0)),
        "text": lambda: pick(draw, TEXTS),
        "tensor": lambda: TensorProto(data_type=draw(st.integers(0, 30)), dims=[pick(draw, SIZES)]),
    }
    node.attribute.append(onnx.helper.make_attribute(name, makers[kind]()))


def types(model: onnx.ModelProto, draw: Draw) -> None:
    """Change a tensor's type, possibly to an undefined one."""
    graph = model.graph
    tensors = [info.type.tensor_type for info in (*graph.input, *graph.output)]
    tensor = pick(draw, [*tensors, *graph.initializer])
    field = "data_type" if isinstance(tensor, TensorProto) else "elem_type"
    if tensor is not None:
        setattr(tensor, field, pick(draw, (*range(24), 99, (1 << 31) - 1, -1)))


def versions(model: onnx.ModelProto, draw: Draw) -> None:
    """Change the opset or IR version."""
    if draw(st.booleans()) and model.opset_import:
        model.opset_import[0].version = pick(draw, (0, 1, 6, 9, 11, 13, 17, 21, 25, 99, *SIZES))
    else:
        model.ir_version = pick(draw, (0, 3, 7, 10, 99, *SIZES))


def metadata(model: onnx.ModelProto, draw: Draw) -> None:
    """Set metadata that no exporter writes."""
    name = pick(draw, ("names", "stride", "task", "imgsz", "kpt_shape", "args", "description", "batch", "end2end"))
    model.metadata_props.add(key=name, value=draw(st.sampled_from(TEXTS) | st.text(max_size=40)))


VALUES: tuple[Any, ...] = (
    *(None, True, 0, -1, 0.5, 1 << 31, 1 << 62, 1 << 70, 1e308, "", "../../../etc/passwd", "/etc/passwd", "nul\0l"),
    *("x" * 5000, [], {}, [1, 1 << 40, 1 << 40], [-1], [[]], {"kind": "tensor"}, {"kind": "nothing"}, ["webgpu"]),
)

WAYS = (sizes, absent, edges, operators, attributes, types, versions, metadata)


def bytes_of(data: bytes, draw: Draw) -> bytes:
    """Truncate data, flip some of its bits, or cut a piece out."""
    changed = bytearray(data)
    for _ in range(draw(st.integers(0, 3))):
        if changed:
            place = draw(st.integers(0, len(changed) - 1))
            changed[place] ^= 1 << draw(st.integers(0, 7))
    match draw(st.sampled_from(("whole", "whole", "cut", "hole"))):
        case "cut":
            del changed[draw(st.integers(0, len(changed))) :]
        case "hole":
            start = draw(st.integers(0, len(changed)))
            del changed[start : start + draw(st.integers(0, 40))]
    return bytes(changed)


def places(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Return the path to everything inside a value."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [way for key, each in inside for way in ((*path, key), *places(each, (*path, key)))]


def alike(value: Any) -> Sequence[Any]:
    """Return extreme values of the same type."""
    if isinstance(value, list):
        return [[], value[1:], value + value, value * 20]
    return [each for each in VALUES if type(each) is type(value)] or VALUES


def json_of(data: bytes, draw: Draw) -> bytes:
    """Replace values in a JSON text by absurd ones, or remove some; then perhaps damage the text."""
    value = json.loads(data)
    for _ in range(draw(st.integers(0, 3))):
        *way, last = draw(st.sampled_from(places(value)))
        target = value
        for step in way:
            target = target[step]
        match draw(st.integers(0, 9)):
            case 0 | 1:
                del target[last]
            case 2:
                target[last] = copy.deepcopy(draw(st.sampled_from(VALUES)))
            case _:
                target[last] = copy.deepcopy(draw(st.sampled_from(alike(target[last]))))
        if not places(value):
            break
    text = json.dumps(value)
    if draw(st.integers(0, 30)) == 0:
        deep = draw(st.sampled_from((100, 5000, 100_000)))
        text = text.replace("[]", "[" * deep + "]" * deep, 1)
    return bytes_of(text.encode(), draw) if draw(st.booleans()) else text.encode()
