"""The header of a manifest of any schema version."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct


class ManifestHeader(Struct, frozen=True):
    """The fields that manifests of all schema versions have: the schema, and the program that wrote it."""

    schema: Any = None
    generator: Any = None

    @property
    def generator_name(self) -> str:
        """Name and version of the program, as far as known."""
        generator = self.generator if isinstance(self.generator, dict) else {}
        return f"{generator.get('name', 'webbuild')} {generator.get('version', 'of an unknown version')}"


def read_header(data: bytes) -> ManifestHeader:
    """Read the header of a manifest of any schema version. Raises msgspec.DecodeError if it is not a JSON object."""
    return msgspec.json.decode(data, type=ManifestHeader)
