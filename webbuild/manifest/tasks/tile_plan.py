"""Tiles of a picture."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from webbuild.manifest.manifest_struct import ManifestStruct


class TilePlan(ManifestStruct, kw_only=True, frozen=True):
    """How a picture whose size differs from the input's is cut into tiles, without resizing.

    Along an axis on which the picture has `length` pixels and the input `size`, tile k starts at offset(k):

        offset(k) = multiple floor(k D / (n - 1)),  D = max(0, ceil((length - size) / multiple))
        n - 1 = ceil(D / floor((size - 2 halo) / multiple))

    The tile's result is used from cut(k - 1) to cut(k) = floor((offset(k) + size + offset(k + 1)) / 2), for the first
    tile from 0, for the last one to the end of the picture. Beyond its edges the picture's last pixel is repeated.

    - `halo`: pixels at each side of a tile that are not used, since they depend on pixels outside of the tile.
    - `exact`: the result equals that of the whole picture. Otherwise each tile is used for `feather` pixels beyond its
      cuts, at most `halo`, and blended with its neighbours there.
    - `seam`: the largest measured difference there, where black is 0 and white is 1.

    Along an axis, tile k of n has the weight u_k - u_(k + 1); in the result it is the product of both axes' weights,
    where

        u_k(x) = min(max((x - cut(k - 1) + feather) / (2 feather), 0), 1),  u_0 = 1, u_n = 0

    at the centre x of a pixel of the result, in pixels of the picture. The weights at a pixel add up to 1. Without
    `feather` u_k is 0 before its cut and 1 after it.
    """

    halo: Annotated[int, Meta(ge=0)]
    multiple: Annotated[int, Meta(ge=1)] = 1
    exact: bool
    feather: Annotated[int, Meta(ge=0)] = 0
    seam: float = 0.0
