"""A tensor that a run returns."""

from __future__ import annotations

from webbuild.manifest.inputs.tensor import DType
from webbuild.manifest.manifest_struct import ManifestStruct


class Output(ManifestStruct, kw_only=True, frozen=True):
    """A tensor that a run returns."""

    name: str
    dtype: DType
    shape: list[int]
