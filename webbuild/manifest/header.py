"""What a manifest of any schema says of itself."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct


class ManifestHeader(Struct, frozen=True):
    """What a manifest of any schema says of itself: its schema, and the program that wrote it."""

    schema: Any = None
    generator: Any = None

    @property
    def generator_name(self) -> str:
        """Name and version of the program, as far as they are known."""
        generator = self.generator if isinstance(self.generator, dict) else {}
        return f"{generator.get('name', 'webbuild')} {generator.get('version', 'of an unknown version')}"


def read_header(data: bytes) -> ManifestHeader:
    """Read where a manifest comes from, whatever its schema. Raises msgspec.DecodeError for what is no JSON object."""
    return msgspec.json.decode(data, type=ManifestHeader)
