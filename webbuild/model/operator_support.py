"""Check that ONNX Runtime supports the opset and the operators of a graph."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from webbuild.errors import WebbuildError
from webbuild.model.traversal import iter_nodes

if TYPE_CHECKING:
    import onnx

OLDEST_OPSET, NEWEST_OPSET = 7, 26
"""Opsets of the standard operators for which onnxruntime-web 1.30 guarantees support."""

_ONNX_DOMAINS = ("", "ai.onnx")
_MAX_LISTED = 20
OpId = tuple[str, str]


def check_operators(proto: onnx.ModelProto, path: Path) -> None:
    """Raise unless the engine knows the opset and every operator.

    Raises:
        WebbuildError: `unsupported-opset` or `unknown-operators`, which lists them.
    """
    used = Counter(("" if node.domain in _ONNX_DOMAINS else node.domain, node.op_type) for node in iter_nodes(proto))
    opset = _opset(proto, path)
    own = {(function.domain, function.name) for function in proto.functions}
    since = _first_versions()
    unknown = [name for name in used if name not in since or (name[0] == "" and since[name] > opset)]
    missing = sorted(name for name in unknown if name not in own)
    if not missing:
        return
    listed = ", ".join(_describe(name, used[name], since.get(name)) for name in missing[:_MAX_LISTED])
    more = f", and {len(missing) - _MAX_LISTED} more" if len(missing) > _MAX_LISTED else ""
    raise WebbuildError(
        "unknown-operators", f"{path}: ONNX Runtime has no {listed}{more} at opset {opset}", _fix(missing, since)
    )


def _opset(proto: onnx.ModelProto, path: Path) -> int:
    versions = [entry.version for entry in proto.opset_import if entry.domain in _ONNX_DOMAINS]
    if not proto.opset_import:
        raise WebbuildError(
            "unsupported-opset",
            f"{path}: has no opset_import, so the operator versions are unknown",
            "export the model again; every exporter writes one",
        )
    opset = max(versions, default=NEWEST_OPSET)
    if versions and not OLDEST_OPSET <= opset <= NEWEST_OPSET:
        older = opset < OLDEST_OPSET
        raise WebbuildError(
            "unsupported-opset",
            f"{path}: uses opset {opset}; the engine supports {OLDEST_OPSET} to {NEWEST_OPSET}",
            f"export it with opset {17 if older else NEWEST_OPSET} or so, or convert it with onnx.version_converter",
        )
    return opset


@cache
def _first_versions() -> dict[OpId, int]:
    """Return the version in which each operator of ONNX Runtime first appeared."""
    from onnxruntime.capi.onnxruntime_pybind11_state import get_all_operator_schema

    since: dict[OpId, int] = {}
    for schema in get_all_operator_schema():
        name = ("" if schema.domain in _ONNX_DOMAINS else schema.domain, schema.name)
        since[name] = min(schema.since_version, since.get(name, schema.since_version))
    return since


def _describe(name: OpId, count: int, since: int | None) -> str:
    domain, operator = name
    times = f"{count} nodes" if count > 1 else "1 node"
    new = f", new in opset {since}" if since is not None else ""
    return f"{f'{domain}::' if domain else ''}{operator} ({times}{new})"


def _fix(missing: list[OpId], since: dict[OpId, int]) -> str:
    if all(name in since for name in missing):
        return f"export it with opset {max(since[name] for name in missing)} or newer"
    if any(domain == "com.microsoft" for domain, _ in missing):
        return "update onnxruntime, or export the model without the optimizations that put these operators in"
    return "export the model with standard operators, or with these as ONNX functions, which webbuild inlines"
