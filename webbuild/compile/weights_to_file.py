"""Moves initializers from memory into a temporary file, so that memory is free while the original runs."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import onnx_ir as ir

from webbuild.runners.malloc_trim import collect_and_trim
from webbuild.runners.mapped_arrays import map_arrays


def weights_to_file(models: Iterable[ir.Model]) -> None:
    """Move large initializers in memory into a temporary file; shared initializers stay shared.

    It also collects the passes' garbage: clones of models in reference cycles.
    """
    values_by_name: dict[str, list[ir.Value]] = {}
    arrays = {}
    for value in (value for model in models for graph in model.graphs() for value in graph.initializers.values()):
        if isinstance(value.const_value, ir.Tensor) and isinstance(value.const_value.raw, np.ndarray):
            key = str(id(value.const_value))
            values_by_name.setdefault(key, []).append(value)
            arrays[key] = value.const_value.raw
    for key, array in map_arrays(arrays).items():
        if array is arrays[key]:
            continue
        tensor = ir.tensor(array, name=values_by_name[key][0].name)
        for value in values_by_name[key]:
            value.const_value = tensor
    arrays.clear()
    collect_and_trim()
