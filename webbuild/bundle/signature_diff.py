"""Differences between the inputs and outputs of a patched graph and the original."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webbuild.model.load import OnnxModel
from webbuild.model.read_signature import read_signature

if TYPE_CHECKING:
    import onnx_ir as ir


def describe_signature_changes(source: OnnxModel, model: ir.Model) -> list[str]:
    """Return the differences of a patched graph's inputs and outputs from the original's, one sentence each."""
    old, new = source.signature, read_signature(source.signature.file, model)
    lines = []
    for kind, before, after in (("input", old.inputs, new.inputs), ("output", old.outputs, new.outputs)):
        was, now = (
            {fact.name: f"{fact.dtype} {_describe_shape(fact.shape)}" for fact in side} for side in (before, after)
        )
        lines += [f"{kind} '{name}' is new: {now[name]}" for name in now if name not in was]
        lines += [f"{kind} '{name}' is gone" for name in was if name not in now]
        lines += [f"{kind} '{n}' is {now[n]}, was {was[n]}" for n in was if n in now and now[n] != was[n]]
    return lines


def _describe_shape(shape: tuple[int | str | None, ...]) -> str:
    return f"[{', '.join('?' if dim is None else str(dim) for dim in shape)}]"
