"""Matrix products: MatMul, Gemm, Einsum."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from webbuild.probe.probe_model import Initializer, Probe, make_probe
from webbuild.probe.random_data import RandomData

_MATMUL = {
    "vectors": ((4,), (4,)),
    "vector and matrix": ((4,), (4, 5)),
    "matrix and vector": ((3, 4), (4,)),
    "batch and vector": ((2, 3, 4), (4,)),
    "batches that broadcast": ((2, 1, 3, 4), (1, 5, 4, 6)),
    "batch and matrix": ((2, 3, 4), (4, 5)),
    "matrix and batch": ((3, 4), (2, 4, 5)),
    "odd sizes": ((7, 13), (13, 5)),
    "multiples of 4": ((8, 16), (16, 12)),
    "one row": ((1, 64), (64, 33)),
    "one column": ((33, 64), (64, 1)),
    "inner size 1": ((3, 1), (1, 5)),
    "inner size 3": ((5, 3), (3, 8)),
    "64 by 256 by 128": ((64, 256), (256, 128)),
    "rank 5": ((1, 2, 3, 4, 5), (1, 2, 3, 5, 4)),
    "100 batches": ((100, 2, 3), (100, 3, 2)),
}
_GEMM: dict[str, tuple[tuple[tuple[int, ...], ...], dict[str, Any]]] = {
    "plain": (((3, 4), (4, 5), (5,)), {}),
    "transB": (((3, 4), (5, 4), (5,)), {"transB": 1}),
    "transA": (((4, 3), (4, 5), (5,)), {"transA": 1}),
    "both transposed": (((4, 3), (5, 4), (5,)), {"transA": 1, "transB": 1}),
    "alpha, beta": (((3, 4), (4, 5), (5,)), {"alpha": 0.5, "beta": 2.0}),
    "beta 0": (((3, 4), (4, 5), (5,)), {"beta": 0.0}),
    "C scalar": (((3, 4), (4, 5), ()), {}),
    "C one element": (((3, 4), (4, 5), (1,)), {}),
    "C a column": (((3, 4), (4, 5), (3, 1)), {}),
    "C a row": (((3, 4), (4, 5), (1, 5)), {}),
    "C whole": (((3, 4), (4, 5), (3, 5)), {}),
    "without C": (((3, 4), (4, 5)), {}),
    "64 by 256 by 128": (((64, 256), (256, 128), (128,)), {}),
    "64 by 256 by 128 transB": (((64, 256), (128, 256), (128,)), {"transB": 1}),
}
_EINSUM = {
    "ij,jk->ik": ((2, 3), (3, 4)),
    "bij,bjk->bik": ((2, 3, 4), (2, 4, 5)),
    "ij->ji": ((3, 4),),
    "ii->i": ((3, 3),),
    "ii->": ((3, 3),),
    "bij->bi": ((2, 3, 4),),
    "bij->": ((2, 3, 4),),
    "i,j->ij": ((3,), (4,)),
    "i,i->": ((4,), (4,)),
    "...ij,...jk->...ik": ((2, 3, 4), (2, 4, 5)),
    "...ij->...ji": ((2, 3, 4),),
    "ij,jk": ((2, 3), (3, 4)),
    "ij,jk,kl->il": ((2, 3), (3, 4), (4, 5)),
    "b h w , w -> b h": ((2, 3, 4), (4,)),
    "bhwc,hkc->bhwk": ((2, 3, 4, 5), (3, 6, 5)),
    "bqnc,bnchw->bqnhw": ((1, 5, 2, 4), (1, 2, 4, 3, 3)),
    "bqc,bchw->bqhw": ((1, 5, 4), (1, 4, 3, 3)),
    "bhij,bhjd->bhid": ((1, 2, 3, 4), (1, 2, 4, 5)),
    "nkctv,kvw->nctw": ((1, 2, 3, 4, 5), (2, 5, 5)),
    "ij,ij->i": ((3, 4), (3, 4)),
    "ij,kj->ikj": ((3, 4), (2, 4)),
}


def cases(draw: RandomData) -> Iterator[Probe]:
    """Yield the probes."""
    for what, (a, b) in _MATMUL.items():
        yield make_probe(f"MatMul {what}", draw.floats(*a), draw.floats(*b), slack=3)
    yield make_probe("MatMul weights", draw.floats(2, 5, 16), Initializer(draw.floats(16, 8)))
    for kind in (np.int32, np.int64):
        yield make_probe(f"MatMul {np.dtype(kind).name}", draw.ints(3, 4, dtype=kind), draw.ints(4, 5, dtype=kind))
    for what, (shapes, attributes) in _GEMM.items():
        yield make_probe(f"Gemm {what}", *(draw.floats(*s) for s in shapes), slack=3, **attributes)
    for equation, several in _EINSUM.items():
        inputs = [draw.floats(*shape) for shape in several]
        yield make_probe(f"Einsum {equation}", *inputs, equation=equation, slack=3)
    yield make_probe("Einsum int32", draw.ints(3, 4), draw.ints(4, 5), equation="ij,jk->ik")
