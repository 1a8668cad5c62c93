"""Weight quantization: search the bit widths, prove the dequantized weights, and write the quantized files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from msgspec import Struct

from webbuild.bundle.weight_parts import write_gzipped_graph, write_quantized_weights
from webbuild.equivalence.check import EquivalenceResult
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import File, Graph
from webbuild.quantization.bit_width_search import BitWidthSearch
from webbuild.quantization.dequantize import dequantize_file
from webbuild.quantization.encode import encode_weight_file
from webbuild.quantization.quantize import BitWidth, best_layout, can_quantize, quantize
from webbuild.quantization.report import WeightQuantizationReport, quantization_report
from webbuild.quantization.weight_format import ScaleLayout
from webbuild.quantization.weight_tensors import WeightTensor, collect_weight_tensors

if TYPE_CHECKING:
    import onnx_ir as ir

CheckEquivalence = Callable[[Sequence[Graph]], EquivalenceResult]


class QuantizedWeights(Struct, frozen=True):
    """The graphs, the proof with dequantized weights, and the files that are stored in quantized form."""

    graphs: list[Graph]
    equivalence: EquivalenceResult
    files: list[File]
    report: WeightQuantizationReport


def quantize_weights(
    models: Sequence[ir.Model], graphs: Sequence[Graph], folder: Path, prove: CheckEquivalence
) -> QuantizedWeights:
    """Quantize the weights of graphs to the fewest bits that keep the original's results, and gzip the graphs.

    The search runs the WASM graph, and every graph at the end, on the samples and their sequence. Inputs that are
    generated to cover branches are not used: they prove branches, but not the precision of weights.

    Args:
        models: the models that the graphs were written from.
        graphs: graphs in `folder` that compute in float32, and are proven with float weights.
        folder: the bundle's folder. Its weight files are overwritten with dequantized weights; the quantized files are
            written next to them.
        prove: compares graphs with the original, with the weights in the folder. It raises WebbuildError if the results
            differ.

    Raises:
        WebbuildError: `weights-not-quantizable` if no smaller format keeps the results; the files are then unchanged.
    """
    weight_files = {
        file: file.read_bytes() for file in sorted({folder / path for graph in graphs for path in graph.weights})
    }
    tensors = collect_weight_tensors(models)
    grids = {tensor: best_layout(array) for tensor in tensors if can_quantize(array := tensor.read())}
    quantized = [msgspec.structs.replace(graph, weight_dtype="int8") for graph in graphs]
    searched = [graph for graph in quantized if graph.target == "wasm"][:1] or quantized[:1]
    proven: EquivalenceResult | None = None

    def keeps(bits: Mapping[WeightTensor, BitWidth], among: Sequence[Graph]) -> bool:
        nonlocal proven
        for file, content in _encode_files(weight_files, tensors, bits, grids).items():
            file.write_bytes(dequantize_file(content, len(weight_files[file]), file.name))
        try:
            proven = prove(among)
        except WebbuildError as error:
            if error.code not in ("output-mismatch", "vacuous-comparison"):
                raise
            return False
        return True

    order = sorted(grids, key=lambda tensor: _quantization_loss(tensor, grids[tensor]), reverse=True)
    search = BitWidthSearch(order, {tensor: tensor.value_count for tensor in order}, lambda bits: keeps(bits, searched))
    search.run()
    chosen = next((bits for bits in reversed(search.kept) if keeps(bits, quantized)), None)
    if chosen is None or proven is None:
        for file, content in weight_files.items():
            file.write_bytes(content)
        raise WebbuildError(
            "weights-not-quantizable",
            "no weights can be stored in 8 or 16 bits: the answers change too much on the samples",
            "pack it with --weight-dtype fp32",
        )
    contents = _encode_files(weight_files, tensors, chosen, grids)
    files = [write_quantized_weights(contents[file], file, folder, len(weight_files[file])) for file in weight_files]
    report = quantization_report(list(weight_files.values()), files, tensors, chosen, search.asked)
    stored_graphs = [write_gzipped_graph(folder / path, folder) for path in sorted({graph.file for graph in graphs})]
    return QuantizedWeights(quantized, proven, [*files, *stored_graphs], report)


def _encode_files(
    weight_files: Mapping[Path, bytes],
    tensors: Sequence[WeightTensor],
    bits: Mapping[WeightTensor, BitWidth],
    grids: Mapping[WeightTensor, ScaleLayout],
) -> dict[Path, bytes]:
    chosen = {file: [tensor for tensor in tensors if tensor.file == file and tensor in bits] for file in weight_files}
    return {file: encode_weight_file(content, chosen[file], bits, grids) for file, content in weight_files.items()}


def _quantization_loss(tensor: WeightTensor, grid: ScaleLayout) -> float:
    """Return the mean squared error of a tensor at 8 bits, relative to its mean square, per element.

    Its effect on the results is unknown. But most layers preserve the magnitude of their inputs: errors in a small
    tensor change the results as much as errors in a large one, and 16 bits cost less there.
    """
    array = tensor.read().ravel()
    lost = np.square(quantize(array, 8, grid).dequantize() - array, dtype=np.float64).mean()
    return float(lost / max(np.square(array, dtype=np.float64).mean(), np.finfo(np.float64).tiny)) / tensor.value_count
