"""Text in a model that is not UTF-8: repaired in descriptions, refused in names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import onnx
    from google.protobuf.message import Message

_DESCRIPTION_FIELDS = {"doc_string", "denotation", "producer_name", "producer_version"}
_FREE_TEXT_FIELDS = {
    ("GraphProto", "name"),
    ("ModelProto", "domain"),
    *(("StringStringEntryProto", x) for x in ("key", "value")),
}
"""Other fields that nothing refers to. An entry may be an external data location: its file then does not exist."""


def repair_utf8(proto: onnx.ModelProto) -> bytes | None:
    """Replace text that is not UTF-8 in descriptions and metadata; return the first name that is not UTF-8, if any.

    protobuf returns such text as bytes.
    """
    for message in _iter_messages(proto):
        kind = message.DESCRIPTOR.name
        for field in message.DESCRIPTOR.fields:
            if field.type != field.TYPE_STRING:
                continue
            text = getattr(message, field.name)
            if not isinstance(text, str | bytes):  # repeated
                text = next((each for each in text if isinstance(each, bytes)), "")
            if isinstance(text, str):
                continue
            if field.name not in _DESCRIPTION_FIELDS and (kind, field.name) not in _FREE_TEXT_FIELDS:
                return text
            setattr(message, field.name, text.decode("utf-8", "replace"))
    return None


def _iter_messages(proto: Message) -> Iterator[Message]:
    """Yield a message and all messages in it. The data of a tensor is not a message, so it is not copied."""
    from google.protobuf.message import Message

    waiting = [proto]
    while waiting:
        message = waiting.pop()
        yield message
        for field in message.DESCRIPTOR.fields:
            if field.type != field.TYPE_MESSAGE:
                continue
            inside = getattr(message, field.name)
            if not isinstance(inside, Message):  # repeated
                waiting += inside
            elif message.HasField(field.name):
                waiting.append(inside)
