"""Common conversions of exports: simplification, optimization, float16 and quantization."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnxruntime import quantization

Feeds = Mapping[str, np.ndarray[Any, Any]]
Conversion = Callable[[Path, Path, Feeds], None]


def simplified(source: Path, target: Path, feeds: Feeds) -> None:
    """Write a model simplified by onnxsim."""
    import onnxsim

    model, right = onnxsim.simplify(onnx.load(source))
    if not right:
        raise RuntimeError("onnxsim's own check failed")
    onnx.save(model, target)


def slimmed(source: Path, target: Path, feeds: Feeds) -> None:
    """Write a model simplified by OnnxSlim."""
    import onnxslim

    onnx.save(onnxslim.slim(onnx.load(source)), target)


def optimized(level: str) -> Conversion:
    """Return a conversion by ONNX Runtime's graph optimizer."""

    def convert(source: Path, target: Path, feeds: Feeds) -> None:
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, f"ORT_ENABLE_{level}")
        options.optimized_model_filepath = str(target)
        options.log_severity_level = 3
        onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])

    return convert


def fused(kind: str, *, half: bool = False) -> Conversion:
    """Return a conversion by ONNX Runtime's transformer optimizer."""

    def convert(source: Path, target: Path, feeds: Feeds) -> None:
        from onnxruntime.transformers import optimizer

        logging.disable(logging.WARNING)
        model = optimizer.optimize_model(str(source), model_type=kind, opt_level=0)
        if half:
            model.convert_float_to_float16(keep_io_types=True)
        model.save_model_to_file(str(target))

    return convert


def half(package: str, *, keep: bool) -> Conversion:
    """Return a conversion to float16 by a package's converter; `keep` leaves inputs and outputs in float32."""

    def convert(source: Path, target: Path, feeds: Feeds) -> None:
        float16 = importlib.import_module(f"{package}.float16")
        onnx.save(float16.convert_float_to_float16(onnx.load(source), keep_io_types=keep), target)

    return convert


class _Calibration(quantization.CalibrationDataReader):
    """Calibration data: the example, and the example rolled."""

    def __init__(self, feeds: Feeds) -> None:
        rolled = {name: np.roll(value, value.size // 3) for name, value in feeds.items()}
        self.left = [dict(feeds), rolled]

    def get_next(self) -> dict[str, Any] | None:
        return self.left.pop() if self.left else None


def quantized(form: str, activations: str = "QUInt8", weights: str = "QInt8", **more: Any) -> Conversion:
    """Return a static quantization, as QDQ or with quantized operators."""

    def convert(source: Path, target: Path, feeds: Feeds) -> None:
        quantization.quantize_static(
            source, target, _Calibration(feeds), quant_format=quantization.QuantFormat[form],
            activation_type=quantization.QuantType[activations], weight_type=quantization.QuantType[weights], **more,
        )  # fmt: skip

    return convert


def quantized_dynamically(weights: str) -> Conversion:
    """Return a dynamic quantization: weights are quantized now, activations in every run."""

    def convert(source: Path, target: Path, feeds: Feeds) -> None:
        quantization.quantize_dynamic(source, target, weight_type=quantization.QuantType[weights])

    return convert


def weights_quantized(bits: int, block: int = 32, *, symmetric: bool = True) -> Conversion:
    """Return a conversion of MatMuls with constant weights to MatMulNBits."""

    def convert(source: Path, target: Path, feeds: Feeds) -> None:
        from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer

        quantizer = MatMulNBitsQuantizer(onnx.load(source), bits=bits, block_size=block, is_symmetric=symmetric)
        quantizer.process()
        quantizer.model.save_model_to_file(str(target))

    return convert


def external(source: Path, target: Path, feeds: Feeds) -> None:
    """Write a model with external weights."""
    location = target.name + ".data"
    onnx.save_model(onnx.load(source), target, save_as_external_data=True, location=location, size_threshold=256)


def raised(opset: int) -> Conversion:
    """Return a conversion to another opset by ONNX's version converter."""

    def convert(source: Path, target: Path, feeds: Feeds) -> None:
        onnx.save(onnx.version_converter.convert_version(onnx.load(source), opset), target)

    return convert


CONVERSIONS: dict[str, Conversion] = {
    "sim": simplified,
    "slim": slimmed,
    "ort-basic": optimized("BASIC"),
    "ort-extended": optimized("EXTENDED"),
    "ort-all": optimized("ALL"),
    "ort-bert": fused("bert"),
    "ort-bert-fp16": fused("bert", half=True),
    "ort-gpt2": fused("gpt2"),
    "ort-vit": fused("vit"),
    "ort-swin": fused("swin"),
    "ort-clip": fused("clip"),
    "ort-unet": fused("unet"),
    "fp16": half("onnxconverter_common", keep=False),
    "fp16-io": half("onnxconverter_common", keep=True),
    "ort-fp16": half("onnxruntime.transformers", keep=False),
    "ort-fp16-io": half("onnxruntime.transformers", keep=True),
    "qdq": quantized("QDQ"),
    "qdq-int8": quantized("QDQ", "QInt8", per_channel=True),
    "qdq-int16": quantized("QDQ", "QUInt16", "QInt8"),
    "qoperator": quantized("QOperator"),
    "dynamic-int8": quantized_dynamically("QInt8"),
    "dynamic-uint8": quantized_dynamically("QUInt8"),
    "q4": weights_quantized(4),
    "q4-asymmetric": weights_quantized(4, 16, symmetric=False),
    "q8": weights_quantized(8),
    "external": external,
    "opset21": raised(21),
}
