"""The float32 tensors in the weight files of graphs."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

if TYPE_CHECKING:
    import onnx_ir as ir


class WeightTensor(Struct, frozen=True):
    """A tensor: its name in the first graph that has it, its weight file, and its offset in that file."""

    name: str
    file: Path
    offset: int
    shape: tuple[int, ...]

    @property
    def value_count(self) -> int:
        """The number of elements."""
        return prod(self.shape)

    @property
    def end(self) -> int:
        """The end offset in the file."""
        return self.offset + 4 * self.value_count

    def read(self) -> NDArray[np.float32]:
        """Return the elements."""
        return np.fromfile(self.file, "<f4", self.value_count, offset=self.offset).reshape(self.shape)


def collect_weight_tensors(models: Iterable[ir.Model]) -> list[WeightTensor]:
    """Return the float32 tensors that models store in external files, each once, in file order."""
    import onnx_ir as ir

    tensors: dict[tuple[Path, int], WeightTensor] = {}
    for model in models:
        for value in model.graph.initializers.values():
            tensor = value.const_value
            if not isinstance(tensor, ir.ExternalTensor) or tensor.dtype != ir.DataType.FLOAT:
                continue
            file, offset = Path(tensor.path), tensor.offset or 0
            shape = tuple(int(size) for size in tensor.shape.numpy())
            tensors.setdefault((file, offset), WeightTensor(value.name or "", file, offset, shape))
    return [tensors[key] for key in sorted(tensors)]
