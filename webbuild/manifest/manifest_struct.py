"""The base of every struct in the manifest."""

from __future__ import annotations

from msgspec import Struct


class ManifestStruct(Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """Base of every struct in the manifest: immutable, camelCase in JSON, unknown fields are errors."""
