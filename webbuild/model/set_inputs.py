"""Inputs that the user sets: `--set sr=16000` makes an input a constant."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from webbuild.errors import USAGE, WebbuildError
from webbuild.model.load import OnnxModel
from webbuild.model.read_signature import read_signature

if TYPE_CHECKING:
    import onnx_ir as ir
    from numpy.typing import NDArray

_FIX = "write for example --set sr=16000, or --set size=640,480: one number, or as many as the input has elements"
_TRUTH_VALUES = {"true": True, "1": True, "false": False, "0": False}


def parse_set(arguments: Sequence[str]) -> dict[str, str]:
    """Parse `NAME=VALUE`.

    Raises:
        WebbuildError: `invalid-input-value`.
    """
    values: dict[str, str] = {}
    for argument in arguments:
        name, equals, value = argument.rpartition("=")
        if not equals or not name or not value:
            raise _invalid(argument, "this is not NAME=VALUE")
        values[name] = value
    return values


def set_inputs(source: OnnxModel, texts: Mapping[str, str]) -> OnnxModel:
    """Return a model in which these inputs are constants; the original still takes them as inputs.

        input sr int64 [], --set sr=16000  ->  constant sr = 16000

    Raises:
        WebbuildError: `unknown-input`, or `invalid-input-value` for one of another type or number of elements.
    """
    if not texts:
        return source
    values: dict[str, NDArray[Any]] = {}
    for name, text in texts.items():
        _check_name(source, name)
        value = next(each for each in source.model.graph.inputs if each.name == name)
        values[name] = _array(f"{name}={text}", value)
    notes = [f"input '{name}' is {text}, a constant: --set" for name, text in texts.items()]
    return with_constants(source, values, notes)


def with_constants(source: OnnxModel, values: Mapping[str, NDArray[Any]], notes: Sequence[str]) -> OnnxModel:
    """Return a model in which these inputs are constants; the original still takes them. `notes` are sentences."""
    import onnx_ir as ir

    model = source.model.clone()
    for name, array in values.items():
        value = next(each for each in model.graph.inputs if each.name == name)
        model.graph.inputs.remove(value)
        value.const_value = ir.tensor(array, name=name)
        value.shape = ir.Shape(array.shape)
        model.graph.register_initializer(value)
    known = read_signature(source.signature.file, model)
    return msgspec.structs.replace(
        source,
        model=model,
        signature=msgspec.structs.replace(source.signature, inputs=known.inputs),
        repairs=(*source.repairs, *notes),
        set_inputs={**source.set_inputs, **values},
    )


def _check_name(source: OnnxModel, name: str) -> None:
    names = [each.name for each in source.signature.inputs]
    if name in names:
        return
    near = get_close_matches(name, names, 1)
    raise WebbuildError(
        "unknown-input",
        f"{source.signature.file}: --set {name}: there is no such input"
        + (f"; the nearest name is {near[0]}" if near else ""),
        f"the inputs are: {', '.join(names)}",
        exit_code=USAGE,
    )


def _array(argument: str, value: ir.Value) -> NDArray[Any]:
    """Return the value of an argument with the input's type and shape; a single number fills it."""
    numbers = argument.rpartition("=")[2].split(",")
    if value.dtype is None or value.shape is None:
        raise _invalid(argument, "the type or the shape of the input is not known")
    dtype = value.dtype.numpy()
    array = np.array([_number(argument, text.strip(), dtype) for text in numbers], dtype)
    shape = _shape(argument, list(value.shape), len(numbers))
    return np.full(shape, array[0], dtype) if len(numbers) == 1 else array.reshape(shape)


def _number(argument: str, text: str, dtype: np.dtype[Any]) -> bool | int | float:
    """Parse a number of a type."""
    try:
        if dtype.kind == "b":
            return _TRUTH_VALUES[text.lower()]
        if dtype.kind in "iu":
            limits = np.iinfo(dtype)
            if limits.min <= int(text) <= limits.max:
                return int(text)
        elif dtype.kind == "f" and abs(float(text)) <= np.finfo(dtype).max:
            return float(text)
    except (KeyError, ValueError):
        pass
    raise _invalid(argument, f"'{text}' is not {dtype.name}, the type of the input")


def _shape(argument: str, shape: Sequence[int | ir.SymbolicDim], count: int) -> list[int]:
    """Return the shape of an input with `count` elements: a single free size is inferred, several are 1."""
    free = [axis for axis, size in enumerate(shape) if not isinstance(size, int)]
    sizes = [size if isinstance(size, int) else 1 for size in shape]
    if len(free) == 1 and count % max(1, math.prod(sizes)) == 0:
        sizes[free[0]] = count // max(1, math.prod(sizes))
    if count not in (1, math.prod(sizes)):
        raise _invalid(argument, f"{count} numbers do not fill the input, of shape [{', '.join(map(str, shape))}]")
    return sizes


def _invalid(argument: str, reason: str) -> WebbuildError:
    return WebbuildError("invalid-input-value", f"--set {argument}: {reason}", _FIX, exit_code=USAGE)
