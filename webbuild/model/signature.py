"""The signature of a model: inputs, outputs and metadata, without the graph. Tasks see nothing else."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from webbuild.model.hub_files import HubFiles

Dim = int | str | None
"""A size, the name of a free one, or None for a free one without a name."""


class TensorSpec(Struct, frozen=True):
    """Name, element type (numpy's name) and shape of an input or output; `operator` computes an output.

    `value_count` is how many whole numbers, from 0 on, an output may hold, where the graph says so; else 0.
    `activation` is the operator that an output's values went through last, `Sigmoid` or `Softmax`, also where they were
    resized or moved since.
    """

    name: str
    dtype: str
    shape: tuple[Dim, ...]
    operator: str = ""
    value_count: int = 0
    activation: str = ""


class ModelSignature(Struct, frozen=True):
    """A model's interface and metadata, the names of the operators in its main graph, and what lies beside it.

    `modules` are the parts that the network was written in, such as `backbone`, as far as names still say them.
    """

    file: str
    producer: str
    metadata: Mapping[str, str]
    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    operators: frozenset[str] = frozenset()
    hub_files: HubFiles = HubFiles()
    modules: frozenset[str] = frozenset()
