"""Integers in the manifest, and the shapes of tensors."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

_MOST = 2**31 - 1
_ELEMENTS = Meta(extra_json_schema={"maxProduct": _MOST})
"""A custom JSON Schema keyword: the maximum product of the items. The runtime checks it before it allocates."""

Count = Annotated[int, Meta(ge=0, le=_MOST)]
"""A number of rows, pixels or classes, or the index of one."""

Size = Annotated[int, Meta(ge=0)]
"""A number of bytes or of multiply-accumulates."""

Shape = Annotated[list[Count], _ELEMENTS]
"""The shape of a tensor."""

PictureShape = Annotated[list[Annotated[int, Meta(ge=1, le=_MOST)]], _ELEMENTS]
"""The shape of a tensor of pictures, none of which is empty."""

OutputShape = Annotated[list[Annotated[int, Meta(ge=-1, le=_MOST)]], _ELEMENTS]
"""The shape of an output; a size that depends on the input is -1."""
