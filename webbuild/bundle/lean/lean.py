"""Weights stored as whole numbers: searched, proven, and written beside the floats that come back of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from msgspec import Struct

from webbuild.bundle.lean.files import write_graph, write_weights
from webbuild.bundle.lean.pieces import stored
from webbuild.bundle.lean.report import Lean, told
from webbuild.bundle.lean.search import Search
from webbuild.bundle.lean.tensors import Held, held
from webbuild.errors import WebbuildError
from webbuild.manifest import File, Graph
from webbuild.prove import Witness
from webbuild.storage.form import Grid
from webbuild.storage.quantise import Bits, best_grid, can_be, quantise
from webbuild.storage.restore import restore

if TYPE_CHECKING:
    import onnx_ir as ir

Prove = Callable[[Sequence[Graph]], Witness]


class Stored(Struct, frozen=True):
    """The graphs, the proof that what is restored gives the original's answers, and what stands for which file."""

    graphs: list[Graph]
    witness: Witness
    files: list[File]
    lean: Lean


def store(models: Sequence[ir.Model], graphs: Sequence[Graph], folder: Path, prove: Prove) -> Stored:
    """Store the weights of graphs as whole numbers, in as few bits as keep the original's answers; gzip the graphs.

    The graph for WASM is asked while bits are searched, and every graph at the end; on the samples, since inputs that
    are made up to reach every branch have proven the branches, and say nothing of what weights are for.

    Args:
        models: what the graphs were written from.
        graphs: of `folder`, which compute in float32 and are proven with their weights as floats.
        folder: the bundle's. Its weight files become what is restored, and what is stored comes beside them.
        prove: compares graphs with the original, with the weights that lie in the folder. It raises WebbuildError where
            the answers are not the same.

    Raises:
        WebbuildError: `needs-floats` where nothing less keeps the answers.
    """
    whole = {file: file.read_bytes() for file in sorted({folder / path for graph in graphs for path in graph.weights})}
    tensors = held(models)
    grids = {tensor: best_grid(array) for tensor in tensors if can_be(array := tensor.read())}
    lean = [msgspec.structs.replace(graph, weights_stored="int8") for graph in graphs]
    asked = [graph for graph in lean if graph.target == "wasm"][:1] or lean[:1]
    proven: Witness | None = None

    def keeps(bits: Mapping[Held, Bits], among: Sequence[Graph]) -> bool:
        nonlocal proven
        for file, content in _stored(whole, tensors, bits, grids).items():
            file.write_bytes(restore(content, len(whole[file]), file.name))
        try:
            proven = prove(among)
        except WebbuildError as error:
            if error.code not in ("not-proven", "proved-nothing"):
                raise
            return False
        return True

    order = sorted(grids, key=lambda tensor: _loss(tensor, grids[tensor]), reverse=True)
    search = Search(order, {tensor: tensor.numbers for tensor in order}, lambda bits: keeps(bits, asked))
    search.run()
    chosen = next((bits for bits in reversed(search.kept) if keeps(bits, lean)), None)
    if chosen is None or proven is None:
        raise WebbuildError(
            "needs-floats",
            "no weights can be whole numbers of 8 or 16 bits: the answers move too far on the samples",
            "pack it with --weights fp32",
        )
    contents = _stored(whole, tensors, chosen, grids)
    files = [write_weights(contents[file], file, folder, len(whole[file])) for file in whole]
    report = told(list(whole.values()), files, tensors, chosen, search.asked)
    stored_graphs = [write_graph(folder / path, folder) for path in sorted({graph.file for graph in graphs})]
    return Stored(lean, proven, [*files, *stored_graphs], report)


def _stored(
    whole: Mapping[Path, bytes], tensors: Sequence[Held], bits: Mapping[Held, Bits], grids: Mapping[Held, Grid]
) -> dict[Path, bytes]:
    mine = {file: [tensor for tensor in tensors if tensor.file == file and tensor in bits] for file in whole}
    return {file: stored(content, mine[file], bits, grids) for file, content in whole.items()}


def _loss(tensor: Held, grid: Grid) -> float:
    """Return what 8 bits lose of a tensor, as a part of its mean square, for each of its numbers.

    How far that moves the answers is not known, but most layers pass on what they are given: a small tensor moves them
    as far as a large one, and costs less in 16 bits.
    """
    array = tensor.read().ravel()
    lost = np.square(quantise(array, 8, grid).restored() - array, dtype=np.float64).mean()
    return float(lost / max(np.square(array, dtype=np.float64).mean(), np.finfo(np.float64).tiny)) / tensor.numbers
