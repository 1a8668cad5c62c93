"""Plans that are kept: what the passes made of a model, by a key that hashes all that they read."""

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
from webbuild.targets.table import encode_table

if TYPE_CHECKING:
    import onnx_ir as ir


class _KeptGraph(Struct, frozen=True):
    """A graph without weights; its weights by name: those of the original by theirs, others by the key of an entry."""

    model: bytes
    originals: dict[str, str]
    entries: dict[str, str]


class _KeptPlan(Struct, frozen=True):
    graphs: dict[TargetName, _KeptGraph]
    rewrites: dict[TargetName, tuple[Rewrite, ...]]


def plan_key(model: ir.Model, options: PassOptions) -> str:
    """Return a hash of a model with its weights, the options of the passes, and their code."""
    digest = hashlib.sha256(graph_bytes(model, names=False))
    for name, value in model.graph.initializers.items():
        tensor = value.const_value
        assert tensor is not None
        digest.update(f"{name!r} {tensor.dtype} {tensor.shape}".encode())
        digest.update(tensor.tobytes())
    table = b"" if options.table is None else encode_table(options.table)
    said = (sorted(options.dims.items()), options.missing_postprocess, sorted(options.states), options.nms)
    limits = (options.max_binding_size, options.int32_inputs, hashlib.sha256(table).hexdigest())
    return hash_parts("plan", hash_environment(), *VERSIONS, digest.hexdigest(), repr(said), repr(limits))


def write_plan(cache: ContentCache, key: str, source: ir.Model, planned: LoweredGraphs) -> bool:
    """Keep a plan, and return whether it is: not one whose weights take too much room."""
    known = {id(value.const_value): name for name, value in source.graph.initializers.items()}
    entries: dict[int, str] = {}
    graphs: dict[TargetName, _KeptGraph] = {}
    for target, model in planned.graphs.items():
        graphs[target] = _KeptGraph(graph_bytes(model), {}, {})
        for name, value in model.graph.initializers.items():
            tensor = value.const_value
            if tensor is None or value.is_graph_input() or tensor.dtype.is_string():
                return False
            if (original := known.get(id(tensor))) is not None:
                graphs[target].originals[name] = original
                continue
            if id(tensor) not in entries:
                content = tensor_bytes(tensor)
                entries[id(tensor)] = hashlib.sha256(content).hexdigest()
                if not cache.write(entries[id(tensor)], content):
                    return False
            graphs[target].entries[name] = entries[id(tensor)]
    return cache.write(key, msgspec.msgpack.encode(_KeptPlan(graphs, planned.rewrites)))


def read_plan(cache: ContentCache, key: str, source: ir.Model) -> LoweredGraphs | None:
    """Return the plan that was kept under a key, None where it or one of its weights is not there."""
    data = cache.read(key)
    if data is None:
        return None
    kept = msgspec.msgpack.decode(data, type=_KeptPlan)
    tensors: dict[str, ir.TensorProtocol] = {}
    for entry in {entry for each in kept.graphs.values() for entry in each.entries.values()}:
        if (held := cache.read(entry)) is None:
            return None
        tensors[entry] = tensor_of(held)
    graphs: dict[TargetName, ir.Model] = {}
    for target, each in kept.graphs.items():
        weights = {name: tensors[entry] for name, entry in each.entries.items()}
        for name, original in each.originals.items():
            tensor = source.graph.initializers[original].const_value
            assert tensor is not None
            weights[name] = tensor
        graphs[target] = with_weights(each.model, weights)
    return LoweredGraphs(graphs, kept.rewrites)
