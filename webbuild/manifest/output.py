"""A tensor that a run returns."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from webbuild.manifest.inputs.tensor import DType
from webbuild.manifest.manifest_struct import ManifestStruct
from webbuild.manifest.numbers import OutputShape

OutputName = Annotated[str, Meta(extra_json_schema={"names": "outputs"})]
"""The name of an `Output` of the same model. `names` is a custom JSON Schema keyword: the runtime checks it."""


class Output(ManifestStruct, kw_only=True, frozen=True):
    """A tensor that a run returns."""

    name: str
    dtype: DType
    shape: OutputShape
