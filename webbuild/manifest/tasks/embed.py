"""A vector for the whole picture."""

from __future__ import annotations

from typing import Literal

from webbuild.manifest.tasks.task import Task

Pooling = Literal["none", "cls", "mean"]


class EmbedTask(Task, tag="embed", kw_only=True, frozen=True):
    """A unit vector of `size` numbers for the whole picture: pictures alike have vectors with a large dot product.

    `pooling` says how `output` becomes it: `none`, [1, size] or [1, size, 1, 1] is the vector; `cls`, the first of
    [1, tokens, size]; `mean`, the mean of all of these. The vector is then divided by its length; one of zeros stays as
    it is.
    """

    output: str
    size: int
    tokens: int = 1
    pooling: Pooling
