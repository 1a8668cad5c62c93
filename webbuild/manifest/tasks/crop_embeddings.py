"""An embedding of each object that an earlier stage finds."""

from __future__ import annotations

from webbuild.manifest.numbers import Count
from webbuild.manifest.output import OutputName
from webbuild.manifest.tasks.task import Task


class CropEmbeddingsTask(Task, tag="crop-embeddings", kw_only=True, frozen=True):
    """A unit vector (embedding) for each object that an earlier stage finds: similar objects have a large dot product.

    `output` [crops, size] or [crops, size, 1, 1]. Each vector is divided by its length; a zero vector stays zero.
    """

    output: OutputName
    size: Count
