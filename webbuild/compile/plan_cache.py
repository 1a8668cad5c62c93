"""Cache of patched graphs, by a hash of the passes' inputs: model, options and code."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from webbuild.manifest.manifest import TargetName
from webbuild.model.detached_weights import VERSIONS, graph_bytes, tensor_bytes, tensor_of, with_weights
from webbuild.passes.base import PassOptions, Rewrite
from webbuild.passes.lower import LoweredGraphs
from webbuild.runners.content_cache import ContentCache
from webbuild.runners.content_hash import hash_environment, hash_parts

if TYPE_CHECKING:
    import onnx_ir as ir


class _CachedGraph(Struct, frozen=True):
    """A graph without weights. `originals` maps weights to the original's weights, `entries` others to cache keys."""

    model: bytes
    originals: dict[str, str]
    entries: dict[str, str]


class _CachedPlan(Struct, frozen=True):
    graphs: dict[TargetName, _CachedGraph]
    rewrites: dict[TargetName, tuple[Rewrite, ...]]


def plan_key(model: ir.Model, options: PassOptions) -> str | None:
    """Return a hash of a model with its weights, the options of the passes, and their code.

    None if the plan cannot be cached: string weights, or external data in nodes or subgraphs.
    """
    graph = graph_bytes(model, names=False)
    if graph is None:
        return None
    digest = hashlib.sha256(graph)
    for name, value in model.graph.initializers.items():
        tensor = value.const_value
        if tensor is None or tensor.dtype.is_string():
            return None
        digest.update(f"{name!r} {tensor.dtype} {tensor.shape}".encode())
        digest.update(tensor.tobytes())
    for name in PassOptions.__struct_fields__:
        option = getattr(options, name)
        digest.update(f"{name} {type(option).__name__} ".encode())
        digest.update(msgspec.msgpack.encode(option, order="deterministic"))
    return hash_parts("plan", hash_environment(), *VERSIONS, digest.hexdigest())


def write_plan(cache: ContentCache, key: str, source: ir.Model, planned: LoweredGraphs) -> bool:
    """Cache a plan; return False, without caching, if a pass failed or the weights are too large."""
    if any(rewrite.code == "pass-failed" for rewrites in planned.rewrites.values() for rewrite in rewrites):
        return False  # a pass that ran out of memory may succeed next time
    known = {id(value.const_value): name for name, value in source.graph.initializers.items()}
    new: dict[int, ir.TensorProtocol] = {}
    for value in (value for model in planned.graphs.values() for value in model.graph.initializers.values()):
        tensor = value.const_value
        if tensor is None or value.is_graph_input() or tensor.dtype.is_string():
            return False
        if id(tensor) not in known:
            new[id(tensor)] = tensor
    if not cache.fits([tensor.nbytes for tensor in new.values()]):
        return False
    contents = {at: tensor_bytes(tensor) for at, tensor in new.items()}
    entries = {at: hashlib.sha256(content).hexdigest() for at, content in contents.items()}
    graphs: dict[TargetName, _CachedGraph] = {}
    for target, model in planned.graphs.items():
        if (graph := graph_bytes(model)) is None:
            return False
        weights = {name: id(value.const_value) for name, value in model.graph.initializers.items()}
        graphs[target] = _CachedGraph(
            graph,
            {name: known[at] for name, at in weights.items() if at in known},
            {name: entries[at] for name, at in weights.items() if at in entries},
        )
    plan = msgspec.msgpack.encode(_CachedPlan(graphs, planned.rewrites))
    return cache.write_together({**{entries[at]: content for at, content in contents.items()}, key: plan})


def read_plan(cache: ContentCache, key: str, source: ir.Model) -> LoweredGraphs | None:
    """Return the plan of a key, None if it or one of its weights is not in the cache."""
    data = cache.read(key)
    if data is None:
        return None
    stored_plan = msgspec.msgpack.decode(data, type=_CachedPlan)
    tensors: dict[str, ir.TensorProtocol] = {}
    for entry in {entry for each in stored_plan.graphs.values() for entry in each.entries.values()}:
        if (tensor_data := cache.read(entry)) is None:
            return None
        tensors[entry] = tensor_of(tensor_data)
    graphs: dict[TargetName, ir.Model] = {}
    for target, each in stored_plan.graphs.items():
        weights = {name: tensors[entry] for name, entry in each.entries.items()}
        for name, original in each.originals.items():
            tensor = source.graph.initializers[original].const_value
            assert tensor is not None
            weights[name] = tensor
        graphs[target] = with_weights(each.model, weights)
    return LoweredGraphs(graphs, stored_plan.rewrites)
