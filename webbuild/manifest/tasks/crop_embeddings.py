"""A vector for each object that an earlier stage finds."""

from __future__ import annotations

from webbuild.manifest.numbers import Count
from webbuild.manifest.output import OutputName
from webbuild.manifest.tasks.task import Task


class CropEmbeddingsTask(Task, tag="crop-embeddings", kw_only=True, frozen=True):
    """A unit vector for each object that an earlier stage finds: objects alike have vectors with a large dot product.

    `output` [crops, size] or [crops, size, 1, 1]. Each vector is divided by its length; one of zeros stays as it is.
    """

    output: OutputName
    size: Count
