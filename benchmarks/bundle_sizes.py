"""The size of a bundle in bytes: on a disk, and as a compressing host sends it."""

from __future__ import annotations

import zlib
from pathlib import Path

from msgspec import Struct

from webbuild.manifest import manifest


class BundleSizes(Struct, frozen=True):
    """Bytes of a part of a bundle, raw and with each file gzipped."""

    raw: int = 0
    gzipped: int = 0

    def __add__(self, other: BundleSizes) -> BundleSizes:
        return BundleSizes(self.raw + other.raw, self.gzipped + other.gzipped)


def measure(bundle: Path) -> dict[str, BundleSizes]:
    """Return the sizes of the whole bundle, and of its graphs, weights, engines and everything else."""
    packed = manifest.decode((bundle / "manifest.json").read_bytes())
    graphs = {graph.file for graph in packed.graphs}
    parts: dict[str, BundleSizes] = {
        name: BundleSizes() for name in ("all", "graphs", "weights", "engines", "the rest")
    }
    for file in packed.files:
        part = "the rest"
        if file.path in graphs:
            part = "graphs"
        elif file.path.startswith("model/"):
            part = "weights"
        elif file.path.startswith("runtime/ort/"):
            part = "engines"
        data = (bundle / file.path).read_bytes()
        size = BundleSizes(len(data), len(data) if file.encoding != "identity" else len(zlib.compress(data, 6)))
        parts[part] += size
        parts["all"] += size
    return parts
