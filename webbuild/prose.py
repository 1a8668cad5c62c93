"""Text inside a model that is not UTF-8: mended where it is prose, refused where it is a name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webbuild.nodes import every_node

if TYPE_CHECKING:
    import onnx
    from google.protobuf.message import Message

_PROSE = ("producer_name", "producer_version", "doc_string", "domain")


def mend_prose(proto: onnx.ModelProto) -> None:
    """Replace what is not UTF-8 in descriptions and metadata of the model: nothing refers to them."""
    _mend(proto, _PROSE)
    _mend(proto.graph, ("name", "doc_string"))
    for entry in proto.metadata_props:
        _mend(entry, ("key", "value"))
    for node in every_node(proto):
        _mend(node, ("doc_string",))
    graph = proto.graph
    for described in (*graph.input, *graph.output, *graph.value_info, *graph.initializer):
        _mend(described, ("doc_string",))


def unreadable_name(proto: onnx.ModelProto) -> bytes | None:
    """Return the first name of a node, value, operator or weight that is not UTF-8. protobuf gives such as bytes."""
    graph = proto.graph
    values = [*graph.input, *graph.output]
    for name in (*(value.name for value in values), *(tensor.name for tensor in graph.initializer)):
        if isinstance(name, bytes):
            return name
    for node in every_node(proto):
        for text in (node.name, node.op_type, node.domain, *node.input, *node.output):
            if isinstance(text, bytes):
                return text
    return None


def _mend(message: Message, fields: tuple[str, ...]) -> None:
    for field in fields:
        text = getattr(message, field)
        if isinstance(text, bytes):
            setattr(message, field, text.decode("utf-8", "replace"))
