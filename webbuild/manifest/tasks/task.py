"""The base of every task's struct in the manifest."""

from __future__ import annotations

from webbuild.manifest.manifest_struct import ManifestStruct


class Task(ManifestStruct, tag_field="kind", kw_only=True, frozen=True):
    """The task of a model: which output holds what. Base of a struct for each task, whose `tag` is the task's kind."""
