"""The base of every task's struct in the manifest."""

from __future__ import annotations

from webbuild.manifest.manifest_struct import ManifestStruct


class Task(ManifestStruct, tag_field="kind", kw_only=True, frozen=True):
    """The task of a model: the meaning of its outputs. Base of each task's struct, whose `tag` is the task's kind."""
