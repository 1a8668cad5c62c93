"""The signature of a model: inputs, outputs and metadata, without the graph. Tasks see nothing else."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from webbuild.model.hub_files import HubFiles

Dim = int | str | None
"""A size, the name of a free dimension, or None for a free dimension without a name."""


class TensorSpec(Struct, frozen=True):
    """Name, element type (numpy's name) and shape of an input or output; `operator` computes an output.

    `value_count` is the number of integers, from 0 on, that an output can have, if the graph tells; else 0.
    `activation` is the last activation of an output, `Sigmoid` or `Softmax`, also if the values are resized or moved
    after it.
    """

    name: str
    dtype: str
    shape: tuple[Dim, ...]
    operator: str = ""
    value_count: int = 0
    activation: str = ""


class ModelSignature(Struct, frozen=True):
    """A model's interface and metadata, the operators in its main graph, and the files next to it.

    `modules` are the network's top-level modules, such as `backbone`, as far as the exported names have them.
    """

    file: str
    producer: str
    metadata: Mapping[str, str]
    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    operators: frozenset[str] = frozenset()
    hub_files: HubFiles = HubFiles()
    modules: frozenset[str] = frozenset()
