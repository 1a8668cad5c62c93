"""The inpainting mask."""

from __future__ import annotations

from webbuild.manifest.inputs.tensor import DType
from webbuild.manifest.manifest_struct import ManifestStruct
from webbuild.manifest.numbers import Shape


class MaskInput(ManifestStruct, tag="mask", tag_field="kind", kw_only=True, frozen=True):
    """The inpainting mask: `hole` at pixels that the model fills in, `known` at all others.

    The caller passes it to `run()` as `mask`, in pixels of the picture. It is placed in the input like the picture, see
    `ImageInput`: a pixel of the input is in the hole if it covers a pixel of the hole at least partly. With
    `empties_picture` the picture's tensor is 0 in the hole, in all channels.
    """

    name: str
    dtype: DType = "float32"
    shape: Shape
    hole: float = 1.0
    known: float = 0.0
    empties_picture: bool = False
